// Package cells decides over which cells the values of columns are counted, and fills
// the values in again. Its decisions are pure functions of released histograms and of
// public numbers.
package cells
