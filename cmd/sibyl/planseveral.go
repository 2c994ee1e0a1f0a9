package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/privacy"
)

// mostEpsilons is the maximum number of values of ε for which one command compares plans.
const mostEpsilons = 20

// severalPlans is the output of the commands sibyl plan and sibyl plan synth with --json for several values of ε.
type severalPlans[P any] struct {
	Plans []P `json:"plans"`
}

// planSeveral calls the function plan for each of several values of ε.
func planSeveral[P any](f *spendFlags, epsilons []string, plan func() (P, error)) (all severalPlans[P], err error) {
	if len(epsilons) > mostEpsilons {
		return all, fmt.Errorf("--epsilon has %d values, and at most %d can be compared; give fewer values", len(epsilons), mostEpsilons)
	}
	for _, epsilon := range epsilons {
		if _, err := privacy.ParseDecimal(epsilon); err != nil {
			return all, fmt.Errorf("--epsilon %w", err)
		}
	}
	for _, epsilon := range epsilons {
		f.epsilon = epsilon
		p, err := plan()
		if err != nil {
			return all, fmt.Errorf("for ε = %s: %w", epsilon, err)
		}
		all.Plans = append(all.Plans, p)
	}
	return all, nil
}

// A comparison is a text table that compares plans for several values of ε.
type comparison struct {
	rows  [][]string // the first row has the names of the columns; the first column is the ε of the release
	align string
	notes string // explains the columns
	asked []asked
	total bool // whether the values of --epsilon include the profiles of the schema
}

// asked holds the guarantee that the flags of one plan request.
type asked struct {
	epsilon, delta privacy.Decimal
	relation       privacy.Relation
}

// write prints the table, its notes, and the meaning of each ε.
func (c comparison) write(w io.Writer) error {
	if c.total {
		c.align = " " + c.align
		for i := range c.rows {
			total := "ε in total"
			if i > 0 {
				total = c.asked[i-1].epsilon.String()
			}
			c.rows[i] = append([]string{total}, c.rows[i]...)
		}
	}
	if err := report.WriteTable(w, c.rows, c.align); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "\n%s\n", c.notes); err != nil {
		return err
	}
	for _, a := range c.asked {
		if _, err := fmt.Fprintln(w, report.Meaning(a.epsilon, a.delta, a.relation)); err != nil {
			return err
		}
	}
	return nil
}

// runSeveral plans the release for each ε, and prints a comparison of the plans.
func (f *planFlags) runSeveral(cmd *cobra.Command, epsilons []string) error {
	all, err := planSeveral(&f.spend, epsilons, func() (planned, error) { return f.plan(cmd) })
	if err != nil {
		return err
	}
	return cli.Print(cmd, all, func(w io.Writer) error { return comparePlans(w, all.Plans) })
}

func comparePlans(w io.Writer, plans []planned) error {
	first := plans[0]
	if _, err := fmt.Fprintf(w, "%d %s, δ = %s, relation %s.\n\n", first.Rows, first.schema.Unit(first.Rows), first.Delta, first.Relation); err != nil {
		return err
	}
	unit := first.schema.Unit(2)
	c := comparison{
		rows: [][]string{{"ε", "class", "excess on average", "in 95 of 100 runs", "counts within", "evaluate within"}}, align: "  rrrr", total: first.Total != nil,
		notes: fmt.Sprintf("Excess: errors beyond those of the best hypothesis of the class, as a share of the %s%s.\nCounts within: the noise of all counts, in %s, in 95 of 100 runs.\nEvaluate within: the error of the share of misclassified %s that sibyl evaluate estimates with the same ε, in 95 of 100 runs.\n",
			unit, first.weighed(), unit, unit),
	}
	for _, p := range plans {
		class, b := p.learned()
		mean, most, counts := "–", "–", "–"
		if e := b.Excess; e != nil {
			mean, most = percent(e.MeanFraction), percent(e.MostFraction)
		}
		if b.CountWidth != nil {
			counts = fmt.Sprintf("%.0f", *b.CountWidth)
		}
		c.rows = append(c.rows, []string{p.Epsilon, class, mean, most, counts, report.Percent(&p.Evaluation.Fraction, 1)})
		c.asked = append(c.asked, p.asked)
	}
	return c.write(w)
}

// learned returns the class and the bound of the mechanism that sibyl learn would use.
func (p planned) learned() (class string, b mechanism.Bound) {
	if taken := p.Candidates.Taken(); taken != nil {
		if taken.Bound != nil {
			b = *taken.Bound
		}
		return taken.Class, b
	}
	return p.named, p.usual
}

// epsilonsOf splits the value of the flag --epsilon, a comma-separated list of values.
func epsilonsOf(epsilons string) []string {
	values := strings.Split(epsilons, ",")
	for i, v := range values {
		values[i] = strings.TrimSpace(v)
	}
	return values
}
