// Package rule represents predictions and queries as plain data over the category codes of records.
//
//   - A Condition is a test of one attribute.
//   - A Formula combines conditions: All, Any, Odd, AtLeast, Not.
//   - A Body predicts one outcome for each record. It is a Decision by a formula, a sum of Points, an ordered List
//     of rules, or a Tree.
//
// All uses of a released model interpret its Body: this package evaluates it for records and writes it as JSON;
// package report writes text and pages; package export writes SQL; package risk counts grades.
package rule
