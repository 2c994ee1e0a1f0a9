package experiment

import (
	"context"

	"github.com/sibyl-dp/sibyl/internal/synth"
)

// sibylSynth is the synthesizer of the command sibyl synth, without requested pairs and without rules in the schema.
// As in the regression that measures the synthetic rows, the last column is treated as the label if it has two
// values.
func sibylSynth(ctx context.Context, d *flat, b budget) ([][]uint16, error) {
	var domain synth.Domain
	for j := range d.schema.Attributes {
		a := &d.schema.Attributes[j]
		domain.Columns = append(domain.Columns, synth.Column{Size: a.Len(), Ordered: a.IsOrdered()})
	}
	weights := make(map[[2]int]int)
	if last := len(domain.Columns) - 1; domain.Columns[last].Size == 2 {
		for j := range last {
			weights[[2]int{j, last}] = synth.LabelWeight
		}
	}
	plan, err := synth.NewPlan(domain, synth.Budget{Relation: b.relation, Mu: b.mu, Weights: weights})
	if err != nil {
		return nil, err
	}
	var fitting synth.Fitting
	fitting.Seed = b.random.Uint64()
	made, err := synth.NewMechanism(plan, fitting).Release(ctx, d.table, b.coins)
	if err != nil {
		return nil, err
	}
	columns, err := made.Rows(ctx, 0)
	if err != nil {
		return nil, err
	}
	rows := make([][]uint16, len(columns[0]))
	for i := range rows {
		rows[i] = make([]uint16, len(columns))
		for j, column := range columns {
			rows[i][j] = column[i]
		}
	}
	return rows, nil
}
