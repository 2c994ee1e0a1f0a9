// Package sibyl learns from private tables what people can read, a scorecard, a decision
// list or a formula, and releases it with differential privacy.
//
// It is for people who hold a table with one row per person and want to publish a decision
// rule, and must be able to say what that gives away. A few lines do it:
//
//	schema, err := sibyl.ReadSchema("people.toml")
//	...
//	m, err := sibyl.Learn(ctx, sibyl.File("people.csv"), schema, sibyl.Scorecard(), sibyl.Epsilon("1"))
//	...
//	err = m.Save("model.json")
//
// The schema is the public domain of the table: which columns count, and how their values
// are grouped. It, the class, ε and all options are public, and none of them may be made by
// looking at the private table. Plan tells, before any data is touched, how much worse than
// the best of the class what is released may be.
//
// What is released is a random draw: from one table to a neighbouring one, which differs in
// one row, the probability of any result changes by a factor of at most e^ε. That is the
// whole promise; docs/guarantees.md says what it covers and what it does not. One row must
// be one person.
//
// Synthesize makes synthetic data instead: rows like those of the table, from which more are
// drawn and questions answered at no further cost (docs/synthetic.md).
//
// Everything here takes the same road as the command, sibyl, and what one writes the other
// reads. Options have the names of the command's flags, and errors call them so: --points.
// To read Parquet a program also imports
// _ "github.com/sibyl-dp/sibyl/parquet", and a database/sql driver to read a
// database. The packages below this one are the parts: package release describes the road,
// package learn the mechanisms, package class how to add what can be learned.
package sibyl
