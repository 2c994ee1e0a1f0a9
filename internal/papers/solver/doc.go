// Package solver runs external solvers as subprocesses, for oracles that write
// a problem into a file and read an answer back.
//
// A problem is private data. It lies in a Dir, which only its owner can enter
// and which is removed when its use ends, by a return, an error or a panic.
// A program that ends before its calls removes it by Abandon; only a kill of this
// very process leaves it behind. What a solver prints goes
// to the caller and into no error message.
//
// There are no deadlines: giving up after a time would be an output that
// depends on the data. A run ends with the solver or with the context, and
// then all processes of the solver's group are gone.
package solver
