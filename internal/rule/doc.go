// Package rule represents predictions and queries as plain data over the category codes of records. A Condition is a test of one attribute; formulas combine
// conditions (All, Any, Odd, AtLeast, Not); a Body predicts one outcome for each record and is a
// Decision by a formula, a sum of Points, an ordered List or a Tree.
//
// All uses of a released model are interpreters of its Body: this package evaluates records and writes
// JSON; package report writes text and pages; package export writes SQL;
// package risk counts grades.
package rule
