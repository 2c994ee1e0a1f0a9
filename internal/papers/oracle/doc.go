// Package oracle holds the contract of optimisation oracles and the two that
// this module always has: exhaustive enumeration and search. Every oracle says
// what it is, and passes the suite of package oracletest.
package oracle
