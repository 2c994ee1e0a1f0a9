// Package count counts sub-tables of tables that are too many files for one machine, by
// pipelines of Apache Beam, into a file of counts (source.CountsWriter).
//
// Files are read, coded and counted where a worker is; what travels are cells with their
// counts, summed on the way, or rows where they belong to persons, so that those of a person meet. Every
// number is an exact sum of parts of the data that no order of bundles has a part in, so that a
// bundle which is run again changes nothing: what it had sent is dropped with it by the runner,
// and its functions keep nothing from one bundle to the next. There are no coins here.
//
// What the pipeline holds in between is as private as the data, and so is whoever runs it.
package count
