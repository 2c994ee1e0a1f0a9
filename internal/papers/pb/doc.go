// Package pb solves cost networks as pseudo-Boolean optimisation problems with
// clasp, an exact solver over integers.
//
// A variable with k values becomes k-1 bits "the value is at least a", for
// a = 1..k-1, each implied by the next one. Costs on values and the terms of
// sums are linear in these bits. A soft threshold has one bit more, which is
// charged for and must be set where the threshold is broken; a hard threshold
// is a linear constraint.
package pb
