// Package pb solves cost networks (package network) as pseudo-Boolean optimisation problems with
// clasp, an exact solver over integers.
//
// A variable with k values becomes k-1 bits, one for each a = 1..k-1, with the meaning "the value is
// at least a"; each bit is implied by the next one. Costs of values and terms of sums are linear in
// these bits. A soft threshold has another bit, which has the threshold's cost and must be set if
// the threshold is violated. A hard threshold is a linear constraint.
package pb
