package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/learn/convex"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
)

// plannedAdditive is what plan --json prints for a class that is not searched.
type plannedAdditive struct {
	Rows       int64      `json:"rows"`
	Epsilon    string     `json:"epsilon"`
	Delta      string     `json:"delta"`
	Relation   string     `json:"relation"`
	Class      string     `json:"class"`
	Mechanisms []additive `json:"mechanisms"`
	Without    []string   `json:"without_delta,omitempty"` // mechanisms that need one

	Evaluation plannedEvaluation `json:"evaluation"`
}

// additive says how far a mechanism may be off.
type additive struct {
	Mechanism string `json:"mechanism"`

	// Of statistical: counts err by at most CountWidth, all of them, in 95 of 100
	// runs.
	CountWidth *float64 `json:"count_width_95,omitempty"`

	// Of dpsgd: GradientNoise is the standard deviation, in each of the Columns, of
	// the mean gradient of a step, of which a row's is cut to the norm Clip.
	GradientNoise *float64 `json:"gradient_noise,omitempty"`
	Columns       int      `json:"columns,omitempty"`
	Steps         int      `json:"steps,omitempty"`
	Clip          string   `json:"clip,omitempty"`

	// Of opsamp and exponential: the mean loss of a row exceeds the least in the box
	// by at most MeanExcess on average, and Excess in 95 of 100 runs.
	MeanExcess *float64 `json:"mean_excess,omitempty"`
	Excess     *float64 `json:"excess_95,omitempty"`

	said string // all of it, for people
}

// runAdditive plans for what is learned without a search.
func (f *planFlags) runAdditive(cmd *cobra.Command) error {
	schema, form, err := f.class.readAdditive(cmd)
	if err != nil {
		return err
	}
	if _, err := claimInputs(cmd, nil, f.class.schema); err != nil {
		return err
	}
	epsilon, relation, err := f.mechanism.privacyFlags.read()
	if err != nil {
		return err
	}
	if f.mechanism.rows < 1 {
		return fmt.Errorf("--rows %d is no number of rows", f.mechanism.rows)
	}
	delta, err := f.mechanism.parseDelta()
	if err != nil {
		return err
	}
	p := plannedAdditive{Rows: f.mechanism.rows, Epsilon: epsilon.String(), Delta: delta.String(), Relation: relation.String(), Class: form.Kind}
	all := mechanismsOf[form.Kind]
	names := slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		return delta.IsZero() && slices.Contains(approximateOnly, name)
	})
	if !delta.IsZero() && !slices.ContainsFunc(all, func(name string) bool { return slices.Contains(approximateOnly, name) }) {
		return f.mechanism.pure()
	}
	if err := f.checkStray(cmd, names); err != nil {
		return err
	}
	f.mechanism.caution(cmd)
	if p.Evaluation, err = planEvaluation(p.Rows, epsilon, relation); err != nil {
		return err
	}
	for _, name := range all {
		switch {
		case !slices.Contains(names, name):
			p.Without = append(p.Without, name)
			continue
		case name == model.Exponential:
			form = ofBox(cmd, form)
		}
		one, err := f.additive(name, schema, form, epsilon, delta, relation)
		if err != nil {
			return err
		}
		p.Mechanisms = append(p.Mechanisms, one)
	}
	return printing(cmd, p, p.write)
}

func (f *planFlags) additive(name string, s *table.Schema, form model.Additive, epsilon, delta privacy.Decimal, r privacy.Relation) (additive, error) {
	if name == model.Statistical {
		return plannedCounts(s, epsilon, r)
	}
	_, features, err := f.mechanism.readColumns(s)
	if err != nil {
		return additive{}, err
	}
	if name == model.DPSGD {
		m, err := f.mechanism.dpsgd(features, epsilon, delta, r)
		if err != nil {
			return additive{}, err
		}
		return plannedDescent(m, features), nil
	}
	if name == model.Exponential {
		m, _, err := f.mechanism.box(form, features, epsilon, r)
		if err != nil {
			return additive{}, err
		}
		return f.plannedBox(m, form), nil
	}
	m, err := f.mechanism.opsamp(form.Loss(), features, epsilon, delta, r)
	if err != nil {
		return additive{}, err
	}
	return f.plannedPerturbation(m), nil
}

func plannedCounts(s *table.Schema, epsilon privacy.Decimal, r privacy.Relation) (additive, error) {
	budget, err := privacy.NewPure(r, epsilon)
	if err != nil {
		return additive{}, err
	}
	cells := 0
	for _, n := range s.Sizes() {
		cells += 2 * n
	}
	width, err := learn.AnswerWidth(budget, cells, len(s.Attributes))
	return additive{
		Mechanism: model.Statistical, CountWidth: &width,
		said: fmt.Sprintf("the rows of either label are counted in every category, with noise.\nIn 95 of 100 runs no count is off by more than %.0f.", width),
	}, err
}

func plannedDescent(m *convex.DPSGD, features *convex.Features) additive {
	d := m.Descent()
	sigma2, _ := m.Sigma2().Float64()
	deviation := math.Sqrt(sigma2) / (float64(d.Grid) * d.Batch)
	return additive{
		Mechanism: model.DPSGD, GradientNoise: &deviation, Columns: features.Columns(), Steps: d.Steps, Clip: d.Clip.String(),
		said: fmt.Sprintf("%d steps over %d columns. A step's mean gradient has noise of the standard\ndeviation %.2g in every column; one row's is cut to a norm of %s. The parameters must not\nbe tuned on the data: ε does not cover that.", d.Steps, features.Columns(), deviation, d.Clip),
	}
}

func (f *planFlags) plannedPerturbation(m *convex.OPSamp) additive {
	e, n := m.Excess(f.mechanism.rows), float64(f.mechanism.rows)
	mean, most := e.Mean/n, e.Most/n
	return additive{
		Mechanism: model.OPSamp, MeanExcess: &mean, Excess: &most,
		said: fmt.Sprintf("the mean loss of a row (%v) exceeds the least in the box by at most %.3g\non average, and %.3g in 95 of 100 runs.", m.Perturbation().Loss, mean, most),
	}
}

func (f *planFlags) plannedBox(m *learn.Box, form model.Additive) additive {
	e, n := m.Excess(f.mechanism.rows), float64(f.mechanism.rows)*model.LossUnit(form)
	mean, most := e.Mean/n, e.Most/n
	return additive{
		Mechanism: model.Exponential, MeanExcess: &mean, Excess: &most,
		said: fmt.Sprintf("the mean loss of a row (%v) exceeds the least of all %v by\nat most %.3g on average, and %.3g in 95 of 100 runs. The guarantee is pure.", form.Loss(), m.Size(), mean, most),
	}
}

func (p plannedAdditive) write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%d rows, ε = %s, δ = %s, relation %s.\n", p.Rows, p.Epsilon, p.Delta, p.Relation)
	for _, m := range p.Mechanisms {
		if err == nil {
			_, err = fmt.Fprintf(w, "\n%s: %s\n", m.Mechanism, m.said)
		}
	}
	for _, name := range p.Without {
		if err == nil {
			_, err = fmt.Fprintf(w, "\n%s needs a --delta above 0, such as 1e-6.\n", name)
		}
	}
	if err != nil {
		return err
	}
	return p.Evaluation.write(w)
}
