package main

import (
	"fmt"
	"io"
	"math"
	"math/big"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newPlanSynth() *cobra.Command {
	f := &planSynthFlags{}
	cmd := &cobra.Command{
		Use:   "synth --schema S --rows N --epsilon 1 --delta 1e-9",
		Short: "Estimate the error of synthetic data, before any data is read",
		Long: `Plan synth divides the budget as synth will, and tells the noise of each count, how
far pairs of columns may be expected to be off, and what the release takes. All of it
is computed from public numbers: the schema, about how many rows there are, ε and δ.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	cmd.SetHelpFunc(new(cobra.Command).HelpFunc()) // plan's own tells of classes
	f.synth.spend.registerPromise(cmd, "the privacy loss `ε`, a decimal such as 1")
	f.synth.spend.registerRelation(cmd, privacy.ReplaceOne.String())
	f.synth.registerWanted(cmd)
	cmd.Flags().Int64Var(&f.synth.spend.rows, "rows", 0, "about how many `rows` the table has")
	for _, name := range []string{"schema", "rows", "epsilon", "delta"} {
		must(cmd.MarkFlagRequired(name))
	}
	return cmd
}

type planSynthFlags struct{ synth synthFlags }

// plannedSynth is the output of plan synth --json.
type plannedSynth struct {
	Rows      int64           `json:"rows"`
	Epsilon   privacy.Decimal `json:"epsilon"`
	Delta     privacy.Decimal `json:"delta"`
	Relation  string          `json:"relation"`
	Rho       string          `json:"rho"`
	Columns   int             `json:"columns"`
	Functions int             `json:"functions"`
	Rounds    int             `json:"rounds"`

	ColumnNoise float64  `json:"column_noise"` // standard deviations of counts
	PairNoise   float64  `json:"pair_noise,omitempty"`
	Wanted      []wanted `json:"wanted,omitempty"`
	RoundNoise  float64  `json:"round_noise,omitempty"`
	PairError   float64  `json:"pair_error,omitempty"` // mean L1, about
	Counts      int64    `json:"counts"`
	Bytes       int64    `json:"bytes"`
	Seconds     float64  `json:"seconds"`
	unit        string
}

// wanted is a pair of columns with a larger share of the budget.
type wanted struct {
	Pair  [2]string `json:"pair"`
	Noise float64   `json:"noise"`
}

func (f *planSynthFlags) run(cmd *cobra.Command) error {
	r, err := f.synth.request(cmd, &bar{})
	if err != nil {
		return err
	}
	p, err := r.Prepare()
	if err != nil {
		return err
	}
	if _, err := claimInputs(cmd, nil, f.synth.schema); err != nil {
		return err
	}
	caution(cmd, r.Epsilon)
	planned := newPlannedSynth(&r, p)
	return printing(cmd, planned, planned.write)
}

func newPlannedSynth(r *release.Synthetic, p *release.PreparedSynthetic) plannedSynth {
	work := p.Plan.Work(r.Rows)
	out := plannedSynth{
		Rows: r.Rows, Epsilon: r.Epsilon, Delta: r.Delta, Relation: p.Plan.Relation.String(), Rho: p.Plan.Rho().RatString(),
		Columns: len(p.Layout.Flat.Attributes), Functions: len(p.Layout.Flat.Attributes) - len(p.Layout.Domain.Columns),
		Rounds: p.Plan.Rounds, ColumnNoise: root(p.Plan.Column.Sigma2), Counts: work.Counts, Bytes: work.Bytes, Seconds: work.Seconds, unit: r.Schema.Unit(r.Rows),
	}
	if out.Rounds > 0 {
		out.RoundNoise = root(p.Plan.Round.Sigma2)
	}
	if len(p.Plan.Pairs) == 0 {
		return out
	}
	out.PairError = p.Plan.PairError(r.Rows)
	usual := p.Plan.Pair[0].Sigma2
	for _, law := range p.Plan.Pair {
		if law.Sigma2.Cmp(usual) > 0 {
			usual = law.Sigma2
		}
	}
	for i, pair := range p.Plan.Pairs {
		if d := p.Plan.Deviation(i); p.Plan.Pair[i].Sigma2.Cmp(usual) < 0 {
			out.Wanted = append(out.Wanted, wanted{[2]string{p.Layout.Name(pair[0]), p.Layout.Name(pair[1])}, d})
		} else {
			out.PairNoise = max(out.PairNoise, d)
		}
	}
	return out
}

// root formats the square root of a positive fraction.
func root(r *big.Rat) float64 {
	x, _ := r.Float64()
	return math.Sqrt(x)
}

func (p plannedSynth) write(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "Synthetic data of %d columns from %d %s, ε = %s, δ = %s, relation %s.\n\n", p.Columns, p.Rows, p.unit, p.Epsilon, p.Delta, p.Relation); err != nil {
		return err
	}
	rows := [][]string{{"measured", "times", "noise of a count", "of " + p.unit}}
	row := func(what string, times int, noise float64) {
		share := noise / float64(p.Rows)
		rows = append(rows, []string{what, fmt.Sprint(times), fmt.Sprintf("± %.3g", noise), report.Percent(&share, 1)})
	}
	counted := p.Columns - p.Functions
	row("columns", counted, p.ColumnNoise)
	if pairs := counted * (counted - 1) / 2; pairs > 0 {
		if more := pairs - len(p.Wanted); more > 0 {
			row("pairs of columns", more, p.PairNoise)
		}
		for _, pair := range p.Wanted {
			row(fmt.Sprintf("%s and %s", pair.Pair[0], pair.Pair[1]), 1, pair.Noise)
		}
	}
	if p.Rounds > 0 {
		row("worst-fitting marginal", p.Rounds, p.RoundNoise)
	}
	if err := report.WriteTable(w, rows, "lrrr"); err != nil {
		return err
	}
	text := ""
	if p.PairError > 0 {
		text += fmt.Sprintf("\nThe shares of the cells of a pair of columns, taken together, are about %.2g off (Σ |p − q|,\nat most 2). This was measured on public tables of ten to twenty columns, and is no bound.\n", p.PairError)
	}
	text += fmt.Sprintf("\nThe release draws at most %s counts, and takes at most about %s of one processor's time and\n%s of memory: less where columns have little to do with each other.\n", grouped(p.Counts), seconds(p.Seconds), size(p.Bytes))
	if p.Functions > 0 {
		text += fmt.Sprintf("%d of the columns follow from others by public rules, and are not counted.\n", p.Functions)
	}
	_, err := io.WriteString(w, text)
	return err
}
