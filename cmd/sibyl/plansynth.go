package main

import (
	"fmt"
	"io"
	"math"
	"math/big"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newPlanSynth() *cobra.Command {
	f := &planSynthFlags{}
	cmd := &cobra.Command{
		Use:   "synth --schema S --rows N --epsilon 1 --delta 1e-9",
		Short: "Estimate the error of synthetic data, before any data is read",
		Long: `Plan synth divides the budget as synth does. It prints the noise of the counts, the
expected error of pairs of columns, and the time and memory of the release. It reads no
data and consumes no budget: all of this follows from the schema, the approximate number
of rows, ε and δ. With several values of ε, such as --epsilon 0.3,1,3, it prints one line
for each.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	cmd.SetHelpFunc(new(cobra.Command).HelpFunc()) // without this it would inherit plan's help, which lists classes
	f.synth.spend.registerEpsilon(cmd, "the privacy loss `ε` of the release, a decimal such as 1, or several such as 0.3,1,3 to compare")
	f.synth.spend.registerRelation(cmd, privacy.ReplaceOne.String())
	f.synth.registerWanted(cmd)
	cmd.Flags().Int64Var(&f.synth.spend.rows, "rows", 0, "the approximate number of `rows` of the data, or of persons if the schema has [person]; it must be public")
	for _, name := range []string{"schema", "rows", "epsilon", "delta"} {
		must(cmd.MarkFlagRequired(name))
	}
	return cmd
}

type planSynthFlags struct{ synth synthFlags }

// plannedSynth is the output of the command sibyl plan synth with --json.
type plannedSynth struct {
	Rows      int64           `json:"rows"`
	Epsilon   privacy.Decimal `json:"epsilon"`
	Delta     privacy.Decimal `json:"delta"`
	Relation  string          `json:"relation"`
	Rho       string          `json:"rho"`
	Columns   int             `json:"columns"`
	Functions int             `json:"functions"` // number of columns that a rule of the schema defines as functions of other columns
	Rounds    int             `json:"rounds"`

	NumberNoise float64  `json:"number_noise,omitempty"`   // standard deviation of the noise of the number of rows, if it is measured
	ColumnNoise float64  `json:"column_noise"`             // standard deviation of the noise of a count of one column
	Binned      int      `json:"binned_columns,omitempty"` // number of columns whose bins are measured
	BinNoise    float64  `json:"bin_noise,omitempty"`      // standard deviation of the noise of a count of a bin
	PairNoise   float64  `json:"pair_noise,omitempty"`     // standard deviation of the noise of a count of any other pair
	LabelNoise  float64  `json:"label_noise,omitempty"`    // standard deviation of the noise of a count of a pair with the label that is not in Wanted
	Wanted      []wanted `json:"wanted,omitempty"`         // pairs selected by --target and --pair
	RoundNoise  float64  `json:"round_noise,omitempty"`    // standard deviation of the noise of a count of a later round
	PairError   float64  `json:"pair_error,omitempty"`     // estimated mean L1 error of the marginals of pairs
	Counts      int64    `json:"counts"`                   // upper bound on the number of noisy counts
	Bytes       int64    `json:"bytes"`                    // upper bound on the memory
	Seconds     float64  `json:"seconds"`                  // estimated upper bound on the processor time

	Total *privacy.Statement `json:"total_guarantee,omitempty"` // the total guarantee, if --total is given

	label     string // the name of the label
	labelled  int    // the number of pairs with LabelNoise
	unit      string // "rows" or "persons"
	completed string // describes the profiles of the schema, with --total
	asked     asked
}

// wanted is a pair of columns to which the user gives a larger share of the privacy budget.
type wanted struct {
	Pair  [2]string `json:"pair"`
	Noise float64   `json:"noise"` // standard deviation of the noise of a count
}

func (f *planSynthFlags) run(cmd *cobra.Command) error {
	if epsilons := epsilonsOf(f.synth.spend.epsilon); len(epsilons) > 1 {
		all, err := planSeveral(&f.synth.spend, epsilons, func() (plannedSynth, error) { return f.plan(cmd) })
		if err != nil {
			return err
		}
		return cli.Print(cmd, all, func(w io.Writer) error { return compareSynth(w, all.Plans) })
	}
	p, err := f.plan(cmd)
	if err != nil {
		return err
	}
	caution(cmd, p.asked.epsilon)
	return cli.Print(cmd, p, p.write)
}

// plan plans a release of synthetic data for one ε.
func (f *planSynthFlags) plan(cmd *cobra.Command) (planned plannedSynth, err error) {
	r, err := f.synth.request(cmd, &bar{})
	if err != nil {
		return planned, err
	}
	p, err := r.Prepare()
	if err != nil {
		return planned, err
	}
	if _, err := claimInputs(cmd, nil, f.synth.schema); err != nil {
		return planned, err
	}
	planned = newPlannedSynth(&r, p)
	planned.Total, planned.completed = f.synth.spend.totalOf(p.Guarantee, r.Schema), f.synth.spend.completed(p.Guarantee, r.Schema)
	return planned, nil
}

func newPlannedSynth(r *release.Synthetic, p *release.PreparedSynthetic) plannedSynth {
	work := p.Plan.Work(r.Rows)
	out := plannedSynth{
		Rows: r.Rows, Epsilon: p.Guarantee.Epsilon, Delta: p.Guarantee.Delta, Relation: p.Plan.Relation.String(), Rho: p.Plan.Rho().RatString(),
		Columns: len(p.Layout.Flat.Attributes), Functions: len(p.Layout.Flat.Attributes) - len(p.Layout.Domain.Columns),
		Rounds: p.Plan.Rounds, ColumnNoise: p.Plan.ColumnDeviation(), Binned: p.Plan.Domain.Binned(), BinNoise: p.Plan.BinDeviation(), Counts: work.Counts, Bytes: work.Bytes, Seconds: work.Seconds, unit: r.Schema.Unit(r.Rows), asked: asked{r.Epsilon, r.Delta, p.Plan.Relation},
	}
	if p.Plan.Contrasts {
		out.NumberNoise = root(p.Plan.Column.Sigma2)
	}
	if out.Rounds > 0 {
		out.RoundNoise = root(p.Plan.Round.Sigma2)
	}
	if len(p.Plan.Pairs) == 0 {
		return out
	}
	out.PairError = p.Plan.PairError(r.Rows)
	for i, pair := range p.Plan.Pairs {
		switch d := p.Plan.Deviation(i); {
		case p.Wants(pair):
			out.Wanted = append(out.Wanted, wanted{[2]string{p.Layout.Name(pair[0]), p.Layout.Name(pair[1])}, d})
		case p.Layout.Domain.Outcome && pair[1] == len(p.Layout.Domain.Columns)-1:
			out.labelled++
			out.LabelNoise, out.label = max(out.LabelNoise, d), p.Layout.Name(pair[1])
		default:
			out.PairNoise = max(out.PairNoise, d)
		}
	}
	return out
}

// compareSynth prints a table of plans for several values of ε. The table states the largest noise among all
// pairs.
func compareSynth(w io.Writer, plans []plannedSynth) error {
	first := plans[0]
	if _, err := fmt.Fprintf(w, "Synthetic data of %d columns from %d %s, δ = %s, relation %s.\n\n", first.Columns, first.Rows, first.unit, first.Delta, first.Relation); err != nil {
		return err
	}
	c := comparison{
		rows: [][]string{{"ε", "noise of columns", "of bins", "of pairs", "error of pairs", "time", "memory"}}, align: " rrrrrr", total: first.Total != nil,
		notes: fmt.Sprintf("Noise: the standard deviation of a count of one column, of a bin within an interval, and of a pair of columns, in %s.\nError of pairs: about the mean L1 error, Σ |p − q| over the cells, of at most 2. It is not a bound.\nTime and memory: about the maximum for the release.\n", first.unit),
	}
	shown := func(format string, x float64) string {
		if x == 0 {
			return "–"
		}
		return fmt.Sprintf(format, x)
	}
	for _, p := range plans {
		pair := max(p.PairNoise, p.LabelNoise)
		for _, of := range p.Wanted {
			pair = max(pair, of.Noise)
		}
		c.rows = append(c.rows, []string{
			p.Epsilon.String(), shown("± %.3g", p.ColumnNoise), shown("± %.3g", p.BinNoise), shown("± %.3g", pair), shown("%.2g", p.PairError),
			mechanism.Seconds(p.Seconds), mechanism.Size(p.Bytes),
		})
		c.asked = append(c.asked, p.asked)
	}
	return c.write(w)
}

// root returns the square root of r ≥ 0 in floating point.
func root(r *big.Rat) float64 {
	x, _ := r.Float64()
	return math.Sqrt(x)
}

func (p plannedSynth) write(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "Synthetic data of %d columns from %d %s, ε = %s, δ = %s, relation %s.\n%s\n", p.Columns, p.Rows, p.unit, p.Epsilon, p.Delta, p.Relation, p.completed); err != nil {
		return err
	}
	rows := [][]string{{"measured", "number", "noise of a count", "of " + p.unit}}
	row := func(what string, times int, noise float64) {
		share := noise / float64(p.Rows)
		rows = append(rows, []string{what, fmt.Sprint(times), fmt.Sprintf("± %.3g", noise), report.SmallPercent(share, 1)})
	}
	if p.NumberNoise > 0 {
		row("number of "+p.unit, 1, p.NumberNoise)
	}
	counted := p.Columns - p.Functions
	row("columns", counted, p.ColumnNoise)
	if p.Binned > 0 {
		row("bins within intervals of columns", p.Binned, p.BinNoise)
	}
	if pairs := counted * (counted - 1) / 2; pairs > 0 {
		if more := pairs - len(p.Wanted) - p.labelled; more > 0 {
			row("pairs of columns", more, p.PairNoise)
		}
		if p.labelled > 0 {
			row("pairs with "+p.label, p.labelled, p.LabelNoise)
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
	text := "\nThe noise is a standard deviation.\n"
	if p.PairError > 0 {
		text += fmt.Sprintf("The mean L1 error of the pairs of columns, Σ |p − q| over the cells, is about %.2g of at most 2.\nThis estimate comes from public tables of 10 to 20 columns. It is not a bound.\n", p.PairError)
	}
	text += fmt.Sprintf("\nThe release samples at most %s noisy counts. It takes at most about %s of one processor and\n%s of memory, and less if the columns are nearly independent. It also holds the file of\nrows in memory while it writes this file.\n", grouped(p.Counts), mechanism.Seconds(p.Seconds), mechanism.Size(p.Bytes))
	if p.Functions > 0 {
		text += fmt.Sprintf("It does not measure the columns that are functions of others by the schema's rules (%d).\n", p.Functions)
	}
	_, err := io.WriteString(w, text)
	return err
}
