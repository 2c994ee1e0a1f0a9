// Package rule is the language in which released models and queries say what they mean: plain data
// over the category codes of records. A Condition is a test of one attribute; formulas combine
// conditions (All, Any, Odd, AtLeast, Not); a Body predicts one outcome for each record and is a
// Decision by a formula, a sum of Points, an ordered List or a Tree.
//
// Whatever is done with a released model reads its Body: this package evaluates records and
// columns, and writes JSON; package report writes text and pages; package export writes SQL;
// package risk counts grades.
package rule
