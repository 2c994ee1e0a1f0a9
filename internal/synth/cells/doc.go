// Package cells groups the values of columns into cells, and samples values within a cell. Pairs of columns
// are counted over these cells instead of single values. The grouping is a function of released histograms and
// public numbers only.
//
// It has two steps. First, the rare values of a column are pooled: one pooled value then stands for one or
// more values of the column. Second, for each pair of columns, pooled values are merged further, until the
// counts of the cells of the pair are large compared with the noise.
package cells
