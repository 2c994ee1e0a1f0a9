// Package declist is the class of decision lists
//
//	if a_1 then y_1 else if a_2 then y_2 ... else default
//
// over records of category codes (Rivest 1987; Neel, Roth and Wu 2018, Appendix
// A.2.3). An antecedent a is a literal, that is a set of accepted categories of
// one attribute, or a conjunction of two literals of different attributes.
//
// Every list is written in one way only: its default is the opposite of its
// last label, no antecedent is there twice, and along rules of one label, which
// commute, antecedents ascend. An empty list has either default. Some lists
// still agree as functions.
//
// Letters, after docs/explanation/proofs/declist.md:
//
//	A     the number of antecedents
//	K     the greatest number of rules
//	a, y  the antecedent and the label of a rule
//	d     the number of rules of a prefix
//	U     the records that no rule of a prefix captures
//	z     the default
package declist
