// Package cells groups the values of columns into cells, over which pairs of columns are counted,
// and samples values within a cell. The grouping is a function of released histograms and public
// numbers only.
package cells
