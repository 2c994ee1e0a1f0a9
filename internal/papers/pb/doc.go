// Package pb solves cost networks (package network) as pseudo-Boolean optimisation problems with
// clasp, an exact solver over integers.
//
// A variable with k values becomes k-1 bits. Bit a = 1..k-1 means "the value is at least a", so
// constraints require that each bit is set if the next bit is set. The costs of values and the terms
// of thresholds are linear in these bits. A soft threshold has an additional bit. This bit has the
// threshold's cost, and a constraint requires that it is set if the threshold is violated. A hard
// threshold is a linear constraint.
package pb
