// Package parity holds the class of parities: hypotheses that predict the XOR
// of some bits of a record.
//
// Costs are Fourier sums. With χ_S(x) = (-1)^{Σ_{i∈S} x_i} and a weight w(x)
// for every word x of bits,
//
//	2·cost(S) = Σ_x w(x)·χ_S(x).
//
// Records, terms on the separator and penalties are all weights of words. One
// fast Walsh-Hadamard transform computes the costs of all parities (Tabulate);
// package tabulated makes of it a search that is over at once, up to 26 bits.
// The class's own tree decides bit after bit.
//
// Which to take: tabulated.New wherever the class fits it. The own tree bounds
// a cost by the sum of all |weights| whose sign is still open, and that sum
// falls only as words become equal. Learning parities with noise is believed to
// be hard: at the top of the tree the bound says nothing, and the search visits
// most nodes at which more than about log₂(distinct records) bits are open. So
// it serves some twenty bits, or more of them where few may be used (Most), or
// where some parity is nearly free of errors and the records are few.
//
// Letters:
//
//	d    the number of bits
//	S    the set of bits of a parity, b its constant
//	w(x) the weight of word x
//	G    the points of the separator, g_1 … g_m in {0,1}^d
//	h    the distance of the separator
package parity
