package release

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
	"github.com/sibyl-dp/sibyl/table/tabletest"
)

// A card that is drawn from counts is the one that is drawn from records with the same coins,
// under each relation and loss, of any table.
func TestSparseOfCounts(t *testing.T) {
	schema := parseSchema(t)
	r := rand.New(rand.NewPCG(1, 6))
	for _, c := range []struct {
		relation privacy.Relation
		loss     learn.Loss
		rows     int
	}{
		{privacy.ReplaceOne, learn.ZeroOne, 300},
		{privacy.AddRemove, learn.Loss{FalsePositive: 3, FalseNegative: 2}, 300},
		{privacy.AddRemove.OfPersons(3), learn.ZeroOne, 50},
		{privacy.ReplaceOne, learn.ZeroOne, 0},
	} {
		form := model.Sparse{Attributes: 2, Draws: 1, Points: 1, Threshold: 1}
		space, err := form.Over(schema)
		if err != nil {
			t.Fatal(err)
		}
		m, err := learn.NewStaged(space.(model.Staged), decimal(t, "2"), c.relation, c.loss)
		if err != nil {
			t.Fatal(err)
		}
		counted := learn.NewStagedOfCounts(m, space.(model.Staged).Counted())
		b := table.NewBuilder(schema.Sizes())
		for range c.rows {
			var record table.Record
			for _, size := range schema.Sizes() {
				record = append(record, uint16(r.IntN(size)))
			}
			if err := b.Add(record, int(record[0])%2 == r.IntN(3)/2, learn.Units(c.relation)); err != nil {
				t.Fatal(err)
			}
		}
		d := b.Table()
		for seed := range uint64(20) {
			want, err := m.Release(t.Context(), learn.Examples(d), noise.Insecure(seed))
			if err != nil {
				t.Fatal(err)
			}
			got, err := counted.Release(t.Context(), tabletest.Scan{Table: d}, noise.Insecure(seed))
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%v: %v is drawn of counts, %v; of records %v", c, got, err, want)
			}
		}
		for _, list := range counted.Asks(len(schema.Attributes)).Columns {
			if len(list) > 3 || list[len(list)-1] != len(schema.Attributes) {
				t.Errorf("it asks for %v", list)
			}
		}
	}
	several, err := model.Sparse{Attributes: 1, Draws: 2, Points: 1, Threshold: 1}.Over(schema)
	if err != nil || several.(model.Staged).Counted() != nil {
		t.Errorf("several draws are made of counts, %v", err)
	}
}
