// Package solver runs external solvers as subprocesses, for oracles that write a problem into a file
// and read the answer from another.
//
// A problem is private data. Its files are stored in a Dir, which only its owner can enter, and
// which is removed when InDir ends by a return, an error or a panic. A program that exits earlier
// removes these directories by Abandon. The files remain only if this process is killed. The output
// of a solver is returned to the caller and never quoted in an error message.
//
// There are no deadlines: failing after some time would be an output that depends on the data. A run
// ends with the solver or with the context; all processes of the solver's group are then killed.
package solver
