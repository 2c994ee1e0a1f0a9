// Package boosting makes a learner that is good on average good with high confidence (Wang, Lei
// and Fienberg 2016): it trains on parts of a table, and chooses among what was trained.
package boosting
