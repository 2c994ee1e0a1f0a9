// Package report writes models for people: the scorecard as one fills it in by
// hand, and its guarantee in plain words. It knows nothing of private data, so
// nothing it writes tells more than the model does.
package report
