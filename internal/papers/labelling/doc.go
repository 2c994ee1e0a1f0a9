// Package labelling is the class of the labellings of a public reference
// sample: of all hypotheses that label the sample alike it keeps one. However
// large the class that it starts from, it has at most 2^s members on a sample
// of s records, and at most the growth function of that class.
//
// It is the finite cover that learning relative to a reference distribution
// needs (Wang, Lei and Fienberg 2016, section 4.2, after Chaudhuri and Hsu
// 2011, and Beimel, Nissim and Stemmer 2013); what it is worth is stated in
// docs/explanation/proofs/explicit.md. The sample must be public: a sample of the private
// table, or one that was chosen by looking at it, is a leak.
//
// Letters:
//
//	s     the number of records of the sample
//	N     the number of distinct labellings of the sample
//	q     a hypothesis of the class that is reduced (H in type parameters)
//	m     the size of the separator, ⌈log₂ N⌉
package labelling
