// Package wcsp solves cost networks (package network) with toulbar2, an exact solver of weighted
// constraint satisfaction problems over integers.
//
// A threshold on at most three terms becomes a table of costs. A threshold on more terms keeps the
// two terms that vary most among the thresholds, and replaces the others by an additional variable
// for their sum. This sum is built from partial sums, which thresholds share. Values of a partial
// sum that lead to the same outcome are merged: those with which the threshold is always reached,
// and those with which it cannot be reached. Partial sums are functions of the network's variables,
// and the solver branches on the latter only.
package wcsp
