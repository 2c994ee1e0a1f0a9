// Package wcsp solves cost networks with toulbar2, an exact solver of weighted
// constraint satisfaction problems over integers.
//
// A threshold on few terms becomes a table of costs. One on more keeps its two
// terms that vary most between thresholds, and a variable for the sum of the
// others, which is made of partial sums that thresholds share. A partial sum is
// told only as far as it matters: sums that reach the threshold whatever comes
// are one, and so are those that no longer can. Partial sums are functions of
// the network's variables, on which alone the solver branches.
package wcsp
