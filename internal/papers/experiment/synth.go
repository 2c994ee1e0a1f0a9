package experiment

import (
	"context"

	"github.com/sibyl-dp/sibyl/internal/synth"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// sibylSynth is the synthesizer of the command sibyl synth, without requested pairs and without rules in the schema.
// As in the regression that measures the synthetic rows, the last column is treated as the label if it has two
// values.
func sibylSynth(ctx context.Context, d *flat, b budget) ([][]uint16, error) {
	domain, fitting := synthDomain(d.schema)
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

// synthDomain returns the domain of a flat schema, and the options of a fit that say which values are ordered. They are
// those of synthetic.Layout, which also needs to know how numbers are written.
func synthDomain(schema *table.Schema) (domain synth.Domain, fitting synth.Fitting) {
	for j := range schema.Attributes {
		a := &schema.Attributes[j]
		domain.Columns = append(domain.Columns, synth.Column{Size: a.Len(), Ordered: a.IsOrdered()})
		fitting.Ordered = append(fitting.Ordered, a.InOrder())
	}
	return domain, fitting
}
