package synth

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/synth/cells"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// small are options with few particles, so that fits take little time.
var small = Fitting{Options: loglinear.Options{Seed: 1, Particles: 200}}

// made releases a table with columns of the given sizes, the outcome last.
func made(t testing.TB, r privacy.Relation, rho string, sizes []int, rows []row, f Fitting) *Synthesis {
	t.Helper()
	d := Domain{Outcome: true}
	for j, size := range sizes {
		d.Columns = append(d.Columns, Column{Size: size, Ordered: j%2 == 0 && size > 2})
	}
	p := mustPlan(t, d, Budget{Relation: r, Rho: decimal(t, rho)})
	s, err := NewMechanism(p, f).Release(context.Background(), tabulated(t, sizes, rows, 2), noise.Insecure(3))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Measuring and fitting succeed for every table: empty, constant, with few rows and many, with any
// noise, with columns of one value and of many, and with strong dependence.
func TestReleaseAlwaysEnds(t *testing.T) {
	tried := 0
	r := rand.New(rand.NewPCG(1, 2))
	for _, sizes := range [][]int{{1, 2}, {1, 1, 2}, {2, 2, 2}, {300, 2, 3}, {4, 70, 1, 2, 9, 2}} {
		constant := make(row, len(sizes))
		equal := random(r, sizes, 400)
		for _, r := range equal {
			for j := range r {
				r[j] = min(r[0], uint16(sizes[j]-1))
			}
		}
		for _, rows := range [][]row{nil, {constant}, slices.Repeat([]row{constant}, 1000), random(r, sizes, 1000), equal} {
			for _, rho := range []string{"1e-40", "0.00001", "0.01", "1", "1000"} {
				for _, relation := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
					if tried++; tried%7 != 0 && !heavy.On() {
						continue
					}
					s := made(t, relation, rho, sizes, rows, small)
					checkWork(t, s.Measured)
					for _, n := range []int{100, 1} {
						out, err := s.Rows(context.Background(), n)
						if err != nil {
							t.Fatal(err)
						}
						if len(out) != len(sizes) {
							t.Fatalf("%d columns of %d", len(out), len(sizes))
						}
						for j, of := range out {
							if n > 0 && len(of) != n || len(of) != len(out[0]) {
								t.Fatalf("%d rows of %d", len(of), n)
							}
							for _, v := range of {
								if int(v) >= sizes[j] {
									t.Fatalf("value %d of %d", v, sizes[j])
								}
							}
						}
					}
				}
			}
		}
	}
}

// checkWork fails if a release has more noisy counts than Work states.
func checkWork(t *testing.T, m *Measured) {
	t.Helper()
	p := mustPlan(t, m.Domain, Budget{Relation: m.Relation, Rho: decimal(t, "1")})
	n := int64(0)
	count := func(of ...Measurement) {
		for _, one := range of {
			n += int64(len(one.Counts))
		}
	}
	count(m.Columns...)
	count(m.Pairs...)
	if m.Number != nil {
		count(*m.Number)
	}
	for _, r := range m.Rounds {
		count(r.Measurement)
	}
	if most := p.Work(1000).Counts; n > most {
		t.Errorf("%d counts, and at most %d were told", n, most)
	}
}

// With very little noise, the rows have the counts of the table, including those of the outcome.
func TestReleaseIsAccurate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	sizes := []int{3, 2, 4, 2}
	var rows []row
	for _, r := range random(r, sizes, 4000) {
		r[3] = (r[0] + r[1]) % 2
		rows = append(rows, r)
	}
	s := made(t, privacy.AddRemove, "100", sizes, rows, Fitting{Options: loglinear.Options{Seed: 1, Particles: 4000}})
	out, err := s.Rows(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(out[0]); n < 3950 || n > 4050 {
		t.Errorf("%d rows of 4000", n)
	}
	share := func(x uint16, at func(i, j int) uint16, n int) (both float64) {
		for i := range n {
			if at(i, 0) == x && at(i, 1) == 1 {
				both++
			}
		}
		return both / float64(n)
	}
	for x := range uint16(3) {
		want := share(x, func(i, j int) uint16 { return rows[i][j] }, len(rows))
		got := share(x, func(i, j int) uint16 { return out[j][i] }, len(out[0]))
		if got < want-0.02 || got > want+0.02 {
			t.Errorf("a share of %g, not %g", got, want)
		}
	}
	if len(s.Measured.Rounds) != 6 {
		t.Errorf("%d rounds", len(s.Measured.Rounds))
	}
	for i, r := range s.Measured.Rounds {
		if r.Fewer != (i%2 == 1) {
			t.Errorf("round %d has the sign %v", i, r.Fewer)
		}
	}
}

