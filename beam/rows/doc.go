// Package rows reads and writes files in the file systems of Apache Beam, and returns error messages of
// a pipeline's functions, such as those about malformed files, to the caller of the pipeline.
package rows
