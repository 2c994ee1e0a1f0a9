// Package sibyl learns decision rules that people can read from private tables, and releases them
// with differential privacy: scorecards, decision trees, decision lists and formulas. It also makes
// synthetic data.
//
//	type Visit struct {
//		Age  int  `sibyl:"age,cuts=18|60"`
//		Back bool `sibyl:"back,label"`
//	}
//	schema, err := sibyl.SchemaOf[Visit]()
//	...
//	card, err := sibyl.Learn(ctx, sibyl.Slice(visits), schema, sibyl.Scorecard{}, sibyl.Settings{Epsilon: "1"})
//	...
//	back, err := card.Predict(Visit{Age: 79})
//
// Learn takes five things. Data is the private table: a slice of structs, rows, a file of a disk
// or of a file system, or a query of a database. A Schema is its public domain: which columns
// count, and how their values are grouped. A Class is what is learned, a struct such as
// Tree{Depth: 4}; Chosen leaves the choice to public facts. Settings hold the privacy budget and
// all other public terms; only Epsilon is required. Evaluate, Synthesize and PlanFor are called
// alike, and LearnOwn learns a class that a program brings.
//
// Schema, class and settings are public, and nothing in them may be made by looking at the private
// table. PlanFor bounds, before any data is read, by how much the released hypothesis may be worse
// than the best of its class.
//
// The result is random: from one table to a neighbouring one, which differs in one row, the
// probability of any result changes by a factor of at most e^ε. That is the whole guarantee;
// docs/reference/guarantees.md says what it covers and what it does not. One row must be one person, unless
// the schema says whose a row is.
//
// Everything public is checked before data is read and before an account is charged. What is wrong
// is a ParameterError, which names the field, or a DataError. A budget that is exhausted is
// ErrBudgetExhausted.
//
// The command sibyl reads what this package writes, and the other way round. To read Parquet a
// program imports _ "github.com/sibyl-dp/sibyl/parquet", and for a database its driver.
package sibyl