// No row has a forbidden combination of values, even if these values are pooled.
func TestRules(t *testing.T) {
	sizes := []int{3, 40, 2}
	rule := cells.Rule{Columns: []int{1, 2}, Forbidden: make([]bool, 80)}
	for v := range 40 {
		rule.Forbidden[2*v+v%2] = true
	}
	f := small
	f.Rules, f.Witness = []cells.Rule{rule}, []uint16{0, 0, 1}
	s := made(t, privacy.AddRemove, "0.1", sizes, random(rand.New(rand.NewPCG(1, 5)), sizes, 1000), f)
	out, err := s.Rows(context.Background(), 2000)
	if err != nil {
		t.Fatal(err)
	}
	for i := range out[0] {
		if out[1][i]%2 == out[2][i] {
			t.Fatalf("a row has %d and %d", out[1][i], out[2][i])
		}
	}
}

// The same measurements give the same model and rows.
func TestSynthesisFollowsFromMeasured(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	sizes := []int{3, 2, 4, 2}
	s := made(t, privacy.ReplaceOne, "1", sizes, random(r, sizes, 500), small)
	want, err := s.Rows(context.Background(), 300)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s.Measured)
	if err != nil {
		t.Fatal(err)
	}
	var read Measured
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if len(read.Rounds) == 0 {
		t.Fatal("no rounds")
	}
	got, err := NewSynthesis(&read, small).Rows(context.Background(), 300)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("other rows, %v", err)
	}
}

