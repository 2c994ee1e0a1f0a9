package sibyl

import (
	"cmp"
	"context"
	"errors"

	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/schema"
	"github.com/sibyl-dp/sibyl/privacy"
)

// SchemaFacts states facts about the columns of a table that are known from public sources. Its fields refer to
// columns by their names.
type SchemaFacts struct {
	Name   string // the title of the schema
	Public string // who asserts that these facts are public, for the record in the schema

	Label    string   // the column to predict, or ""
	Outcomes []string // the classes of the label: the positive and the negative value, or three or more values; nil leaves them open

	Number, Category []string // the columns that hold numbers and categories
	Date             []string // the columns that hold dates, each with or without its format "iso", "d.m.y", "m/d/y" or "epoch": admitted, born=d.m.y
	Range            []string // ranges of columns of numbers: age=0..120 for integers, weight=0.0..400.0 for one digit after the point
	Others           string   // the kind of all columns whose kind is not known otherwise: "number", "category" or "date"; "" leaves it open

	Person   string // the column that identifies persons, or ""
	MostRows int    // the maximum number of rows used per person, 1 to 10; 0 leaves it open

	Drop []string // columns that the schema leaves out
}

// A SchemaDraft is a schema in which values, groups or cuts of some columns may be missing; these
// columns are open. Once somebody has added the missing keys to the text, ParseSchema reads it.
type SchemaDraft struct {
	TOML []byte // the schema with comments (docs/reference/formats.md)
	Open []OpenColumn
}

// An OpenColumn is a column of a draft for which keys are missing that a complete schema needs.
type OpenColumn struct {
	Column string
	Kind   string // "?", "number", "category", "date" or "text"; or "person" for the column that identifies persons
	Needs  string // the missing keys
}

// DraftSchema drafts a schema from the names of a table's columns, in their order, and from facts about them. It
// reads no data. It leaves out columns with an empty name. An error about a column states the position of this column
// in the list.
func DraftSchema(columns []string, facts SchemaFacts) (*SchemaDraft, error) {
	d, err := schema.New(columns, nil, schema.Known(facts))
	if err != nil {
		return nil, parameterError("columns", err)
	}
	return draftOf(d)
}

// SchemaMetadata names a source of published metadata about a table, from which a schema can be drafted.
type SchemaMetadata struct {
	Location string // a file (Table Schema, datapackage.json, REDCap data dictionary) or the URL of a database
	Table    string // the table, if the metadata describes several

	// Lookups name tables of the database whose rows are the public categories of a column. Each has the form
	// COLUMN=TABLE:CODE or COLUMN=TABLE:CODE:LABEL, where CODE and LABEL are the columns of TABLE that hold codes and
	// labels.
	Lookups []string
}

// ImportSchema drafts a schema from published metadata of a table and from facts. Where the two
// differ, the facts take precedence. ImportSchema reads no rows and no statistics of the table.
// Columns that neither the metadata nor the facts describe completely stay open.
func ImportSchema(ctx context.Context, from SchemaMetadata, facts SchemaFacts) (*SchemaDraft, error) {
	d, err := schema.Import(from).Draft(ctx, schema.Known(facts))
	if err != nil {
		return nil, parameterError("from", err)
	}
	return draftOf(d)
}

// A ProfiledSchema is a schema whose open columns were completed by ProfileSchema.
type ProfiledSchema struct {
	TOML   []byte // the schema, with a [[profile]] that states the guarantee; ParseSchema reads it
	Schema *Schema
	// Guarantee is the guarantee of the release, or nil if it has none, as with Settings.InsecureSeed. It must be
	// added to the guarantees of all releases that use this schema on data of the same people.
	Guarantee *privacy.Statement
}

// ProfileSchema completes the open columns of a schema from private data. The budget is divided evenly among these
// columns.
//
//   - For an attribute with kind = "number" and no cuts, it chooses cuts. They lie within the range that the
//     attribute's keys draw, least and most determine. Their number follows from Settings.Rows and ε. It is at most
//     31, or at most 63 if one value has most of the rows.
//   - For an attribute with kind = "category" and no values, it chooses the most frequent values whose noisy counts
//     reach a threshold, at most 30. All other values belong to the attribute's other category. Such attributes
//     require Settings.Delta above 0.
//
// A schema with open columns of other kinds is refused. The guarantee is ε-DP, or (ε, δ)-DP if Settings.Delta is
// above 0. The data must not be Coded. Errors are as for Learn.
func ProfileSchema(ctx context.Context, d Data, open []byte, set Settings) (*ProfiledSchema, error) {
	if err := cmp.Or(set.refuseLearning("a profile"), set.refuseTotal("a profile")); err != nil {
		return nil, parameterError("schema", err)
	}
	if _, is := d.data.(coded); is {
		return nil, parameterError("data", errors.New("a profile needs the numbers and texts of the columns, but coded records contain only codes; use another source"))
	}
	r := release.Profile{Name: "the schema", Text: open, Relation: set.Relation, Rows: set.Rows, Seed: set.InsecureSeed}
	var err error
	if r.Epsilon, r.Delta, err = set.budget(); err != nil {
		return nil, parameterError("schema", err)
	}
	p, err := r.Prepare()
	if err != nil {
		return nil, parameterError("schema", err)
	}
	out, err := p.Release(ctx, d.data, set.terms())
	if err != nil {
		return nil, releaseError(err)
	}
	return &ProfiledSchema{out.Text, &Schema{out.Schema}, p.Guarantee}, nil
}

func draftOf(d *schema.Draft) (*SchemaDraft, error) {
	text, err := d.TOML()
	if err != nil {
		return nil, parameterError("facts", err)
	}
	draft := &SchemaDraft{TOML: text}
	for _, o := range d.Open() {
		draft.Open = append(draft.Open, OpenColumn(o))
	}
	return draft, nil
}
