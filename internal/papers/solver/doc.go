// Package solver runs external solvers as subprocesses. Oracles use it to write a problem into a file, run a solver,
// and read the solver's answer from its output.
//
// A problem is private data. The files of a problem are stored in a Dir, a directory that only its owner can enter.
// InDir removes the directory when it returns or panics. A program that exits before InDir returns must call Abandon,
// which removes all such directories. So files remain only if the process is killed. The package returns the output of
// a solver to the caller, and never quotes it in an error message.
//
// A run has no time limit, since with a limit the data would determine whether the run fails. A run ends when the
// solver exits or the context is cancelled. Then all processes of the solver's process group are killed.
package solver
