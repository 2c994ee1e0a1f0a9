package synth

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// weighed returns a table of two binary columns. units holds the units of the records 00, 01, 10
// and 11 and of null records; at most most rows of a person count.
func weighed(t testing.TB, most int, units ...int64) *table.Table {
	t.Helper()
	two := []string{"0", "1"}
	s, err := table.NewSchema(table.Schema{
		Person:     &table.Person{Column: "who", Most: most},
		Attributes: []table.Attribute{{Column: "a", Values: two}, {Column: "b", Values: two}},
	})
	if err != nil {
		t.Fatal(err)
	}
	b := s.Builder()
	for i, n := range units[:4] {
		if err := b.AddOutcome(table.Record{uint16(i / 2), uint16(i % 2)}, 0, n); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.AddNull(units[4]); err != nil {
		t.Fatal(err)
	}
	return b.Table()
}

// silent has no noise and records the requested distributions.
type silent struct {
	noise.Coins
	laws []string
}

func (s *silent) Draw(of noise.Sampler) *big.Int {
	s.laws = append(s.laws, of.(noise.Gaussian).Sigma2.RatString())
	return new(big.Int)
}

// Under a relation of persons, counts are in units and the noise is larger by the weight of a
// person. Results are in persons.
func TestPersons(t *testing.T) {
	for _, most := range []int{1, 2, 3, table.MostOfPerson} {
		l := table.Weight(most)
		r := privacy.AddRemove.OfPersons(most)
		p := mustPlan(t, Domain{Columns: []Column{{Size: 2}, {Size: 2}}}, Budget{Relation: r, Rho: decimal(t, "0.5")})
		rows := mustPlan(t, p.Domain, Budget{Relation: privacy.AddRemove, Rho: decimal(t, "0.5")})
		if p.Rho().Cmp(rows.Rho()) != 0 || p.Column.Sigma2.Cmp(rows.Column.Sigma2) != 0 || p.Deviation(0) != rows.Deviation(0) || p.Work(6).Bytes < rows.Work(int64(6*most)).Bytes {
			t.Errorf("a plan for persons of %d rows is another than for rows", most)
		}
		coins := &silent{Coins: noise.Insecure(1)}
		made, err := NewMechanism(p, small).Release(context.Background(), weighed(t, most, 500*l, 200*l+1, 100*l-1, 300*l, 5*l), coins)
		if err != nil {
			t.Fatal(err)
		}
		m := made.Measured
		part := 1 / float64(l)
		if got, want := m.Values(0), []float64{700 + part, 400 - part}; !near(got, want) {
			t.Errorf("counts of the first column are %v, not %v", got, want)
		}
		if got, want := m.Pairs[0].marginal(r).Counts[0], (500-200-100+300)/4.; math.Abs(got-want) > 1e-9 {
			t.Errorf("the first contrast is %v, not %v", got, want)
		}
		if total := m.Total(); math.Abs(total-1100) > 1e-6 {
			t.Errorf("%v persons in all, not 1100", total)
		}
		square := new(big.Rat).SetInt64(l * l)
		column, pair := new(big.Rat).Mul(square, p.Column.Sigma2), new(big.Rat).Mul(square, p.Pair[0].Sigma2)
		pair.Mul(pair, big.NewRat(4, 1))                       // for γ of two values each
		contrast := new(big.Rat).Mul(column, big.NewRat(4, 1)) // times the square of two values
		want := append(slices.Repeat([]string{contrast.RatString()}, 4), column.RatString())
		want = append(want, slices.Repeat([]string{pair.RatString()}, 4)...)
		if !slices.Equal(coins.laws, want) {
			t.Errorf("noise of σ² = %v, not %v", coins.laws, want)
		}
		g, err := m.Guarantee()
		if err != nil || g.Relation() != r || m.Rho().Cmp(p.Rho()) != 0 {
			t.Errorf("the guarantee is %v, %v", g, err)
		}
	}
}

func near(got, want []float64) bool {
	return slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
}

// A sample has the rate for persons: a person with all units in one record changes the loss by
// exactly ε, and one with two rows by at most that.
func TestPersonsDraw(t *testing.T) {
	epsilon := decimal(t, "0.5")
	const most = 2
	for _, v := range []struct {
		r    privacy.Relation
		a, b []int64
		span float64 // the change of the loss, in units of ε
	}{
		{privacy.AddRemove, []int64{4, 2, 2, 4, 0}, []int64{4, 2, 2, 6, 0}, 1}, // two of the conjunctions hold for the person
		{privacy.AddRemove, []int64{4, 2, 2, 4, 0}, []int64{4, 3, 2, 5, 0}, 0.5},
		{privacy.AddRemove, []int64{4, 2, 2, 4, 0}, []int64{4, 2, 2, 4, 2}, 0},
		{privacy.ReplaceOne, []int64{4, 2, 2, 4, 0}, []int64{4, 4, 2, 2, 0}, 1},
	} {
		var laws []audit.Law[int]
		for _, units := range [][]int64{v.a, v.b} {
			law, err := audit.Enumerate(func(c noise.Coins) int {
				s := &session{weighed(t, most, units...), Domain{}, v.r.OfPersons(most), privacy.ZCDP{}, big.NewRat(1, 1), c}
				i, err := s.draw(context.Background(), listed, apart, false, epsilon)
				if err != nil {
					t.Fatal(err)
				}
				return i
			}, audit.Options{Recheck: heavy.Pick(30, 2000)})
			if err != nil {
				t.Fatal(err)
			}
			laws = append(laws, law)
		}
		least, greatest := math.Inf(1), math.Inf(-1)
		for i := range listed {
			p, _ := laws[0].Bounds(i)
			q, _ := laws[1].Bounds(i)
			least, greatest = min(least, math.Log(p/q)), max(greatest, math.Log(p/q))
		}
		if got := greatest - least; math.Abs(got-v.span*0.5) > 1e-6 {
			t.Errorf("%v: from %v to %v the loss has a range of %g, not %g", v.r, v.a, v.b, got, v.span*0.5)
		}
	}
}

// A person with two rows changes contrasts most if both rows are in one cell. This change is that of a
// row times the weight of a person. Rows in two cells, or null rows, change contrasts by at most as much.
func TestPersonsMoveContrasts(t *testing.T) {
	for _, sizes := range [][]int{{2}, {3}, {2, 2}, {2, 3}, {3, 3}} {
		cells := 1
		for _, size := range sizes {
			cells *= size
		}
		var all [][]int64 // the contrasts of one person's rows, in units
		for first := range cells + 1 {
			for second := range first + 1 {
				units := make([]int64, cells+1)
				units[first]++
				units[second]++
				all = append(all, contrasts(units[:cells], sizes...))
			}
		}
		for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
			greatest := int64(0)
			for _, a := range all {
				for _, b := range all {
					moved := int64(0)
					for k := range a {
						d := a[k]
						if r.Replaces() {
							d -= b[k]
						}
						moved += d * d
					}
					greatest = max(greatest, moved)
				}
			}
			if want := new(big.Rat).Mul(big.NewRat(4, 1), contrastMoved(r, sizes...)); want.Cmp(big.NewRat(greatest, 1)) != 0 {
				t.Errorf("%v: contrasts of %v cells move by %d, not %v", r, sizes, greatest, want)
			}
		}
	}
}

// A plan for persons refuses tables of rows, and of persons with another maximum number of rows.
func TestPersonsRefuse(t *testing.T) {
	p := mustPlan(t, Domain{Columns: []Column{{Size: 2}, {Size: 2}}}, Budget{Relation: privacy.ReplaceOne.OfPersons(3), Rho: decimal(t, "1")})
	for name, d := range map[string]*table.Table{
		"rows":   table.NewBuilder([]int{2, 2}).Table(),
		"others": weighed(t, 2, 2, 0, 0, 0, 0),
	} {
		if _, err := NewMechanism(p, small).Release(context.Background(), d, nil); fmt.Sprint(err) != ErrDomain.Error() {
			t.Errorf("%s: %v", name, err)
		}
	}
}
