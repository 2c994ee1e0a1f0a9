package compare

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// personsOf returns random persons with 1 to Person.Most rows each: a table of persons, a table of
// rows with one sampled row of each person, and the rows of each person.
func personsOf(t *testing.T, r *rand.Rand, s *table.Schema, persons int) (real, each *table.Table, distinct [][]table.Record) {
	t.Helper()
	b, one := s.Builder(), s.ByRow().Builder()
	for range persons {
		n := 1 + r.IntN(s.Person.Most)
		var rows []table.Record
		for range n {
			record := make(table.Record, len(s.Attributes))
			for j, size := range s.Sizes() {
				record[j] = uint16(min(r.IntN(size), r.IntN(size)*n)) // who has more rows has others
			}
			rows = append(rows, record)
			if err := b.Add(record, false, s.Weight()/int64(n)); err != nil {
				t.Fatal(err)
			}
		}
		if err := one.Add(rows[r.IntN(n)], false, 1); err != nil {
			t.Fatal(err)
		}
		distinct = append(distinct, rows)
	}
	return b.Table(), one.Table(), distinct
}

// All persons of the real table have equal weight, whatever their numbers of rows: a share is the
// mean, over persons, of the share of a person's rows. If all rows of each person are equal, a
// synthetic table with one row per person has no difference.
func TestPersonsWeighAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for i := range 30 {
		s := schemaOf(t, 2, 3, 4)
		s.Person = &table.Person{Column: "id", Most: 1 + r.IntN(6)}
		real, each, persons := personsOf(t, r, s, 1+r.IntN(30))
		p := pairOf(t, s, real, each)
		if rows, others := p.Rows(); int(rows) != len(persons) || others != rows || !p.Persons() {
			t.Fatalf("%d persons and %d rows, of %d", rows, others, len(persons))
		}
		w, err := p.WorstConjunction(context.Background(), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		share := new(big.Rat)
		for _, rows := range persons {
			for _, row := range rows {
				if w.Query.Outcome(row) == 1 {
					share.Add(share, big.NewRat(1, int64(len(rows)*len(persons))))
				}
			}
		}
		_, shares := p.Satisfied(w)
		if want, _ := share.Float64(); shares[0] < want-1e-12 || shares[0] > want+1e-12 {
			t.Errorf("%d: the worst query holds for %v of the persons, want %v", i, shares[0], want)
		}

		alike, one := s.Builder(), s.ByRow().Builder()
		for _, rows := range persons {
			for range rows {
				if err := alike.Add(rows[0], false, s.Weight()/int64(len(rows))); err != nil {
					t.Fatal(err)
				}
			}
			if err := one.Add(rows[0], false, 1); err != nil {
				t.Fatal(err)
			}
		}
		p = pairOf(t, s, alike.Table(), one.Table())
		if w, err := p.WorstConjunction(context.Background(), Limits{}); err != nil || w.Error != 0 {
			t.Errorf("%d: persons whose rows are alike differ from one row each by %v, %v", i, w.Error, err)
		}
		l, err := p.Learn(0)
		if err != nil || l.Real.AUC-l.Synthetic.AUC > 1e-6 || l.Synthetic.AUC-l.Real.AUC > 1e-6 {
			t.Errorf("%d: a regression on persons has %+v, on one row each %+v, %v", i, l.Real, l.Synthetic, err)
		}
	}
}

// The numbers of persons inside and outside the domain add up to the number of persons, even if a person is half outside.
func TestPersonsAddUp(t *testing.T) {
	s := schemaOf(t, 2, 3)
	s.Person = &table.Person{Column: "id", Most: 2}
	real, one := s.Builder(), s.ByRow().Builder()
	record, half := table.Record{0, 0}, s.Weight()/2
	if err := errors.Join(real.Add(record, false, half), real.AddNull(half), one.Add(record, false, 1)); err != nil {
		t.Fatal(err)
	}
	p := pairOf(t, s, real.Table(), one.Table())
	inside, _ := p.Rows()
	if outside, _ := p.Nulls(); inside+outside != 1 {
		t.Errorf("%d persons inside and %d outside, of 1", inside, outside)
	}
}
