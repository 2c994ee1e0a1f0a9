package learn

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// zeros are coins whose noise is 0.
type zeros struct{ noise.Coins }

func (zeros) Draw(noise.Sampler) *big.Int { return new(big.Int) }

// The rate is that of the noise: ε divided by the number of cells that contain a row. A budget of ρ
// has no rate. Each attribute is queried together with the label.
func TestNaiveBayesStates(t *testing.T) {
	for _, c := range []struct {
		relation privacy.Relation
		sizes    []int
		rate     string
	}{{privacy.AddRemove, []int{2, 5, 3}, "1/6"}, {privacy.ReplaceOne, []int{4, 4}, "1/8"}, {privacy.AddRemove.OfPersons(3), []int{2}, "1/12"}} {
		pure, err := privacy.NewPure(c.relation, privacytest.Decimal(t, "0.5"))
		if err != nil {
			t.Fatal(err)
		}
		m, err := NewNaiveBayes(c.sizes, pure, 1)
		if err != nil {
			t.Fatal(err)
		}
		cells := 0
		for _, n := range c.sizes {
			cells += 2 * n
		}
		if got, want := m.CountWidth(), AnswerWidth(AnswerNoise(pure, len(c.sizes), pure.Epsilon().Rat()), cells); got != want/float64(Units(c.relation)) {
			t.Errorf("%v, %v: the counts have the width %g", c.relation, c.sizes, got)
		}
		if got := m.Rate().RatString(); got != c.rate {
			t.Errorf("%v, %v: rate %s, not %s", c.relation, c.sizes, got, c.rate)
		}
		rho, err := privacy.NewZCDP(c.relation, big.NewRat(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		if m, err = NewNaiveBayes(c.sizes, rho, 1); err != nil || m.Rate() != nil {
			t.Errorf("%v: a budget of ρ has a rate, %v", c.relation, err)
		}
		var want [][]int
		for j := range c.sizes {
			want = append(want, []int{j, len(c.sizes)})
		}
		if got := m.Queries().Columns; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("it queries for %v, not %v", got, want)
		}
	}
}

// Counts of a category are for both labels. Before they are added, the counts of each label are changed so that both
// attributes have the same total: 12 is the mean of 10 and 15, weighted by 1/2 and 1/3. An attribute contributes its
// whole log-odds if there are at most five attributes, and half of them if there are ten or more.
func TestNaiveBayesEvidence(t *testing.T) {
	budget, err := privacy.NewPure(privacy.AddRemove, privacytest.Decimal(t, "1"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewNaiveBayes([]int{2, 3}, budget, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%.6f", m.evidence([]int64{3, 9, 20, 1, 0, 0, 7, 15, 16, 0}, zeros{}).rows); got != "[[13.000000 22.000000] [0.000000 21.000000 16.000000]]" {
		t.Errorf("rows of categories: %s", got)
	}
	if got := fmt.Sprintf("%.6f", m.evidence([]int64{3, 9, 20, 1, 0, 0, 7, 16, 22, 0}, zeros{}).rows); got != "[[14.400000 23.400000] [0.000000 20.600000 20.800000]]" {
		t.Errorf("rows of categories of attributes with different totals: %s", got)
	}
	for attributes, want := range map[int]float64{1: 1, 4: 1, 5: 1, 8: 5. / 8, 10: 0.5, 11: 0.5, 40: 0.5} {
		sizes := make([]int, attributes)
		for j := range sizes {
			sizes[j] = 2
		}
		if m, err = NewNaiveBayes(sizes, budget, 1); err != nil || math.Abs(m.factor()-want) > 1e-12 {
			t.Errorf("%d attributes: a factor of %v, %v", attributes, m.factor(), err)
		}
	}
}
