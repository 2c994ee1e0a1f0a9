package audit_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/class/sumscore"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Given any noisy counts, the sample of a weighted card satisfies the ε that the counts leave, for rows and for persons.
// It nearly attains this ε if all labels are equal. A sample with all of ε, with the rate of add-remove under
// replace-one, or with the rate for rows for persons, is refuted.
func TestLearnWeighted(t *testing.T) {
	const rows = 4
	// law returns the distribution of the card for rows of one category, ones of which have the
	// label 1.
	law := func(m *learn.WeightedNaiveBayes, ones, all int64, answers []int64) audit.Law[string] {
		return audit.LawOf(t, func(c noise.Coins) string {
			own := &audit.Answered{Coins: c, Answers: answers, Counts: []int64{all - ones, ones}}
			p, err := m.Release(context.Background(), learn.Listed[[]uint16]{
				{X: []uint16{0}, Count: all - ones}, {X: []uint16{0}, Label: true, Count: ones},
			}, own)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(p.Prior)
		}, audit.InFull(1e-8, 1e-12))
	}
	loss := func(m *learn.WeightedNaiveBayes, r privacy.Relation) float64 {
		most, units := 0.0, learn.Units(r)
		for _, answers := range [][]int64{{40, 40}, {5, -7}} {
			for ones := range int64(rows) {
				p, q := law(m, units*ones, units*rows, answers), law(m, units*(ones+1), units*rows, answers)
				if !r.Replaces() {
					q = law(m, units*ones, units*(rows-1), answers)
				}
				for _, x := range p.Outcomes() {
					lo, _ := p.Bounds(x)
					_, other := q.Bounds(x)
					most = max(most, math.Log(lo/other))
				}
				for _, x := range q.Outcomes() {
					lo, _ := q.Bounds(x)
					_, other := p.Bounds(x)
					most = max(most, math.Log(lo/other))
				}
			}
		}
		return most
	}
	weighted := func(epsilon, counts string, r privacy.Relation) *learn.WeightedNaiveBayes {
		m, err := learn.NewWeightedNaiveBayes([]int{1}, []bool{false}, privacytest.Decimal(t, epsilon), privacytest.Decimal(t, counts), r, 4, 1)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	persons := privacy.AddRemove.OfPersons(3)
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove, privacy.ReplaceOne.OfPersons(2), persons} {
		if got := loss(weighted("3", "1", r), r); got > 2 || got < 1.2 {
			t.Errorf("%v: the draw loses %g of 2", r, got)
		}
		if got := loss(weighted("3", "0.001", r), r); got <= 2 {
			t.Errorf("%v: a draw that takes all of ε loses %g only", r, got)
		}
	}
	if got := loss(weighted("3", "1", privacy.AddRemove), privacy.ReplaceOne); got <= 2 {
		t.Errorf("the rate of add-remove loses %g only under replace-one", got)
	}
	if got := loss(weighted("3", "1", privacy.AddRemove), persons); got <= 2 {
		t.Errorf("the rate for rows loses %g only for persons", got)
	}
}

// kindsOfRows lists all rows over one attribute of two categories.
var kindsOfRows = audittest.Examples{{X: []uint16{0}}, {X: []uint16{0}, Label: true}, {X: []uint16{1}}, {X: []uint16{1}, Label: true}}

// lawGivenAnswers returns the distribution of a release, given the noisy counts, from a table with the given counts
// of kindsOfRows.
func lawGivenAnswers(t *testing.T, m privacy.Mechanism[learn.Records[[]uint16], any], counts, answers []int64, o audit.Options) audit.Law[string] {
	t.Helper()
	return audit.LawOf(t, func(c noise.Coins) string {
		var d audittest.Examples
		for i, n := range counts {
			e := kindsOfRows[i]
			e.Count = n
			d = append(d, e)
		}
		h, err := m.Release(context.Background(), learn.Listed[[]uint16](d), &audit.Answered{Coins: c, Answers: answers, Counts: counts})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(h)
	}, o)
}

// leastLoss returns a lower bound on the privacy loss between two distributions over the outcomes
// of the first.
func leastLoss(p, q audit.Law[string]) float64 {
	most := 0.0
	for _, x := range p.Outcomes() {
		lo, hi := p.Bounds(x)
		low, high := q.Bounds(x)
		most = max(most, math.Log(lo/high), math.Log(low/hi))
	}
	return most
}

// Given any noisy counts, one sample from cards and trees satisfies the ε that the counts leave, also
// for the choice between a card, a tree and a sum score, for rows and for persons. A sample with all of ε, with the rate of
// add-remove under replace-one, or with the rate for rows for persons, is refuted.
func TestLearnEither(t *testing.T) {
	const rows = 3
	trees := treesOf(t, []dectree.Attribute{{Categories: 2}}, 1, 2)
	loss := func(m *learn.Either[any], r privacy.Relation) float64 {
		most, units := 0.0, learn.Units(r)
		for _, answers := range [][]int64{{40, 40, 40, 40}, {9, -7, 0, 5}} {
			for from := range kindsOfRows {
				counts := make([]int64, len(kindsOfRows))
				counts[from] = rows * units
				p := lawGivenAnswers(t, m, counts, answers, audit.InFull(1e-8, 1e-12))
				for to := range kindsOfRows {
					if r.Replaces() == (to == from) { // without a replacement, there is one other table
						continue
					}
					other := slices.Clone(counts)
					if other[from] -= units; r.Replaces() {
						other[to] += units
					}
					most = max(most, leastLoss(p, lawGivenAnswers(t, m, other, answers, audit.InFull(1e-8, 1e-12))))
				}
			}
		}
		return most
	}
	scores, err := sumscore.New([]sumscore.Group{{Attributes: []int{0}, Categories: 2}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	either := func(epsilon, counts string, r privacy.Relation, more ...learn.Sampled[any]) *learn.Either[any] {
		cards, err := learn.NewWeightedNaiveBayes([]int{2}, []bool{false}, privacytest.Decimal(t, epsilon), privacytest.Decimal(t, counts), r, 4, 1)
		if err != nil {
			t.Fatal(err)
		}
		m, err := learn.NewEither(cards, class.EraseTractable[[]uint16](trees), more...)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	persons := privacy.AddRemove.OfPersons(2)
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove, persons} {
		if got := loss(either("3", "1", r), r); got > 2 || got < 1 {
			t.Errorf("%v: the draw loses %g of 2", r, got)
		}
		if got := loss(either("4", "0.001", r), r); got <= 2 {
			t.Errorf("%v: a draw that takes all of ε loses %g only", r, got)
		}
		if got := loss(either("3", "1", r, learn.Uniform(summedScores{scores}, scores.Size())), r); got > 2 || got < 1 {
			t.Errorf("%v, with sum scores: the draw loses %g of 2", r, got)
		}
	}
	if got := loss(either("3", "1", privacy.AddRemove), privacy.ReplaceOne); got <= 2 {
		t.Errorf("the rate of add-remove loses %g only under replace-one", got)
	}
	if got := loss(either("3", "1", privacy.AddRemove), persons); got <= 2 {
		t.Errorf("the rate for rows loses %g only for persons", got)
	}
}
