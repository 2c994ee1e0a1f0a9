// Package explicit implements finite classes given by a list of named hypotheses. A hypothesis is a
// predicate on records of any type, or a list of labels for a finite public domain.
//
// A hypothesis may have a penalty, in units of the loss of one record. The exponential mechanism over
// a class with penalties is Algorithm 1 of Wang, Lei and Fienberg (2016), penalised empirical risk
// minimization.
//
// Letters:
//
//	N     the number of hypotheses
//	q     a hypothesis, represented by its index 0..N-1
//	m     the number of bits of the separator: the length of the codewords, or ⌈log₂ N⌉ without a code
//	h     the minimum Hamming distance of two codewords
package explicit
