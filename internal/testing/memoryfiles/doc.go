// Package memoryfiles speeds up tests that write many small files. If a test imports it, the temporary directories of
// the short form are in memory, on Linux and if at least 1 GiB is free there. The full form (package heavy)
// writes large files, to the usual directory. If TMPDIR is set, it is used.
package memoryfiles
