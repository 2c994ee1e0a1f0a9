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

// mostEpsilons is the maximum number of values of ε that one plan compares.
const mostEpsilons = 20

// severalPlans is the output of plan --json for several values of ε.
type severalPlans struct {
	Plans []planned `json:"plans"`
}

// runSeveral plans for each value of ε, and compares the plans.
func (f *planFlags) runSeveral(cmd *cobra.Command, epsilons []string) error {
	if len(epsilons) > mostEpsilons {
		return fmt.Errorf("--epsilon has %d values, and at most %d can be compared; give fewer values", len(epsilons), mostEpsilons)
	}
	for _, epsilon := range epsilons {
		if _, err := privacy.ParseDecimal(epsilon); err != nil {
			return fmt.Errorf("--epsilon %w", err)
		}
	}
	var all severalPlans
	for _, epsilon := range epsilons {
		f.spend.epsilon = epsilon
		p, err := f.plan(cmd)
		if err != nil {
			return fmt.Errorf("for ε = %s: %w", epsilon, err)
		}
		all.Plans = append(all.Plans, p)
	}
	return cli.Print(cmd, all, all.write)
}

func (s severalPlans) write(w io.Writer) error {
	first := s.Plans[0]
	if _, err := fmt.Fprintf(w, "%d %s, δ = %s, relation %s.\n\n", first.Rows, first.schema.Unit(first.Rows), first.Delta, first.Relation); err != nil {
		return err
	}
	rows := [][]string{{"ε", "class", "excess on average", "in 95 of 100 runs", "counts within", "evaluate within"}}
	align := "  rrrr"
	for _, p := range s.Plans {
		class, b := p.learned()
		mean, most, counts := "–", "–", "–"
		if e := b.Excess; e != nil {
			mean, most = percent(e.MeanFraction), percent(e.MostFraction)
		}
		if b.CountWidth != nil {
			counts = fmt.Sprintf("%.0f", *b.CountWidth)
		}
		rows = append(rows, []string{p.Epsilon, class, mean, most, counts, report.Percent(&p.Evaluation.Fraction, 1)})
	}
	if first.Total != nil {
		align = " " + align
		for i := range rows {
			total := "ε in total"
			if i > 0 {
				total = s.Plans[i-1].epsilon.String()
			}
			rows[i] = append([]string{total}, rows[i]...)
		}
	}
	if err := report.WriteTable(w, rows, align); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "\nExcess: errors beyond those of the best hypothesis of the class, as a share of the %s%s.\nCounts within: the noise of all counts, in %s, in 95 of 100 runs.\nEvaluate within: the error of the share of misclassified %s that sibyl evaluate estimates with the same ε, in 95 of 100 runs.\n\n",
		first.schema.Unit(2), first.weighed(), first.schema.Unit(2), first.schema.Unit(2)); err != nil {
		return err
	}
	for _, p := range s.Plans {
		if _, err := fmt.Fprintln(w, report.Meaning(p.epsilon, p.delta, p.relation)); err != nil {
			return err
		}
	}
	return nil
}

// learned returns the class that the command learn would use, and the bound of the mechanism that it would use.
func (p planned) learned() (class string, b mechanism.Bound) {
	if taken := p.Candidates.Taken(); taken != nil {
		if taken.Bound != nil {
			b = *taken.Bound
		}
		return taken.Class, b
	}
	return p.named, p.usual
}

// epsilonsOf splits the values of --epsilon.
func epsilonsOf(epsilons string) []string {
	values := strings.Split(epsilons, ",")
	for i, v := range values {
		values[i] = strings.TrimSpace(v)
	}
	return values
}
