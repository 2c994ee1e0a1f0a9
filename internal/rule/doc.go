// Package rule represents predictions and queries as plain data over the category codes of records.
//
//   - A Condition is a test of one attribute.
//   - A Formula combines conditions: All, Any, Odd, AtLeast, Not.
//   - A Body predicts one outcome for each record. It is a Decision by a formula, a sum of Points, an ordered List
//     of rules, or a Tree.
//
// A Body is the only description of how a released model predicts. This package applies it to records and writes it
// as JSON. Package report writes it as text and pages, package export writes it as SQL, and package risk counts
// rows by its grades.
package rule
