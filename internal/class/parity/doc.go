// Package parity implements the class of parities. A parity predicts the XOR of some of the bits of
// a record.
//
// Costs are Fourier sums. Let χ_S(x) = (-1)^{Σ_{i∈S} x_i}, and let w(x) be the weight of a word x
// of d bits. Then
//
//	2·cost(S) = Σ_x w(x)·χ_S(x).
//
// Records, terms of the separator and penalties all contribute to the weights of words. Tabulate
// computes the costs of all parities by one fast Walsh-Hadamard transform. For up to 26 bits,
// package tabulated builds a tree over these costs whose bounds are exact. The class's own tree
// decides one bit after another.
//
// Use tabulated.New whenever the class is small enough for it. The class's own tree is practical
// for about twenty bits. It is practical for more bits in two cases: parities may use only a few
// bits (Most), or some parity has almost no misclassifications and there are few records.
//
// The reason is the bound of the class's own tree. It subtracts the absolute values of all weights
// whose signs are undecided, and their sum decreases only when words merge. So a search visits most
// of the nodes with more than about log₂(number of distinct records) undecided bits. A much better
// bound is not to be expected, because learning parities with noise is believed to be hard.
//
// Letters:
//
//	d    the number of bits
//	S    the set of bits of a parity; b is its constant
//	w(x) the weight of word x
//	G    the points of the separator, g_1 … g_m in {0,1}^d
//	h    the minimum distance of the separator
package parity
