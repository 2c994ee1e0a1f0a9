// Package explicit implements finite classes given by a list of named hypotheses. A hypothesis is a
// predicate on records of any type, or a list of labels for a finite public domain.
//
// A hypothesis may have a penalty. The exponential mechanism over such a class is Algorithm 1 of
// Wang, Lei and Fienberg (2016), penalised empirical risk minimisation. The unit of the penalty is
// the loss of one record.
//
// Letters:
//
//	N     the number of hypotheses
//	q     a hypothesis, represented by its number 0..N-1
//	m     the number of bits of the separator: ⌈log₂ N⌉, or the length of the code
//	h     the minimum Hamming distance of two codewords
package explicit
