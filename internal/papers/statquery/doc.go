// Package statquery holds statistical queries (Kearns 1998; Vadhan 2017, section 8.2): Statistical
// answers them within a budget, and Elimination learns a conjunction from one of them (Valiant
// 1984). Noise and widths are those of counts in package learn.
package statquery
