package audit_test

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/synth"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A game of membership inference: a table has a canary or, with the same probability, not, and an attacker who
// knows everything else guesses from a release which of the two. No other record has a value of the canary.
var (
	canarySizes = []int{3, 3, 3}
	canary      = table.Record{2, 2, 2}
	ordinary    = table.Record{0, 0, 0} // takes the canary's place if the number of rows is public
)

// canaryTables returns the tables with and without the canary.
func canaryTables(t *testing.T, r privacy.Relation) (in, out *table.Table) {
	t.Helper()
	with := func(record table.Record, label int) *table.Table {
		b := table.NewBuilder(canarySizes)
		add := func(record table.Record, label int, count int64) {
			if err := b.AddOutcome(record, label, count); err != nil {
				t.Fatal(err)
			}
		}
		add(table.Record{0, 0, 0}, 0, 3)
		add(table.Record{1, 0, 1}, 0, 2)
		add(table.Record{0, 1, 0}, 1, 2)
		add(table.Record{1, 1, 1}, 0, 2)
		if record != nil {
			add(record, label, 1)
		}
		return b.Table()
	}
	if r.Replaces() {
		return with(canary, 1), with(ordinary, 0)
	}
	return with(canary, 1), with(nil, 0)
}

// everyCanaryRecord lists all records of the attributes.
func everyCanaryRecord() (all []table.Record) {
	for code := range uint16(27) {
		all = append(all, table.Record{code / 9, code / 3 % 3, code % 3})
	}
	return all
}

// shadow learns how the statistics of releases differ between both tables, from releases that the attacker makes. It
// returns the score of a release, the log-likelihood ratio of independent normal statistics, and thresholds.
func shadow(in, out func() []float64, releases int) (score func([]float64) float64, thresholds []float64) {
	var of [2][][]float64
	for side, release := range []func() []float64{in, out} {
		for range releases {
			of[side] = append(of[side], release())
		}
	}
	width := len(of[0][0])
	weights, middle := make([]float64, width), make([]float64, width)
	for k := range width {
		var mean, variance [2]float64
		for side := range of {
			for _, x := range of[side] {
				mean[side] += x[k] / float64(releases)
			}
			for _, x := range of[side] {
				variance[side] += (x[k] - mean[side]) * (x[k] - mean[side]) / float64(releases)
			}
		}
		weights[k] = (mean[0] - mean[1]) / ((variance[0]+variance[1])/2 + 1e-6)
		middle[k] = (mean[0] + mean[1]) / 2
	}
	score = func(x []float64) (sum float64) {
		for k, w := range weights {
			sum += w * (x[k] - middle[k])
		}
		return sum
	}
	var scores []float64
	for side := range of {
		for _, x := range of[side] {
			scores = append(scores, score(x))
		}
	}
	slices.Sort(scores)
	for k := 1; k < 10; k++ {
		thresholds = append(thresholds, scores[k*len(scores)/10])
	}
	return score, thresholds
}

// frequencies is shadow for releases with few outcomes: the score of a release is the log-ratio of the frequencies of
// its outcome, where each outcome has half a release more.
func frequencies(in, out func() []float64, releases int) (score func([]float64) float64, thresholds []float64) {
	outcomeOf := func(x []float64) string {
		var bits []byte
		for _, v := range x {
			bits = binary.LittleEndian.AppendUint64(bits, math.Float64bits(v))
		}
		return string(bits)
	}
	var of [2]map[string]float64
	for side, release := range []func() []float64{in, out} {
		of[side] = make(map[string]float64)
		for range releases {
			of[side][outcomeOf(release())]++
		}
	}
	return func(x []float64) float64 {
		outcome := outcomeOf(x)
		return math.Log((of[0][outcome] + .5) / (of[1][outcome] + .5))
	}, []float64{-3, -2, -1, 1, 2, 3}
}

// bothSides returns the events that a score reaches, or does not reach, each of the thresholds.
func bothSides(score func([]float64) float64, thresholds []float64) []func([]float64) bool {
	events := audit.AtLeast(score, thresholds...)
	for _, event := range events {
		events = append(events, func(x []float64) bool { return !event(x) })
	}
	return events
}