// A table that does not match the plan is refused before any randomness is used.
func TestReleaseRefuses(t *testing.T) {
	p := mustPlan(t, uniform(2, 3), Budget{Relation: privacy.AddRemove, Rho: decimal(t, "1")})
	persons := table.Schema{Person: &table.Person{Column: "who", Most: 3}, Attributes: []table.Attribute{
		{Column: "a", Values: []string{"x", "y", "z"}}, {Column: "b", Values: []string{"x", "y", "z"}},
	}}
	s, err := table.NewSchema(persons)
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]*table.Table{
		"sizes":   table.NewBuilder([]int{3, 2}).Table(),
		"columns": table.NewBuilder([]int{3, 3, 3}).Table(),
		"persons": s.Builder().Table(),
	} {
		if _, err := NewMechanism(p, small).Release(context.Background(), d, nil); !errors.Is(err, ErrDomain) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for says, rule := range map[string]cells.Rule{
		"rule 1: column 3 must be within 1..2":                          {Columns: []int{2}, Forbidden: make([]bool, 3)},
		"rule 1: column 1 must be within 1..2 and must not occur twice": {Columns: []int{0, 0}, Forbidden: make([]bool, 9)},
		"and 9 entries (one for each combination":                       {Columns: []int{0, 1}, Forbidden: make([]bool, 8)},
		"it has 0 columns and 1 entries":                                {Forbidden: make([]bool, 1)},
		"the example record (Witness) violates rule 1":                  {Columns: []int{1}, Forbidden: []bool{false, true, false}},
	} {
		f := Fitting{Rules: []cells.Rule{rule}, Witness: []uint16{0, 1}}
		if _, err := NewMechanism(p, f).Release(context.Background(), table.NewBuilder([]int{3, 3}).Table(), nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want %q", err, says)
		}
	}
	for _, ordered := range [][]int{{3}, {3, 4}, {-1, 3}} {
		f := Fitting{Ordered: ordered}
		if _, err := NewMechanism(p, f).Release(context.Background(), table.NewBuilder([]int{3, 3}).Table(), nil); err == nil || !strings.Contains(err.Error(), "ordered") {
			t.Errorf("%v ordered values: %v", ordered, err)
		}
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := NewMechanism(p, small).Release(ended, table.NewBuilder([]int{3, 3}).Table(), noise.Insecure(1)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The first pooled values are ordered if they contain ordered values. None are ordered if pooling ignores the order.
func TestPooledOrders(t *testing.T) {
	pools := []*cells.Pooling{
		{Cells: []uint16{0, 0, 1, 2}, Size: 3, Ordered: true}, {Cells: []uint16{0, 0, 1, 1}, Size: 2, Ordered: true}, {Cells: []uint16{0, 1, 2, 3}, Size: 4}}
	for _, c := range []struct{ ordered, want []int }{{[]int{3, 3, 4}, []int{2, 2, 0}}, {[]int{4, 0, 0}, []int{3, 0, 0}}, {nil, nil}} {
		if got := pooledOrders(c.ordered, pools); !slices.Equal(got, c.want) {
			t.Errorf("of %v: %v, want %v", c.ordered, got, c.want)
		}
	}
}

// A rule on values forbids a combination of pooled values only if it forbids all their combinations
// of values.
func TestPooledRule(t *testing.T) {
	pools := []*cells.Pooling{{Cells: []uint16{0, 1, 1}, Size: 2}, {Cells: []uint16{1, 0}, Size: 2}, {Cells: []uint16{0, 0}, Size: 1}}
	forbidden := []bool{true, true, false, true, false, false} // of the values 0/0, 0/1, 1/0, …
	got := pooledRule(cells.Rule{Columns: []int{0, 1}, Forbidden: forbidden}, pools)
	if want := []bool{true, true, false, false}; !slices.Equal(got.Forbidden, want) || !slices.Equal(got.Columns, []int{0, 1}) {
		t.Errorf("%v, not %v", got, want)
	}
	all := pooledRule(cells.Rule{Columns: []int{1, 2}, Forbidden: []bool{true, true, true, false}}, pools)
	if want := []bool{false, true}; !slices.Equal(all.Forbidden, want) {
		t.Errorf("%v, not %v", all, want)
	}
}

// A value is free if no rule has a forbidden combination with it. Pools keep free values apart, except in the first
// format.
func TestFreeValues(t *testing.T) {
	d := Domain{Columns: []Column{{Size: 3, Ordered: true}, {Size: 2}, {Size: 4}, {Size: 2}}}
	rise := cells.Rule{Columns: []int{2, 0}, Forbidden: []bool{false, false, false, true, false, false, false, false, false, true, true, false}}
	single := cells.Rule{Columns: []int{1}, Forbidden: []bool{false, true}}
	f := Fitting{Rules: []cells.Rule{rise, single}}
	for j, want := range [][]bool{{false, false, true}, {true, false}, {true, false, true, false}, nil} {
		if got := f.free(d, j); !slices.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("column %d: %v, not %v", j, got, want)
		}
	}
	m := &Measured{Domain: Domain{Columns: d.Columns[:1]}, Relation: privacy.AddRemove}
	m.Columns = []Measurement{{Axes: []table.Axis{{Column: 0, Size: 3}}, Sigma2: big.NewRat(100, 1), Counts: []int64{500, 500, 1}}}
	f.Rules = []cells.Rule{{Columns: []int{0}, Forbidden: []bool{true, true, false}}}
	for first, want := range map[bool]int{false: 3, true: 2} {
		f.First = first
		if got := m.pools(f)[0].Size; got != want {
			t.Errorf("first format %v: %d pooled values, not %d", first, got, want)
		}
	}
}

// cutOff is data whose connection breaks as soon as a model is fitted.
type cutOff struct {
	table.Counts
	lost bool
}

var errLost = errors.New("lost")

func (c *cutOff) Marginals(ctx context.Context, of [][]table.Axis) ([][]int64, error) {
	if c.lost {
		return nil, errLost
	}
	return c.Counts.Marginals(ctx, of)
}

func (c *cutOff) Supports(ctx context.Context, axes []table.Axis, of [][]table.Term) ([]int64, error) {
	if c.lost {
		return nil, errLost
	}
	return c.Counts.Supports(ctx, axes, of)
}

// All queries that are known in advance are made before the first fit. If the connection breaks
// then, only rounds fail.
func TestDataIsAskedBeforeFits(t *testing.T) {
	sizes, domain := []int{3, 3, 3}, uniform(3, 3)
	domain.Outcome = true
	rows := random(rand.New(rand.NewPCG(1, 9)), sizes, 2000)
	for _, pairwise := range []bool{true, false} {
		d := &cutOff{Counts: tabulated(t, sizes, rows, 2)}
		f := small
		f.Progress = func(_, _ int64) { d.lost = true }
		p := mustPlan(t, domain, Budget{Relation: privacy.AddRemove, Rho: decimal(t, "1"), Pairwise: pairwise})
		s, err := NewMechanism(p, f).Release(t.Context(), d, noise.Insecure(3))
		if pairwise != (err == nil) || err != nil && !errors.Is(err, errLost) {
			t.Errorf("pairwise %v: %v", pairwise, err)
		}
		if err != nil {
			continue
		}
		if out, err := s.Rows(t.Context(), 100); err != nil || len(out[0]) != 100 || !d.lost {
			t.Errorf("rows of what was measured: %v", err)
		}
	}
}
