// Package density estimates how the numbers of a column are distributed within its intervals, from the
// numbers of rows in the intervals. These are released values, so the package needs no privacy argument
// and computes in floating point. Its results are the same bits on every machine: it uses no functions
// of package math, and a conversion rounds each product before an addition.
package density
