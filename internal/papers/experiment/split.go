package experiment

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// heldOut is the fraction of the rows that are held out for testing.
const heldOut = 0.3

// split divides the rows of a sample at random into training and test rows, and omits the null rows. If most is
// positive, it is the maximum number of training rows. The same seed always gives the same split.
func split(s *Sample, seed uint64, most int) (train, test *table.Table) {
	examples := learn.Examples(s.Rows)
	var rows []int32 // the index of each row's example
	for i, e := range examples {
		rows = append(rows, slices.Repeat([]int32{int32(i)}, int(e.Count))...)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(rows), func(i, k int) { rows[i], rows[k] = rows[k], rows[i] })
	held := int(heldOut * float64(len(rows)))
	if most > 0 {
		held = max(held, len(rows)-most)
	}
	return collapse(s, examples, rows[held:]), collapse(s, examples, rows[:held])
}

// collapse returns the table with the given rows. A row is given as the index of its record in examples.
func collapse(s *Sample, examples []learn.Example[table.Record], rows []int32) *table.Table {
	b := table.NewBuilder(s.Schema.Sizes())
	for _, i := range rows {
		if err := b.Add(examples[i].X, examples[i].Label, 1); err != nil {
			panic(err) // impossible: the records are from a valid table
		}
	}
	return b.Table()
}

// A score holds the accuracy of a model on a table, and the area under its ROC curve, in which a pair of rows with
// equal ranks counts as half. If all labels are equal, the area is ½.
type score struct{ accuracy, area float64 }

// tested returns the score of a model on a table with at least one row.
func tested(m *model.Model, t *table.Table) (score, error) {
	outcome, err := m.Outcome()
	if err != nil {
		return score{}, err
	}
	predict := func(x table.Record) bool { return outcome(x) == 1 }
	rank := ranking(m, predict)
	type group struct {
		rank               float64
		positive, negative int64
	}
	var groups []group
	right := int64(0)
	for _, e := range learn.Examples(t) {
		if predict(e.X) == e.Label {
			right += e.Count
		}
		g := group{rank: rank(e.X)}
		if e.Label {
			g.positive = e.Count
		} else {
			g.negative = e.Count
		}
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b group) int { return cmp.Compare(a.rank, b.rank) })
	var below, positive, area float64 // numbers of negatives with a lower rank, of positives, and of correctly ordered pairs
	for len(groups) > 0 {
		n := 1
		for n < len(groups) && groups[n].rank == groups[0].rank {
			n++
		}
		var p, q float64
		for _, g := range groups[:n] {
			p, q = p+float64(g.positive), q+float64(g.negative)
		}
		area += p * (below + q/2)
		below, positive = below+q, positive+p
		groups = groups[n:]
	}
	out := score{float64(right) / float64(t.Rows()), 0.5}
	if positive*below > 0 {
		out.area = area / (positive * below)
	}
	return out, nil
}

// ranking returns the function of records by which the ROC curve ranks them: the model's total score, if it has one,
// otherwise its risk, and if it has no risk either, its prediction.
func ranking(m *model.Model, predict func(table.Record) bool) func(table.Record) float64 {
	if name, grade := m.Grader(); name == "total" {
		return func(x table.Record) float64 { return float64(grade(x)) }
	}
	if of := m.Risk(); of != nil {
		return func(x table.Record) float64 {
			if v := of(x)[0].Value; v != nil {
				return *v
			}
			return 0.5
		}
	}
	return func(x table.Record) float64 {
		if predict(x) {
			return 1
		}
		return 0
	}
}