// synthStatistics releases synthetic rows and returns the distance of the canary to the closest row, how many rows each
// record has, the noisy counts of the columns, and the contrast of the canary's cell in each pair.
func synthStatistics(t *testing.T, r privacy.Relation, rho privacy.Decimal) func(*table.Table, noise.Coins) []float64 {
	t.Helper()
	var d synth.Domain
	for _, size := range canarySizes {
		d.Columns = append(d.Columns, synth.Column{Size: size})
	}
	plan, err := synth.NewPlan(d, synth.Budget{Relation: r, Rho: rho, Rows: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	plan.Rounds = heavy.Pick(0, 1)
	m := synth.NewMechanism(plan, synth.Fitting{Options: loglinear.Options{Particles: 20}})
	records := everyCanaryRecord()
	return func(d *table.Table, coins noise.Coins) []float64 {
		made, err := m.Release(context.Background(), d, coins)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := made.Rows(context.Background(), 10)
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, 1+len(records))
		x[0] = float64(len(canary))
		for i := range rows[0] {
			distance := 0
			row := table.Record{}
			for j := range rows {
				row = append(row, rows[j][i])
				distance += audittest.Bit(row[j] != canary[j])
			}
			x[0] = min(x[0], float64(distance))
			x[1+slices.IndexFunc(records, func(r table.Record) bool { return slices.Equal(r, row) })]++
		}
		for j := range made.Measured.Columns {
			x = append(x, made.Measured.Values(j)...)
		}
		for _, p := range made.Measured.Pairs {
			a, b := p.Axes[0], p.Axes[1]
			x = append(x, p.Rows(r)[a.Cell(int(canary[a.Column]))*b.Size+b.Cell(int(canary[b.Column]))])
		}
		return x
	}
}

// learnStatistics returns the prediction, or the total of points, of a released model for every record.
func learnStatistics(t *testing.T, trees *dectree.Class, release func(*table.Table, noise.Coins) (any, error)) func(*table.Table, noise.Coins) []float64 {
	return func(d *table.Table, coins noise.Coins) (x []float64) {
		h, err := release(d, coins)
		if err != nil {
			t.Fatal(err)
		}
		for _, record := range everyCanaryRecord() {
			switch h := h.(type) {
			case learn.Points:
				x = append(x, float64(audittest.Bit(h.Total(record) > 0)), float64(h.Total(record)))
			case *dectree.Tree:
				x = append(x, float64(trees.Predict(h, record)), 0)
			}
		}
		return x
	}
}

// Two attackers learn at most ε about the presence of a canary from rows and models at ε = 1: one with shadow models,
// and one who looks for the closest row. The same attackers refute releases with almost no noise that claim the same
// ε.
func TestMembership(t *testing.T) {
	const delta = 1e-6
	closest := bothSides(func(x []float64) float64 { return -x[0] }, []float64{0, -1, -2})
	trees := treesOf(t, []dectree.Attribute{{Categories: 3}, {Categories: 3}, {Categories: 3}}, 2, 2)
	cards := func(epsilon, counts string, r privacy.Relation) *learn.WeightedNaiveBayes {
		m, err := learn.NewWeightedNaiveBayes(canarySizes, make([]bool, len(canarySizes)), privacytest.Decimal(t, epsilon), privacytest.Decimal(t, counts), r, 6, 27)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	rho, err := privacy.RhoWithin(privacytest.Decimal(t, "1"), privacytest.Decimal(t, "1e-6"))
	if err != nil {
		t.Fatal(err)
	}
	type releaser = func(*table.Table, noise.Coins) []float64
	for _, c := range []struct {
		name    string
		attack  func(in, out func() []float64, releases int) (func([]float64) float64, []float64)
		release func(exact bool, r privacy.Relation) releaser
	}{
		{"synth", shadow, func(exact bool, r privacy.Relation) releaser {
			if exact {
				return synthStatistics(t, r, privacytest.Decimal(t, "100000"))
			}
			return synthStatistics(t, r, rho)
		}},
		{"card", frequencies, func(exact bool, r privacy.Relation) releaser {
			m := cards("1", "0.5", r)
			if exact {
				m = cards("1000", "500", r)
			}
			return learnStatistics(t, trees, func(d *table.Table, coins noise.Coins) (any, error) {
				return m.Release(context.Background(), d, coins)
			})
		}},
		{"card or tree", frequencies, func(exact bool, r privacy.Relation) releaser {
			of := cards("1", "0.5", r)
			if exact {
				of = cards("1000", "500", r)
			}
			m, err := learn.NewEither(of, trees)
			if err != nil {
				t.Fatal(err)
			}
			return learnStatistics(t, trees, func(d *table.Table, coins noise.Coins) (any, error) {
				return m.Release(context.Background(), d, coins)
			})
		}},
	} {
		relations := []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne}
		for _, r := range relations[:heavy.Pick(1, 2)] {
			in, out := canaryTables(t, r)
			for _, exact := range []bool{false, true} {
				release, seed := c.release(exact, r), uint64(0)
				from := func(d *table.Table) func() []float64 {
					return func() []float64 {
						seed++
						return release(d, noise.Insecure(seed))
					}
				}
				judge := func(attack string, draws int, events []func([]float64) bool) {
					alpha := 1e-6
					if exact {
						alpha = heavy.Pick(1e-2, 1e-4) // of a refutation that is expected
					}
					e := audit.Attack(from(in), from(out), events, draws, delta, alpha)
					t.Logf("%s, %v, exact %v, %s: ε ≥ %.3f; %d and %d of %d", c.name, r, exact, attack, e.Epsilon, e.Hits[0], e.Hits[1], e.Draws)
					if refuted := e.Epsilon > 1; refuted != exact {
						t.Errorf("%s, %v, exact %v: the attack by %s proves ε ≥ %.3f, and 1 is claimed", c.name, r, exact, attack, e.Epsilon)
					}
				}
				score, thresholds := c.attack(from(in), from(out), heavy.Pick(30, 400))
				events := bothSides(score, thresholds)
				byRows := c.name == "synth"
				switch {
				case !exact && byRows:
					judge("shadow models and the closest row", heavy.Pick(50, 1000), append(events, closest...))
				case !exact:
					judge("shadow models", heavy.Pick(100, 3000), events)
				case byRows:
					judge("shadow models", heavy.Pick(20, 40), events)
					judge("the closest row", heavy.Pick(20, 40), closest)
				default:
					judge("shadow models", heavy.Pick(150, 400), events)
				}
			}
		}
	}
}
