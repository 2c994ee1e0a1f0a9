package model

import (
	"context"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/table"
)

const (
	coarseCuts   = 64 // coarsen leaves out cuts only of attributes with at least this many cuts
	coarseDigits = 2  // the maximum number of significant digits of the cuts that coarsen keeps
)

// coarsen reduces the number of tests of decision trees, which compare numbers with the cuts of the schema. If there
// are at most dectree.MostTests tests, it returns the schema s itself. Otherwise it returns a copy without the cuts
// that have more than coarseDigits significant digits, such as 1.25. An attribute keeps all its cuts if it has fewer
// than coarseCuts, or if it would lose all of them.
func coarsen(s *table.Schema) *table.Schema {
	tests := 0
	for _, a := range treeAttributes(s) {
		tests += a.Tests()
	}
	if tests <= dectree.MostTests {
		return s
	}
	coarse := *s
	coarse.Attributes = slices.Clone(s.Attributes)
	for j := range coarse.Attributes {
		a := &coarse.Attributes[j]
		if len(a.Cuts) < coarseCuts {
			continue
		}
		kept := slices.DeleteFunc(slices.Clone(a.Cuts), func(cut table.Decimal) bool {
			return cut.Digits() > coarseDigits
		})
		if len(kept) > 0 {
			a.Cuts = kept
		}
	}
	return &coarse
}

// merged returns, for each attribute and each category of the schema s, the category of the schema coarse that
// contains it. The schema coarse is s with fewer cuts. If both are the same, merged returns nil.
func merged(s, coarse *table.Schema) [][]uint16 {
	if s == coarse {
		return nil
	}
	codes := make([][]uint16, len(s.Attributes))
	for j := range s.Attributes {
		a, kept := &s.Attributes[j], coarse.Attributes[j].Cuts
		at := 0
		for code := range a.Len() {
			switch {
			case code > len(a.Cuts) || len(a.Cuts) == 0: // a category of other values
				if code > 0 {
					at++
				}
			case code > 0 && at < len(kept) && a.Cuts[code-1] == kept[at]:
				at++
			}
			codes[j] = append(codes[j], uint16(at))
		}
	}
	return codes
}

// coarseTrees is a class of decision trees that test fewer cuts than the schema has (see coarsen). Its records have
// the categories of the original schema. For each attribute, codes maps the original categories to those of the
// coarse schema, the schema with fewer cuts; it is nil if both schemas are the same.
type coarseTrees struct {
	*dectree.Class
	codes [][]uint16
}

// code maps a category of the original schema to the category of the coarse schema (the one with fewer cuts) that
// contains it.
func (c coarseTrees) code(attribute int, category uint16) uint16 {
	if c.codes == nil {
		return category
	}
	return c.codes[attribute][category]
}

// sampled returns the class of trees from which mechanisms sample. Its records have the categories of the original
// schema.
func (c coarseTrees) sampled() class.Tractable[table.Record, *dectree.Tree] {
	if c.codes == nil {
		return c.Class
	}
	return c
}

// record converts a record of the original schema to a record of the coarse schema, which has fewer cuts.
func (c coarseTrees) record(x table.Record) table.Record {
	of := make(table.Record, len(x))
	for j, category := range x {
		of[j] = c.codes[j][category]
	}
	return of
}

// Predict returns the outcome that the tree h predicts for a record of the original schema.
func (c coarseTrees) Predict(h *dectree.Tree, x table.Record) int {
	return c.Class.Predict(h, c.record(x))
}

// Mass returns the partition function of the class of trees, for the given records with the categories of the coarse
// schema.
func (c coarseTrees) Mass(ctx context.Context, records class.Records[table.Record], decay func(k int64) class.Upper) (class.Mass[*dectree.Tree], error) {
	return c.Class.Mass(ctx, coarseRecords{records, c}, decay)
}

// Least returns a tree of minimum cost and its cost, for the given records with the categories of the coarse schema.
func (c coarseTrees) Least(ctx context.Context, records class.Records[table.Record]) (*dectree.Tree, int64, error) {
	return c.Class.Least(ctx, coarseRecords{records, c})
}

// Verify checks that the tree h has the given cost and that no tree of the class has a smaller cost, for the given
// records with the categories of the coarse schema.
func (c coarseTrees) Verify(ctx context.Context, records class.Records[table.Record], h *dectree.Tree, cost int64, progress func(done, total int64)) error {
	return c.Class.Verify(ctx, coarseRecords{records, c}, h, cost, progress)
}

// coarseRecords are records whose categories are converted to those of the coarse schema, which has fewer cuts.
type coarseRecords struct {
	class.Records[table.Record]
	trees coarseTrees
}

// Record returns the record with the index i, with the categories of the coarse schema. It may overwrite the
// parameter into.
func (r coarseRecords) Record(i int, into table.Record) table.Record {
	return r.trees.record(r.Records.Record(i, into))
}
