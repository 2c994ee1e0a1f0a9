// Package report formats released models and measurements for people: a scorecard for use by hand,
// a rule as sentences, a guarantee in plain words. Its inputs are released values and public
// parameters only, so its output reveals nothing more.
package report
