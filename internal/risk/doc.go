// Package risk evaluates models from one noisy histogram of grades and outcomes. It estimates, each with a
// confidence interval:
//
//   - the risks, which are the shares of the outcomes at each grade
//   - the confusion matrix and error rates
//   - the receiver operating characteristic and its area
//   - the errors at every threshold
//
// A grade is a function of a record, and of a model that was released or fixed before. It is the total of a
// scorecard, the number of the first rule of a list that applies, the leaf of a tree, or just the prediction. A
// [Scale] lists the grades of a model. It depends only on data-independent parameters and on the released model.
//
// The histogram has one cell for each pair of a grade and an outcome, and one for rows outside the schema's domain.
// Each row belongs to exactly one cell. Scale.Count counts the rows in the cells, learn.Histogram adds the noise,
// and [Counts] holds the result. All estimates and intervals are computed from the Counts, so they consume no
// additional privacy budget (docs/explanation/proofs/risk.md).
//
// Estimates and intervals are computed in floating point, after the release. The bounds of intervals are rounded
// outward.
//
// Letters, as in docs/explanation/proofs/risk.md:
//
//	G     the number of grades
//	X, Y  noisy numbers of rows with and without a property, at some grades
//	b     the scale of the noise of a cell
//	Λ     the logarithm of the moment generating function of the noise of a cell
//	A     the area under the receiver operating characteristic
package risk
