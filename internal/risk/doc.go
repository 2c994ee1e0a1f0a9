// Package risk tells risks and not only yes or no: from one noisy histogram of
// grades and outcomes, the share of positive labels at each grade, the receiver
// operating characteristic, its area, the errors at every threshold, each with an
// interval.
//
// A grade is what a model that is already released or fixed says of a record: the
// total of a scorecard, the number of the rule of a list that applies, or the
// prediction alone. A [Scale] holds the grades, from public numbers only. A row is
// in one cell: its grade and its label, or outside the schema's domain. Count counts
// the cells and learn.Histogram adds the noise; everything else is computed from
// [Counts], and costs nothing (docs/explanation/proofs/risk.md).
//
// What is computed after the release is a statement, not an output of a mechanism:
// it is in floating point, and its intervals are rounded outward.
//
// Letters, after docs/explanation/proofs/risk.md:
//
//	G     the number of grades
//	X, Y  noisy numbers of positive and of negative rows of some grades
//	b     the scale of the noise of a cell
//	Λ     the logarithm of the moment generating function of the noise of a cell
//	A     the area under the characteristic
package risk
