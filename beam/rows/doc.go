// Package rows reads and writes files where pipelines of Apache Beam find them, and brings what
// their functions say of a malformed one back to who began.
package rows
