package learn

import (
	"context"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
)

// CountedStages are stages of one draw, whose class needs no more of a table than what
// predictions cost in the cells of sub-tables.
type CountedStages[X, H any] interface {
	Stages[X, H]
	// Tables lists the axes of the sub-tables, the outcome not among them.
	Tables() [][]table.Axis
	// Given returns the class of the draw at the rate λ, with the cost of predicting 1 less that
	// of predicting 0 in each cell of each sub-table. Its trees read no record: of a problem's
	// points they add up the costs.
	Given(lambda *big.Rat, costs [][]int64) (class.Class[X, H], error)
}

// StagedOfCounts is Staged with one draw, from data that answers for counts. Its guarantee is
// that of Staged, and with the same coins it draws the same.
type StagedOfCounts[X, H any] struct {
	*Staged[X, H]
	stages CountedStages[X, H]
}

// NewStagedOfCounts returns the mechanism over stages that m draws from, in one draw.
func NewStagedOfCounts[X, H any](m *Staged[X, H], s CountedStages[X, H]) *StagedOfCounts[X, H] {
	return &StagedOfCounts[X, H]{m, s}
}

// Asks is what a release asks of data over so many attributes.
func (m *StagedOfCounts[X, H]) Asks(attributes int) table.Asks {
	var of table.Asks
	for _, axes := range m.stages.Tables() {
		var columns []int
		for _, a := range axes {
			columns = append(columns, a.Column)
		}
		of.Columns = append(of.Columns, append(columns, attributes))
	}
	return of
}

// Release draws. It fails as the data does, or with ErrRows before the draw.
func (m *StagedOfCounts[X, H]) Release(ctx context.Context, d table.Counts, coins noise.Coins) ([]H, error) {
	outcome := table.Axis{Column: len(d.Sizes()), Size: 2}
	asked := [][]table.Axis{{outcome}}
	for _, axes := range m.stages.Tables() {
		asked = append(asked, append(axes[:len(axes):len(axes)], outcome))
	}
	counts, err := d.Marginals(ctx, asked)
	if err != nil {
		return nil, err
	}
	p, err := problemOf(m.relation, m.loss, []Example[X]{{Count: counts[0][0]}, {Label: true, Count: counts[0][1]}}, 1)
	if err != nil {
		return nil, err
	}
	costs := make([][]int64, len(counts)-1)
	for i, of := range counts[1:] {
		costs[i] = make([]int64, len(of)/2)
		for cell := range costs[i] {
			costs[i][cell] = m.loss.FalsePositive*of[2*cell] - m.loss.FalseNegative*of[2*cell+1]
		}
	}
	lambda := m.Rates()[0]
	stage, err := m.stages.Given(lambda, costs)
	if err != nil {
		return nil, err
	}
	t, err := stage.Tree(p)
	h, err := sample(ctx, t, err, perUnit(lambda, m.relation), m.Observe, coins)
	return []H{h}, err
}
