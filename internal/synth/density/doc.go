// Package density estimates how the numbers of a numeric column are distributed within its intervals. Its
// input is the number of rows in each interval. These are released values, so the package needs no privacy
// argument and computes in floating point. Its results are identical bit for bit on every machine: a
// conversion rounds each product before an addition, and the only function of package math with a numerical
// result is Sqrt, which is correctly rounded.
package density
