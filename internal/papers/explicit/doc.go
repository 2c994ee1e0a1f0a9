// Package explicit is a finite class that is written out: hypotheses by name,
// each given by a predicate on records of any type, or by its labels on a
// finite public domain.
//
// A hypothesis may have a penalty. The exponential mechanism over such a class
// is Algorithm 1 of Wang, Lei and Fienberg (2016), penalised empirical risk
// minimisation, with the penalty in units of records.
//
// Letters:
//
//	N     the number of hypotheses
//	q     a hypothesis, by its number 0..N-1
//	m     the size of the separator: ⌈log₂ N⌉, or the length of the code
//	h     the least Hamming distance of two codewords
package explicit
