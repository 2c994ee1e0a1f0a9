// Package oracle defines optimization oracles (Minimizer), which find a hypothesis of least cost in
// a class. It implements two oracles: one by exhaustive enumeration, and one by branch-and-bound
// search. Every oracle declares how reliable its answers are (Kind), and passes the test suite of
// package oracletest.
package oracle
