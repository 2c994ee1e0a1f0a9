// Package wcsp solves cost networks (package network) with toulbar2, an exact solver of weighted constraint
// satisfaction problems over integers.
//
// A threshold on at most three terms becomes a table of costs. A threshold with more terms keeps the two that vary
// most among the thresholds. One additional variable replaces the others: its value is their sum. This sum is built
// from partial sums of two terms each, which several thresholds can share.
//
// Values of a partial sum are merged if they decide the threshold in the same way. All values with which the threshold
// is always reached become one value, and so do all values with which it cannot be reached.
//
// The partial sums are functions of the network's variables, so the solver branches on the network's variables only.
package wcsp
