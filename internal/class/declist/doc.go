// Package declist implements the class of decision lists
//
//	if a_1 then y_1 else if a_2 then y_2 ... else default
//
// over records of category codes (Rivest 1987; Neel, Roth and Wu 2018, Appendix A.2.3). An
// antecedent a is a literal or a conjunction of two literals on different attributes. A literal is
// the set of categories of one attribute that it accepts. A label y is 0 or 1. A rule captures a
// record if it is the first rule of the list whose antecedent the record satisfies. A prefix is a
// sequence of rules with which lists begin.
//
// The class contains each list in its canonical form only:
//
//   - The default of a list with rules is the opposite of the label of its last rule. An empty list
//     may have either default.
//   - No antecedent occurs twice.
//   - Antecedents ascend within each run of consecutive rules with the same label, since such rules
//     commute.
//
// Distinct canonical lists may still predict the same function.
//
// Letters, as in docs/explanation/proofs/declist.md:
//
//	A     the number of antecedents
//	K     the maximum number of rules
//	a, y  the antecedent and the label of a rule
//	d     the number of rules of a prefix
//	U     the records that no rule of a prefix captures
//	z     the default
package declist
