// Package statquery holds learners that ask statistical queries only: elimination, which learns a
// conjunction from one query (Valiant 1984; Kearns 1998).
package statquery
