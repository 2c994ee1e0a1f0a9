package compare

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
)

// adult returns the schema and the table of UCI Adult.
func adult(t testing.TB) (*table.Schema, *table.Table) {
	t.Helper()
	name := shareddata.Path(t, "adult-discrete", "full.toml")
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s, err := table.ParseSchema(name, file)
	if err != nil {
		t.Fatal(err)
	}
	real, err := source.Read(context.Background(), shareddata.Path(t, "adult-discrete", "adult.csv"), s, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s, real
}

// resampled returns a table of the same size whose rows are sampled with replacement: whole rows, or
// each column independently.
func resampled(t testing.TB, s *table.Schema, real *table.Table, seed uint64, whole bool) *table.Table {
	t.Helper()
	var rows []table.Record
	for i := range real.Len() {
		for range real.Count(i) {
			rows = append(rows, real.Record(i, nil))
		}
	}
	r, b := rand.New(rand.NewPCG(seed, 0)), s.Builder()
	record := make(table.Record, len(s.Attributes))
	for range rows {
		drawn := rows[r.IntN(len(rows))]
		for j := range record {
			if !whole {
				drawn = rows[r.IntN(len(rows))]
			}
			record[j] = drawn[j]
		}
		if err := b.Add(record, false, 1); err != nil {
			t.Fatal(err)
		}
	}
	return b.Table()
}

// On Adult with up to a hundred values per column, resampled rows and independent columns have the
// errors that other authors have measured.
func TestAdult(t *testing.T) {
	s, real := adult(t)
	for _, one := range []struct {
		whole                bool
		worst, pairs, triple float64
		tolerance            float64
	}{
		{true, .0046, .029, .070, .5}, {false, .279, .155, .350, .05},
	} {
		if one.whole && !heavy.On() {
			continue // independent columns test the same code
		}
		p := pairOf(t, s, real, resampled(t, s, real, 1, one.whole))
		w, err := p.WorstConjunction(t.Context(), Limits{})
		if err != nil || !w.Certified || math.Abs(w.Error/one.worst-1) > one.tolerance {
			t.Errorf("%+v, %v; others measured %v", w, err, one.worst)
		}
		for order, want := range map[int]float64{2: one.pairs, 3: one.triple} {
			e, err := p.Errors(t.Context(), order, Sample{Most: 200})
			if err != nil || math.Abs(e.MeanL1/want-1) > .1 {
				t.Errorf("%d columns: %v, %v; others measured %v", order, e.MeanL1, err, want)
			}
		}
	}
}

func BenchmarkAdult(b *testing.B) {
	s, real := adult(b)
	for name, whole := range map[string]bool{"rows": true, "columns": false} {
		drawn := resampled(b, s, real, 1, whole)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p := pairOf(b, s, real, drawn)
				if w, err := p.WorstConjunction(b.Context(), Limits{}); err != nil || !w.Certified {
					b.Fatal(w, err)
				}
				for order := 1; order <= 3; order++ {
					if _, err := p.Errors(b.Context(), order, Sample{Most: 200}); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
