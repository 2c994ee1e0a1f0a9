// Package parity implements the class of parities: hypotheses that predict the XOR of some bits of
// a record.
//
// Costs are Fourier sums. With χ_S(x) = (-1)^{Σ_{i∈S} x_i} and a weight w(x) for every word x of
// bits,
//
//	2·cost(S) = Σ_x w(x)·χ_S(x).
//
// Records, terms on the separator and penalties are all weights of words. One fast Walsh-Hadamard
// transform computes the costs of all parities (Tabulate); for up to 26 bits, package tabulated
// makes a tree of these costs whose bounds are exact. The class's own tree decides one bit after
// another.
//
// Use tabulated.New whenever the class is small enough for it. The class's own tree bounds a cost
// by subtracting all |weights| whose signs are undecided, and this sum decreases only when words
// become equal. Learning parities with noise is believed to be hard: near the root the bound is
// useless, and the search visits most nodes with more than about log₂(distinct records) undecided
// bits. So the own tree is practical for about twenty bits, or for more if few of them may be used
// (Most), or if some parity has almost no errors and there are few records.
//
// Letters:
//
//	d    the number of bits
//	S    the set of bits of a parity; b is its constant
//	w(x) the weight of word x
//	G    the points of the separator, g_1 … g_m in {0,1}^d
//	h    the minimum distance of the separator
package parity
