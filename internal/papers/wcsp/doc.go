// Package wcsp solves cost networks (package network) with toulbar2, an exact solver of weighted constraint
// satisfaction problems over integers.
//
// A threshold on a sum of at most three terms, each a function of one variable, becomes a table of costs. If the sum
// has more terms, the table keeps two of them, those that differ most between the thresholds. An additional variable
// replaces the other terms: its value is their sum. It is computed from partial sums of two terms each, which several
// thresholds can share.
//
// Values of a partial sum are merged if they have the same effect on the threshold. All values with which the threshold
// is always reached become one value, and so do all values with which it cannot be reached.
//
// The partial sums are functions of the network's variables, so the solver branches on the network's variables only.
package wcsp
