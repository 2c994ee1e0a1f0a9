// Package sumscore implements sum scores of attributes that have the same categories, as in a questionnaire whose
// items have the same answers. A score gives points to each category, which are the same for all attributes of a
// group. It predicts 1 if the sum of a record's points reaches a threshold.
//
// The sum depends only on the tally of the record: for each category, the number of attributes of the group that have
// it. The costs of all scores are computed in a table (package tabulated).
//
// Letters:
//
//	d  the number of attributes of a group
//	k  the number of their categories
//	P  the maximum difference between the points of two categories
//	p  the points of the categories; the least are 0, and their greatest common divisor is 1
//	T  the least sum for which a score predicts 1
package sumscore
