// Package labelling reduces a class to one hypothesis for each labelling of a public reference
// sample: of all hypotheses with the same labels on the sample it keeps one. The reduced class has at
// most 2^s hypotheses for a sample of s records, and at most as many as the growth function of the
// original class at s.
//
// The reduced class is the finite cover for learning relative to a reference distribution (Wang, Lei
// and Fienberg 2016, section 4.2, after Chaudhuri and Hsu 2011, and Beimel, Nissim and Stemmer 2013).
// docs/explanation/proofs/explicit.md, section 3, bounds its error. The sample must be public: a
// sample of the private table, or one that depends on it, violates privacy.
//
// Letters:
//
//	s     the number of records of the sample
//	N     the number of distinct labellings of the sample
//	q     a hypothesis of the original class (H in type parameters)
//	m     the number of bits of the separator, ⌈log₂ N⌉
package labelling
