// Package cells groups the values of columns into cells, and samples values within a cell. Pairs of columns
// are counted over these cells instead of single values. The grouping is a function of released histograms
// and public numbers only.
//
// It has two steps. First, rare values of a column are pooled: a pooled value stands for one or more values
// of the column. Then, for each pair of columns, pooled values are merged further until the number of cells of
// the pair suits the noise.
package cells
