// Package pb solves cost networks (package network) as pseudo-Boolean optimization problems with
// clasp, an exact solver over integers.
//
// A variable with k values becomes k-1 bits. Bit a = 1..k-1 means "the value is at least a", so constraints require
// that each bit is set if the next bit is set. The costs of values and the terms of thresholds are linear in these
// bits.
//
// A hard threshold is a linear constraint. A soft threshold has an additional bit, whose cost is that of the
// threshold. A constraint requires that this bit is set if the assignment violates the threshold (see network.Soft).
package pb
