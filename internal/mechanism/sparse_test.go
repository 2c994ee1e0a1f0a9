package mechanism

import (
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/mechanism/mechanismtest"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// leastCosts records the least cost of each tree from which a card is sampled, and the bound on all
// costs.
type leastCosts struct {
	model.Class
	t     *testing.T
	noted *[]int64
}

func (c leastCosts) Tree(p class.Problem[table.Record]) (class.Tree[any], error) {
	tree, err := c.Class.Tree(p)
	if err != nil {
		return nil, err
	}
	least, err := search.Minimize(c.t.Context(), tree, search.Options{})
	*c.noted = append(*c.noted, least.Cost, tree.Ceiling())
	return tree, err
}

type notedStages struct {
	learn.Stages[table.Record, any]
	t     *testing.T
	noted *[]int64
}

func (s notedStages) Stage(lambda *big.Rat, drawn []any) (model.Class, error) {
	c, err := s.Stages.Stage(lambda, drawn)
	return leastCosts{c, s.t, s.noted}, err
}

type notedCounts struct {
	learn.CountedStages[table.Record, any]
	notes notedStages
}

func (s notedCounts) Given(lambda *big.Rat, costs [][]int64) (model.Class, error) {
	if len(costs) != len(s.Tables()) {
		s.notes.t.Errorf("costs of %d lists for %d", len(costs), len(s.Tables()))
	}
	c, err := s.CountedStages.Given(lambda, costs)
	return leastCosts{c, s.notes.t, s.notes.noted}, err
}

// With the same random bits, a card that is sampled from counts equals the card that is sampled from
// records, and the costs are equal. This holds for every table, relation and loss.
func TestSparseOfCounts(t *testing.T) {
	schema := mechanismtest.Schema(t)
	r := rand.New(rand.NewPCG(1, 6))
	for _, c := range []struct {
		relation privacy.Relation
		loss     learn.Loss
		rows     int
		positive int // of 20 rows
	}{
		{privacy.ReplaceOne, learn.ZeroOne, 300, 10},
		{privacy.AddRemove, learn.Loss{FalsePositive: 3, FalseNegative: 2}, 300, 10},
		{privacy.AddRemove.OfPersons(3), learn.ZeroOne, 50, 10},
		{privacy.ReplaceOne, learn.ZeroOne, 0, 10},
		{privacy.ReplaceOne, learn.ZeroOne, 40, 1},
		{privacy.ReplaceOne, learn.ZeroOne, 40, 19},
		{privacy.AddRemove, learn.Loss{FalsePositive: 1, FalseNegative: 7}, 60, 20},
		{privacy.AddRemove.OfPersons(2), learn.Loss{FalsePositive: 5, FalseNegative: 1}, 60, 0},
	} {
		form := model.Sparse{Attributes: 2, Draws: 1, Points: 1, Threshold: 1}
		space, err := form.Over(schema)
		if err != nil {
			t.Fatal(err)
		}
		var ofRecords, ofCounts []int64
		stages := space.Sampling().Staged
		m, err := learn.NewStaged[table.Record, any](notedStages{stages, t, &ofRecords}, privacytest.Decimal(t, "2"), c.relation, c.loss)
		if err != nil {
			t.Fatal(err)
		}
		counted := learn.NewStagedOfCounts(m, notedCounts{stages.Counted(), notedStages{nil, t, &ofCounts}})
		b := table.NewBuilder(schema.Sizes())
		for range c.rows {
			var record table.Record
			for _, size := range schema.Sizes() {
				record = append(record, uint16(r.IntN(size)))
			}
			if err := b.Add(record, r.IntN(20) < c.positive, learn.Units(c.relation)); err != nil {
				t.Fatal(err)
			}
		}
		d := b.Table()
		data := &tabletest.Asked{Counts: tabletest.Scan{Table: d}}
		for seed := range uint64(20) {
			want, err := m.Release(t.Context(), learn.Examples(d), noise.Insecure(seed))
			if err != nil {
				t.Fatal(err)
			}
			got, err := counted.Release(t.Context(), data, noise.Insecure(seed))
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%v: %v is drawn of counts, %v; of records %v", c, got, err, want)
			}
		}
		if !slices.Equal(ofRecords, ofCounts) {
			t.Errorf("%v: costs are %d at least by counts, by records %d", c, ofCounts, ofRecords)
		}
		// The counts of labels alone, which are asked first, are part of every other list.
		if said := counted.Queries(len(schema.Attributes)).Columns; !reflect.DeepEqual(said, data.Columns[1:]) || len(said) == 0 {
			t.Errorf("it queries for %v, and says %v", data.Columns, said)
		}
	}
	several, err := model.Sparse{Attributes: 1, Draws: 2, Points: 1, Threshold: 1}.Over(schema)
	if err != nil || several.Sampling().Staged.Counted() != nil {
		t.Errorf("several draws are made of counts, %v", err)
	}
}
