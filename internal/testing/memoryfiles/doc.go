// Package memoryfiles speeds up tests that write many small files. A test only needs to import it. In the short form of
// tests, temporary directories are then in memory, on Linux and if at least 1 GiB is free there. The full form (package
// heavy) writes large files and uses the usual directory. TMPDIR takes precedence if it is set.
package memoryfiles
