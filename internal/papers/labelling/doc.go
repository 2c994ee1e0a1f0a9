// Package labelling reduces a class to one hypothesis for each labelling of a public reference sample: of all
// hypotheses with the same labels on the sample, it keeps one. For a sample of s records, the reduced class has at
// most 2^s hypotheses, and at most the growth function of the original class at s.
//
// The reduced class is the finite cover for learning relative to a reference distribution (Wang, Lei
// and Fienberg 2016, section 4.2, after Chaudhuri and Hsu 2011, and Beimel, Nissim and Stemmer 2013).
// docs/explanation/proofs/explicit.md, section 3, bounds the error of the reduced class. The sample
// must be public: a sample that is taken from the private table, or depends on it, violates privacy.
//
// Letters:
//
//	s     the number of records of the sample
//	N     the number of distinct labellings of the sample, which is the number of hypotheses
//	q     a hypothesis of the original class (H in type parameters)
//	m     the number of bits of the separator, ⌈log₂ N⌉
package labelling
