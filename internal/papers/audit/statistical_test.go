package audit_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/papers/statquery"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// cells returns a statistic with two cells for rows with one attribute. A row is counted in at most most cells.
func cells(most int, in func(x []uint16, label bool) []int) statquery.Statistic[[]uint16] {
	return statquery.Statistic[[]uint16]{Cells: 2, Most: most, In: in}
}

// categories is the statistic that counts a row in the cell of its category.
var categories = cells(1, func(x []uint16, _ bool) []int { return []int{int(x[0])} })

// A session is a mechanism that answers a sequence of queries about a table. Its output consists of the answers,
// truncated to a few values so that each value has a large probability.
type session struct {
	promised, kept privacy.Guarantee
	ask            func(context.Context, *statquery.Statistical[[]uint16]) ([]*big.Int, error)
}

func (m session) Guarantee() privacy.Guarantee { return m.promised }

func (m session) Release(ctx context.Context, d audittest.Examples, c noise.Coins) (string, error) {
	s, err := statquery.NewStatistical(m.kept, d, c)
	if err != nil {
		return "", err
	}
	answers, err := m.ask(ctx, s)
	text := ""
	for _, a := range answers {
		text += fmt.Sprint(min(max(a.Int64(), 0), 2), " ")
	}
	return text, err
}

func once(q statquery.Statistic[[]uint16]) func(context.Context, *statquery.Statistical[[]uint16]) ([]*big.Int, error) {
	return func(ctx context.Context, s *statquery.Statistical[[]uint16]) ([]*big.Int, error) {
		return s.Ask(ctx, q, s.Left())
	}
}

// adaptive queries one cell with a third of the budget. Depending on the answer, it then queries the same cell
// or the other one with the remaining budget.
func adaptive(ctx context.Context, s *statquery.Statistical[[]uint16]) ([]*big.Int, error) {
	third := new(big.Rat).Mul(s.Left(), big.NewRat(1, 3))
	is := func(c uint16) statquery.Statistic[[]uint16] {
		return statquery.Predicate(func(x []uint16, _ bool) bool { return x[0] == c })
	}
	first, err := s.Ask(ctx, is(0), third)
	if err != nil {
		return nil, err
	}
	second, err := s.Ask(ctx, is(uint16(audittest.Bit(first[0].Sign() > 0))), s.Left())
	return append(first, second...), err
}

// The answers satisfy the budget under both relations, for simultaneous and for adaptive queries, and for a
// statistic whose In returns more cells than Most states. The test refutes the noise of add-remove under replace-one,
// and two queries that each use the noise for the whole budget.
func TestLearnStatistical(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	pure := func(epsilon string, r privacy.Relation) privacy.Guarantee {
		g, err := privacy.NewPure(r, privacytest.Decimal(t, epsilon))
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	kinds := audittest.Examples{{X: []uint16{0}}, {X: []uint16{1}, Label: true}}
	// liar states at most one cell for each row, but its In returns both cells. If both were counted, the privacy
	// loss would be twice as large.
	liar := cells(1, func(x []uint16, _ bool) []int { return []int{int(x[0]), 1 - int(x[0]), -1} })
	believed := cells(2, liar.In)
	o := audit.InFull(1e-9, 1e-13)
	attained := audit.Verdict{Least: 0.999999, Most: 1 + 1e-6}
	for _, v := range []struct {
		name string
		m    session
		want audit.Verdict
	}{
		{"replace", session{pure("2", replace), pure("2", replace), once(categories)}, attained},
		{"add-remove", session{pure("1.5", addRemove), pure("1.5", addRemove), once(categories)}, attained},
		{"liar", session{pure("1.5", addRemove), pure("1.5", addRemove), once(liar)}, attained},
		{"liar, if believed", session{pure("1.5", addRemove), pure("3", addRemove), once(believed)}, audit.Verdict{Least: 1.9, Most: 2}},
		{"adaptive", session{pure("3", addRemove), pure("3", addRemove), adaptive}, audit.Holds},
		{"adaptive, replace", session{pure("5", replace), pure("5", replace), adaptive}, audit.Holds},
		{"add-remove's noise under replace", session{pure("1", replace), pure("2", replace), once(categories)}, audit.Verdict{Least: 1.9, Most: 2}},
		{"twice the budget", session{pure("1.5", addRemove), pure("3", addRemove), adaptive}, audit.Verdict{Least: 1.5, Most: 2}},
	} {
		t.Run(v.name, func(t *testing.T) {
			r, err := audit.CheckMechanism(v.m, func(s string) string { return s }, audit.WorldOf(v.m.promised.Relation(), 2, 2, audittest.ExamplesOf(kinds)), o)
			if err != nil {
				t.Fatal(err)
			}
			audit.Judge(t, v.want, r, o)
		})
	}
}

// The Rényi divergence of answers with Gaussian noise is at most αρ at several orders α. It is nearly attained, so
// the test refutes half of ρ. A row is counted once in a cell that In returns twice: with the noise for two cells, the
// divergence is then half of αρ.
func TestLearnStatisticalGaussian(t *testing.T) {
	twice := cells(2, func(x []uint16, _ bool) []int { return []int{int(x[0]), int(x[0])} })
	for _, v := range []struct {
		r     privacy.Relation
		q     statquery.Statistic[[]uint16]
		share float64 // of ρ that is consumed
	}{
		{privacy.ReplaceOne, categories, 1}, {privacy.AddRemove, categories, 1},
		{privacy.ReplaceOne, twice, 0.5}, {privacy.AddRemove, twice, 0.5},
	} {
		r, rho := v.r, big.NewRat(1, 4)
		g, err := privacy.NewZCDP(r, rho)
		if err != nil {
			t.Fatal(err)
		}
		law := func(d audittest.Examples) audit.Law[string] {
			return audit.LawOf(t, func(c noise.Coins) string {
				s, err := statquery.NewStatistical(g, d, c)
				if err != nil {
					t.Fatal(err)
				}
				answers, err := s.Ask(context.Background(), v.q, rho)
				if err != nil {
					t.Fatal(err)
				}
				return fmt.Sprint(answers)
			}, audit.InFull(1e-10, 1e-12))
		}
		a, b := audittest.Examples{{X: []uint16{0}, Count: 1}}, audittest.Examples{{X: []uint16{1}, Count: 1}}
		if r == privacy.AddRemove {
			b = nil
		}
		p, q := law(a), law(b)
		for _, alpha := range []float64{1.5, 2, 4} {
			most := v.share * alpha / 4
			if got := audit.Renyi(p, q, alpha); got > most*(1+1e-6) || got < 0.99*most {
				t.Errorf("%v: the divergence of order %g is %g; want %g", r, alpha, got, most)
			}
		}
	}
}

// Elimination satisfies its budget, since the accepted categories are a function of the noisy counts.
func TestLearnElimination(t *testing.T) {
	kinds := audittest.Examples{{X: []uint16{0}}, {X: []uint16{1}}, {X: []uint16{1}, Label: true}}
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		g, err := privacy.NewPure(r, privacytest.Decimal(t, "2"))
		if err != nil {
			t.Fatal(err)
		}
		elimination, err := statquery.NewElimination([]int{2}, g)
		if err != nil {
			t.Fatal(err)
		}
		o := audit.InFull(1e-8, 1e-13)
		report, err := audit.CheckMechanism(elimination, func(a statquery.Accepted) string { return fmt.Sprint(a[0][1]) }, audit.WorldOf(r, len(kinds), 1, audittest.ExamplesOf(kinds)), o)
		if err != nil {
			t.Fatal(err)
		}
		audit.Judge(t, audit.Holds, report, o)
	}
}
