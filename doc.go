// Package sibyl learns interpretable classifiers (scorecards, decision trees, decision lists and formulas) from
// private tables, and releases them with differential privacy. It also releases synthetic data.
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
// The arguments of Learn, after the context:
//
//   - Data is the private table: a slice of structs, rows, a file, or a database query.
//   - Schema is the public domain of the table: its columns, and the categories of their values.
//   - Class is the hypothesis class, a struct such as Tree{Depth: 4}. Chosen selects a class from public facts.
//   - Settings are the privacy budget and all other public parameters. Only Epsilon is required.
//
// Schema, class and settings are public. They must not be derived from the private table.
//
// Evaluate, Synthesize and PlanFor take similar arguments. PlanFor reads no data. It returns upper bounds on the
// error of a release: the cost of the released hypothesis, minus the least cost in its class. LearnOwn learns a class
// that the calling program implements.
//
// The result is random. Let two tables be neighbours; under ReplaceOne, for example, they differ in one row. Then the
// probabilities of any set of results differ by a factor of at most e^ε, plus at most δ if a δ is given. The page
// docs/reference/guarantees.md says what this guarantee covers and what it does not cover. Each row must belong to a
// different person, unless the schema names the column that identifies the person.
//
// All public inputs are checked before data is read and before the privacy budget ledger (Settings.Account) is
// charged. An invalid input is a ParameterError, which names the field, or a DataError. A release that exceeds the
// remaining budget fails with ErrBudgetExhausted.
//
// The command sibyl and this package read each other's files. A program that reads a database imports its driver. To
// read Parquet files, a program imports _ "github.com/sibyl-dp/sibyl/parquet".
package sibyl
