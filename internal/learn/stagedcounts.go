package learn

import (
	"context"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
)

// CountedStages are Stages with a single stage, whose class computes costs from marginals of the
// table instead of records. For each cell of each marginal, it needs two costs over the rows of the
// cell: that of predicting 0 and that of predicting 1.
type CountedStages[X, H any] interface {
	Stages[X, H]
	// Tables returns the axes of each marginal, without the axis of the outcome.
	Tables() [][]table.Axis
	// Given returns the class to sample from at the rate lambda. The parameter costs contains, for
	// each cell of each marginal, the cost of predicting 1 less the cost of predicting 0. The trees
	// of the class do not read the records of a problem, only the sums of their costs.
	Given(lambda *big.Rat, costs [][]int64) (class.Class[X, H], error)
}

// StagedOfCounts releases the same as Staged with a single stage, but it queries marginals instead of reading
// records. So it also works on data in a database. With the same random bits, StagedOfCounts and Staged release the
// same hypothesis. Their guarantees are the same.
type StagedOfCounts[X, H any] struct {
	*Staged[X, H]
	stages CountedStages[X, H]
}

// NewStagedOfCounts returns the mechanism that releases the same as m, but queries marginals. The
// parameter s must be the stages with which m was created. There must be a single stage.
func NewStagedOfCounts[X, H any](m *Staged[X, H], s CountedStages[X, H]) *StagedOfCounts[X, H] {
	return &StagedOfCounts[X, H]{m, s}
}

// Queries returns the queries that a release makes on data with the given number of attributes.
func (m *StagedOfCounts[X, H]) Queries(attributes int) table.Queries {
	var of table.Queries
	for _, axes := range m.stages.Tables() {
		var columns []int
		for _, a := range axes {
			columns = append(columns, a.Column)
		}
		of.Columns = append(of.Columns, append(columns, attributes))
	}
	return of
}

// Release queries the marginals and samples a hypothesis. It fails with an error of the data, or
// with ErrRows before it uses any randomness.
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
	h, err := m.sample(ctx, stage, p, lambda, coins)
	return []H{h}, err
}
