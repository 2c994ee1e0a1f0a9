// Package report lays out for people what is released: a scorecard as one fills it
// in by hand, a rule as sentences, a guarantee in plain words. It is given what is
// released and public parameters and knows nothing else, so nothing that it writes
// tells more.
package report
