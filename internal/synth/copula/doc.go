// Package copula assumes that the ordered columns of a table are increasing functions of the components of a normal
// vector (a normal copula). Its functions assign normal scores to values, and order the records that have the same value.
//
// All inputs are released values, so the package needs no privacy argument and computes in floating point. Its results
// are equal, bit for bit, on all machines.
package copula
