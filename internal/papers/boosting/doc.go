// Package boosting turns a learner whose expected error is small into a learner whose error is small
// with high probability (Wang, Lei and Fienberg 2016). It trains on several parts of a table and
// privately selects one of the trained hypotheses.
package boosting
