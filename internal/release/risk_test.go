package release

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A drawing releases with given coins.
type drawing struct{ *Prepared }

func (d drawing) Guarantee() privacy.Guarantee { return d.promise }

func (d drawing) Release(ctx context.Context, t *table.Table, c noise.Coins) (*model.Model, error) {
	return d.ofTable(ctx, t, c)
}

// heard names the card, the counts, truncated to a few values so that none is rare, and the stated number of rows.
func heard(m *model.Model) string {
	text := fmt.Sprint(m.Hypothesis.(scorecard.Card).Points, " ")
	tell := func(n *big.Int) { text += fmt.Sprint(min(max(n.Int64(), 0), 1)) }
	for i := range m.Risks.Scale.Grades {
		tell(m.Risks.Cells[1][i])
		tell(m.Risks.Cells[0][i])
	}
	tell(m.Risks.Outside)
	return fmt.Sprint(text, m.Risks.Rows)
}

// The joint distribution of a card and its risks, as learn releases them, satisfies the stated ε on
// all tables of at most one row, null rows included, under both relations, and nearly attains it.
func TestLearnRisksIsPrivate(t *testing.T) {
	schema := tabletest.Schema(t, "[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\"]\n[[attribute]]\ncolumn = \"x\"\nvalues = [\"a\", \"b\"]\n")
	for _, c := range []struct {
		relation       privacy.Relation
		epsilon, share string
	}{
		{privacy.ReplaceOne, "9", "0.9"},
		{privacy.AddRemove, "5", "0.8"},
	} {
		t.Run(c.relation.String(), func(t *testing.T) {
			share := decimal(t, c.share)
			p, err := Request{
				Schema: schema, Form: model.Scorecard{Points: model.Points{Least: 0, Most: 1}, Threshold: 1},
				Epsilon: decimal(t, c.epsilon), Relation: c.relation, Risk: &share,
			}.Prepare()
			if err != nil {
				t.Fatal(err)
			}
			if p.Guarantee.Epsilon != decimal(t, c.epsilon) {
				t.Errorf("states %v", p.Guarantee.Epsilon)
			}
			const kinds = 5
			world := audit.NewWorld(c.relation, kinds, 1, func(counts []int64) *table.Table {
				b := table.NewBuilder([]int{2})
				for kind, n := range counts {
					err := error(nil)
					if kind == kinds-1 {
						err = b.AddNull(n)
					} else {
						err = b.Add([]uint16{uint16(kind & 1)}, kind < 2, n)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				return b.Table()
			})
			o := audit.Options{Floor: heavy.Pick(1e-6, 1e-9), Recheck: heavy.Pick(30, 4000), Laws: audit.NewSamplerLaws()}
			r, err := audit.CheckMechanism(drawing{p}, heard, world, o)
			if err != nil {
				t.Fatal(err)
			}
			t.Log(r)
			epsilon, _ := r.Epsilon.Rat().Float64()
			if r.Refuted() || r.Worst.Lower < 0.85*epsilon || r.Pairs == 0 {
				t.Error("want between 0.85 and 1 of ε")
			}
		})
	}
}

// The parts of ε for the hypothesis and the risks sum to ε exactly. A share that cannot be computed
// exactly is refused.
func TestShares(t *testing.T) {
	for _, c := range []struct{ epsilon, share, risks, card string }{
		{"1", "", "0.2", "0.8"},
		{"0.5", "", "0.1", "0.4"},
		{"1", "0", "0", "1"},
		{"1", "0.3", "0.3", "0.7"},
		{"0.7", "0.123456789123", "0.0864197523", "0.6135802477"},
		{"1", "0.999999999999", "0.999999999", "0.000000001"},
	} {
		ask := Request{Schema: parseSchema(t), Form: plain, Epsilon: decimal(t, c.epsilon)}
		if c.share != "" {
			share := decimal(t, c.share)
			ask.Risk = &share
		}
		p, err := ask.Prepare()
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		card, err := privacy.Epsilon(p.made.Guarantee(), privacy.Decimal{})
		if err != nil || card != decimal(t, c.card) || p.Risks != decimal(t, c.risks) || p.Guarantee.Epsilon != decimal(t, c.epsilon) {
			t.Errorf("%+v: card %v, risks %v, all %v, %v", c, card, p.Risks, p.Guarantee.Epsilon, err)
		}
		ask.Rows = 100
		if plan, err := ask.Plan(nil, false); err != nil || plan.Risks != p.Risks {
			t.Errorf("%+v: planned %v, %v", c, plan, err)
		}
	}
	list := Request{Schema: parseSchema(t), Form: model.DecisionList{Rules: 2, Width: 1}, Epsilon: decimal(t, "1")}
	if p, err := list.Prepare(); err != nil || !p.Risks.IsZero() {
		t.Errorf("a list spends %v on risks unless asked to: %v", p.Risks, err)
	}
	for _, c := range []struct {
		form model.Form
		want string
	}{
		{model.DecisionTree{Depth: 1}, "0.2"},
		{model.UnionOf([]model.Form{plain}), "0.2"},
		{model.UnionOf([]model.Form{plain, model.DecisionList{Rules: 2, Width: 1}}), "0"},
	} {
		ask := Request{Schema: parseSchema(t), Form: c.form, Epsilon: decimal(t, "1")}
		if p, err := ask.Prepare(); err != nil || p.Risks != decimal(t, c.want) {
			t.Errorf("%v spends %v on risks unless asked to: %v", c.form, p.Risks, err)
		}
	}
	for _, share := range []string{"1", "1.5"} {
		s := decimal(t, share)
		ask := Request{Schema: parseSchema(t), Form: plain, Epsilon: decimal(t, "1"), Risk: &s}
		if _, err := ask.Prepare(); err == nil || !strings.Contains(err.Error(), "must be a share of ε, at least 0 and below 1") {
			t.Errorf("a share of %s: %v", share, err)
		}
	}
}

// counted returns the exact counts of the model's predictions on the data.
func (w *world) counted(m *model.Model) *risk.Counts {
	w.t.Helper()
	data, err := w.Table(w.t.Context(), m.Schema)
	if err != nil {
		w.t.Fatal(err)
	}
	exact, err := m.Count(data)
	if err != nil {
		w.t.Fatal(err)
	}
	return exact
}

// An evaluation counts each row once, in the cell of its grade and label. The noise has the
// evaluation's ε and relation, and is reproduced with the same seed. The stored description
// determines the guarantee.
func TestEvaluationCounts(t *testing.T) {
	for _, m := range []*model.Model{learned(t), learnedOutcomes(t)} {
		for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
			m.Guarantee.Relation = r
			seed := uint64(7)
			p, err := Evaluation{Model: m, Epsilon: decimal(t, "0.5"), Seed: &seed}.Prepare()
			if err != nil {
				t.Fatal(err)
			}
			w := &world{t: t, rows: 9}
			got, err := p.Release(t.Context(), w, Terms{})
			if err != nil {
				t.Fatal(err)
			}
			exact := w.counted(m)
			outcomes := len(exact.Cells)
			var cells []int64
			for grade := range exact.Cells[0] {
				for o := outcomes - 1; o >= 0; o-- {
					cells = append(cells, exact.Cells[o][grade].Int64())
				}
			}
			cells = append(cells, exact.Outside.Int64())
			if exact.Rows.Int64() != 9 || exact.Outside.Int64() != 1 || (got.Rows != nil) != (r == privacy.ReplaceOne) {
				t.Errorf("%+v", exact)
			}
			h, err := learn.NewHistogram(len(cells), decimal(t, "0.5"), r)
			if err != nil {
				t.Fatal(err)
			}
			want, err := h.Release(t.Context(), cells, noise.Insecure(seed))
			if err != nil {
				t.Fatal(err)
			}
			for i, n := range want[:len(want)-1] {
				if cell := got.Cells[outcomes-1-i%outcomes][i/outcomes]; cell.Cmp(n) != 0 {
					t.Errorf("%v: %v at %d, want %v", r, got.Cells, i, n)
				}
			}
			if got.Outside.Cmp(want[len(want)-1]) != 0 || got.Epsilon != decimal(t, "0.5") || got.Relation != r {
				t.Errorf("%+v, want %v", got, want)
			}
			if p, err = (Evaluation{Model: m, Epsilon: decimal(t, "0.5")}).Prepare(); err != nil {
				t.Fatal(err)
			}
			text, err := p.describe()
			if err != nil {
				t.Fatal(err)
			}
			if g, err := Recompute(text); err != nil || state(t, g) != state(t, p.histogram.Guarantee()) {
				t.Errorf("%v, %v", g, err)
			}
		}
	}
}

// A plan warns if its least bound exceeds the maximum cost of predicting one value for everyone.
func TestCaution(t *testing.T) {
	for _, costs := range []learn.Loss{learn.ZeroOne, {FalsePositive: 1, FalseNegative: 20}, {FalsePositive: 3, FalseNegative: 2}} {
		said := false
		for _, rows := range []int64{10, 100, 200, 400, 1000, 5000} {
			worst := int64(0) // the cost of the better constant, over all numbers of positive rows
			for positive := range rows + 1 {
				worst = max(worst, min(costs.FalsePositive*(rows-positive), costs.FalseNegative*positive))
			}
			p, err := Request{Schema: parseSchema(t), Form: plain, Costs: costs, Epsilon: decimal(t, "0.5"), Rows: rows}.Plan(nil, false)
			if err != nil {
				t.Fatal(err)
			}
			if c := p.Constant(); c < float64(worst) || c > float64(worst)+float64(costs.Range()) {
				t.Errorf("%+v, %d rows: one value costs %v at most, said is %v", costs, rows, worst, c)
			}
			if caution := p.Caution(); (caution != "") != (p.best().Most > p.Constant()) {
				t.Errorf("%+v, %d rows: a bound of %v, and %q", costs, rows, p.best().Most, caution)
			} else if caution != "" {
				said = true
			}
		}
		if !said {
			t.Errorf("%+v: no caution", costs)
		}
	}
}

// A released model states no more rows than the table has, if this number is public, although the noise is far greater. A
// model that was written and read states the same.
func TestRisksWithinRows(t *testing.T) {
	const rows = 40
	schema := parseSchema(t)
	for _, relation := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		for _, form := range []model.Form{plain, model.DecisionTree{Depth: 2}} {
			share := decimal(t, "0.5")
			p, err := Request{Schema: schema, Form: form, Epsilon: decimal(t, "0.01"), Relation: relation, Risk: &share}.Prepare()
			if err != nil {
				t.Fatal(err)
			}
			b := schema.Builder()
			if err := b.AddNull(rows); err != nil {
				t.Fatal(err)
			}
			beyond := 0
			for seed := range uint64(20) {
				m, err := p.ofTable(t.Context(), b.Table(), noise.Insecure(seed))
				if err != nil {
					t.Fatal(err)
				}
				text, err := m.Text()
				if err != nil {
					t.Fatal(err)
				}
				read, err := mechanism.Read(bytes.NewReader(text))
				if err != nil {
					t.Fatal(err)
				}
				a := read.Assessment()
				for _, wrong := range []string{`"rows": -1`, `"rows": 4e1`, `"rows": 4294967296`} {
					wrongly := strings.Replace(string(text), `"rows": 40`, wrong, 1)
					if !relation.Replaces() {
						wrongly = strings.Replace(string(text), `"risks"`, `"rows": 40, "risks"`, 1)
					}
					if _, err := mechanism.Read(strings.NewReader(wrongly)); err == nil || !strings.Contains(err.Error(), "rows") {
						t.Errorf("%s under %v: %v", wrong, relation, err)
					}
				}
				if want := m.Assessment(); !reflect.DeepEqual(a.Risks, want.Risks) || !reflect.DeepEqual(a.Inside, want.Inside) {
					t.Errorf("%+v was released, %+v was read", want, a)
				}
				for _, r := range a.Risks {
					if r.Rows.Cmp(big.NewInt(rows)) > 0 {
						beyond++
					}
				}
				if relation.Replaces() && a.Inside.Most.Cmp(big.NewInt(rows)) > 0 {
					t.Errorf("%v rows are inside the domain, of %d", a.Inside, rows)
				}
			}
			if relation.Replaces() != (beyond == 0) {
				t.Errorf("%v, %v: %d estimates exceed %d rows", relation, form, beyond, rows)
			}
		}
	}
}
