package sibyl

import (
	"context"
	"errors"

	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/schema"
	"github.com/sibyl-dp/sibyl/privacy"
)

// SchemaFacts states what is known about the columns of a table from public sources. Columns are given by
// name.
type SchemaFacts struct {
	Name   string // the title of the schema
	Public string // who asserts that these facts are public, for the record in the schema

	Label    string   // the column to predict, or ""
	Outcomes []string // of the label: the positive and the negative value, three or more values, or none where they are open

	Number, Category, Date []string // the columns of these kinds
	Others                 string   // the kind of all columns of unknown kind: "number", "category" or "date"; "" leaves it open

	Person   string // the column that identifies persons, or ""
	MostRows int    // the number of rows of a person that count, 1 to 10; 0 where it is open

	Drop []string // columns that the schema leaves out
}

// A SchemaDraft is a schema that may be open: values, groups or cuts of some columns are missing. Once a
// person has added them to its text, ParseSchema reads it.
type SchemaDraft struct {
	TOML []byte // the schema with comments (docs/reference/formats.md)
	Open []OpenColumn
}

// An OpenColumn is a column of a draft that lacks keys.
type OpenColumn struct {
	Column string
	Kind   string // "?", "number", "category", "date" or "text"; or "person" for the column that identifies persons
	Needs  string // the missing keys
}

// DraftSchema drafts a schema from the names of a table's columns, in their order, and from what is known
// about them. It reads no data. A column whose name is empty is left out. An error about a name in the list
// states its place in the list.
func DraftSchema(columns []string, facts SchemaFacts) (*SchemaDraft, error) {
	d, err := schema.New(columns, nil, schema.Known(facts))
	if err != nil {
		return nil, parameterError("columns", err)
	}
	return draftOf(d)
}

// SchemaMetadata names metadata on a table that somebody has published.
type SchemaMetadata struct {
	Location string // a file (Table Schema, datapackage.json, REDCap data dictionary) or the URL of a database
	Table    string // the table, where the metadata describes several

	// Lookups name tables of the database whose rows are public categories of columns, as
	// COLUMN=TABLE:CODE or COLUMN=TABLE:CODE:LABEL with the columns that hold codes and labels.
	Lookups []string
}

// ImportSchema drafts a schema from metadata, and from facts that take precedence over it. It reads no row
// and no statistics of the table. What the metadata does not determine is open in the draft.
func ImportSchema(ctx context.Context, from SchemaMetadata, facts SchemaFacts) (*SchemaDraft, error) {
	d, err := schema.Import(from).Draft(ctx, schema.Known(facts))
	if err != nil {
		return nil, parameterError("from", err)
	}
	return draftOf(d)
}

// A ProfiledSchema is a schema whose open columns ProfileSchema completed.
type ProfiledSchema struct {
	TOML   []byte // the schema, with a [[profile]] that states the guarantee; ParseSchema reads it
	Schema *Schema
	// Guarantee is the guarantee of the release, or nil if it has none, as with Settings.InsecureSeed. It adds to those of
	// all releases with this schema from data of the same people.
	Guarantee *privacy.Statement
}

// ProfileSchema completes the open columns of a schema from private data: it chooses cuts of the attributes that have
// kind = "number" and no cuts, and values of those that have kind = "category" and no values. The guarantee is ε-DP, or
// (ε, δ)-DP if Settings.Delta is above 0, which categories require. The budget is divided evenly among the columns. Numbers
// from draw, least and most of an attribute limit its cuts. The number of cuts, at most 31 or, if one value has most of the rows, 63,
// follows from Settings.Rows and ε. The values of a category column are the at most 30 most frequent ones whose noisy counts reach a threshold;
// other values belong to the attribute's other category. Other open columns are refused. The data must not be Coded.
// Errors are as for Learn.
func ProfileSchema(ctx context.Context, d Data, open []byte, set Settings) (*ProfiledSchema, error) {
	if err := set.refuseLearning("a profile"); err != nil {
		return nil, parameterError("schema", err)
	}
	if _, is := d.data.(coded); is {
		return nil, parameterError("data", errors.New("coded records have no numbers and texts, of which a profile chooses cuts and values; use another source"))
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
