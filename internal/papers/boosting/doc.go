// Package boosting turns a learner with a small expected error into one with a small error with
// high probability (Wang, Lei and Fienberg 2016): it trains on several parts of a table and
// privately selects one of the trained hypotheses.
package boosting
