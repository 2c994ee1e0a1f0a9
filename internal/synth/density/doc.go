// Package density estimates how the numbers of a numeric column are distributed within its intervals. Its input is
// the number of rows in each interval. These numbers of rows are released values, so the package needs no privacy
// argument and computes in floating point.
//
// Its results are identical bit for bit on every machine, for two reasons. Each product is rounded by an explicit
// conversion before it is added, so no machine fuses the two operations. And the only function of package math with a
// numerical result is Sqrt, which is correctly rounded.
package density
