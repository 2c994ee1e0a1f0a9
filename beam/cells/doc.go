// Package cells has counts travel through pipelines of Apache Beam, as cells of sub-tables in
// texts that are added up on the way.
package cells
