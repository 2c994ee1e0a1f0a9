package main

import (
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
)

// plannedNoise is what plan --json prints for a class that is not searched.
type plannedNoise struct {
	Rows      int64  `json:"rows"`
	Epsilon   string `json:"epsilon"`
	Delta     string `json:"delta"`
	Relation  string `json:"relation"`
	Mechanism string `json:"mechanism"`

	// Counts err by at most CountWidth, all of them, in 95 of 100 runs.
	CountWidth *float64 `json:"count_width_95,omitempty"`
	// GradientNoise is the standard deviation, in each of the Columns, of the mean
	// gradient of a step, of which a row's is cut to the norm Clip.
	GradientNoise *float64 `json:"gradient_noise,omitempty"`
	Columns       int      `json:"columns,omitempty"`
	Steps         int      `json:"steps,omitempty"`
	Clip          string   `json:"clip,omitempty"`
}

// runAdditive tells the noise of what is learned without a search.
func (f *planFlags) runAdditive(cmd *cobra.Command) error {
	schema, form, err := f.class.readAdditive(cmd)
	if err != nil {
		return err
	}
	epsilon, relation, err := f.mechanism.privacyFlags.read()
	if err != nil {
		return err
	}
	if f.mechanism.rows < 1 {
		return fmt.Errorf("--rows %d is no number of rows", f.mechanism.rows)
	}
	f.mechanism.name = mechanismsOf[form.Kind][0]
	delta, err := f.mechanism.readDelta()
	if err != nil {
		return err
	}
	p := plannedNoise{Rows: f.mechanism.rows, Epsilon: epsilon.String(), Delta: delta.String(), Relation: relation.String(), Mechanism: f.mechanism.name}
	if form.Kind == model.NaiveBayes {
		budget, err := privacy.NewPure(relation, epsilon)
		if err != nil {
			return err
		}
		cells := 0
		for _, n := range schema.Sizes() {
			cells += 2 * n
		}
		width, err := learn.AnswerWidth(budget, cells, len(schema.Attributes))
		if err != nil {
			return err
		}
		p.CountWidth = &width
		return printing(cmd, p, p.write)
	}
	m, features, _, err := f.mechanism.dpsgd(schema, epsilon, delta, relation)
	if err != nil {
		return err
	}
	d := m.Descent()
	sigma2, _ := m.Sigma2().Float64()
	deviation := math.Sqrt(sigma2) / (float64(d.Grid) * d.Batch)
	p.GradientNoise, p.Columns, p.Steps, p.Clip = &deviation, features.Columns(), d.Steps, d.Clip.String()
	return printing(cmd, p, p.write)
}

func (p plannedNoise) write(w io.Writer) error {
	if p.CountWidth != nil {
		_, err := fmt.Fprintf(w, "%s: the rows of either label are counted in every category, with noise. In 95 of 100 runs\nno count is off by more than %.0f, of %d rows.\n", p.Mechanism, *p.CountWidth, p.Rows)
		return err
	}
	_, err := fmt.Fprintf(w, "%s: %d steps over %d columns. A step's mean gradient has noise of the standard\ndeviation %.2g in every column; one row's is cut to a norm of %s. That is for parameters which\nwere not tuned on the data; ε does not cover that.\n", p.Mechanism, p.Steps, p.Columns, *p.GradientNoise, p.Clip)
	return err
}
