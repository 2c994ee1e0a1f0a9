// Package rows reads and writes files in the file systems of Apache Beam. It also passes the error messages of
// functions in a pipeline, such as those about malformed files, to the process that started the pipeline.
package rows
