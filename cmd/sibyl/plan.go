package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/oracle"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/report"
	"github.com/sibyl-dp/sibyl/table"
)

func newPlan() *cobra.Command {
	f := &planFlags{}
	cmd := &cobra.Command{
		Use:   "plan --schema S --rows N --epsilon 0.5",
		Short: "Bound the error that privacy will cost, before any data is touched",
		Long: `Plan says for every mechanism how many errors more than the best of the
class it makes at most: on average, and in 95 of 100 runs. The bounds hold
for every table of that many rows, so they are computed from public numbers
alone; on real data the excess is usually smaller. For a class that is not
searched no such bound is known; Plan tells the noise instead.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.class.additive() {
				return f.runAdditive(cmd)
			}
			return f.run(cmd)
		},
	}
	f.class.register(cmd)
	f.class.registerBalanced(cmd)
	f.class.registerAdditive(cmd)
	f.mechanism.registerAdditive(cmd)
	f.mechanism.privacyFlags.register(cmd, "the privacy loss `ε`, a decimal such as 0.5")
	f.mechanism.registerDelta(cmd)
	f.mechanism.registerSample(cmd)
	f.mechanism.registerCalls(cmd)
	cmd.Flags().BoolVar(&f.boosts, "boost", false, "plan boost too, which needs --relation replace")
	cmd.Flags().Int64Var(&f.mechanism.rows, "rows", 0, "about how many `rows` the table has")
	must(cmd.MarkFlagRequired("rows"))
	must(cmd.MarkFlagRequired("epsilon"))
	return cmd
}

type planFlags struct {
	class     classFlags
	mechanism mechanismFlags
	boosts    bool
}

// planned is what plan --json prints.
type planned struct {
	Rows       int64    `json:"rows"`
	Epsilon    string   `json:"epsilon"`
	Delta      string   `json:"delta"`
	Relation   string   `json:"relation"`
	Class      string   `json:"class"`
	Members    []string `json:"members,omitempty"` // of a union
	Size       string   `json:"class_size"`
	Effort     effort   `json:"effort"`
	Mechanisms []option `json:"mechanisms"`
	Boost      *boosted `json:"boost,omitempty"` // with --boost
	Choice     string   `json:"choice"`
	Why        string   `json:"why"`

	Evaluation plannedEvaluation `json:"evaluation"`
}

// boosted tells how boost divides the rows, and bounds its risk.
type boosted struct {
	Parts      int     `json:"parts"`
	PartRows   int64   `json:"part_rows"`
	Validation int64   `json:"validation"`
	Risk       float64 `json:"risk_95"` // the expected loss of a new row beyond the least, where rows are independent draws
}

// An option is a mechanism with bounds on its excess cost over the best of the
// class, which is in errors where every error costs 1.
type option struct {
	Mechanism    string  `json:"mechanism"`
	Noise        string  `json:"noise,omitempty"`
	Sample       int64   `json:"sample,omitempty"`      // rows that are drawn from
	SampleRate   string  `json:"sample_rate,omitempty"` // with which they are drawn
	Mean         float64 `json:"mean_excess"`
	MeanFraction float64 `json:"mean_excess_fraction"` // of the rows
	Most         float64 `json:"excess_95"`
	MostFraction float64 `json:"excess_95_fraction"`

	// Approximate tells that the guarantee has the δ; all others are pure.
	Approximate bool   `json:"approximate"`
	PRSMA       *parts `json:"prsma,omitempty"`
}

func (o option) name() string {
	switch {
	case o.Sample > 0:
		return fmt.Sprintf("%s, %d rows", o.Mechanism, o.Sample)
	case o.SampleRate != "":
		return fmt.Sprintf("%s, %s of the rows", o.Mechanism, o.SampleRate)
	case o.Noise != "":
		return o.Mechanism + " " + o.Noise
	}
	return o.Mechanism
}

func (f *planFlags) run(cmd *cobra.Command) error {
	epsilon, relation, err := f.mechanism.privacyFlags.read()
	if err != nil {
		return err
	}
	delta, err := f.mechanism.parseDelta()
	if err != nil {
		return err
	}
	if f.mechanism.rows < 1 {
		return fmt.Errorf("--rows %d is no number of rows", f.mechanism.rows)
	}
	names := []string{model.Exponential, model.RSPM, model.OPDisc}
	if !delta.IsZero() && relation == privacy.ReplaceOne {
		names = append(names, model.PRSMA)
	}
	if err := f.checkStray(cmd, names); err != nil {
		return err
	}
	schema, family, err := f.class.read(cmd, exponentialRate(epsilon, relation, f.class.loss))
	if err != nil {
		return err
	}
	if _, err := claimInputs(cmd, nil, f.class.schema); err != nil {
		return err
	}
	c, err := family.Over(schema)
	if err != nil {
		return err
	}
	f.mechanism.caution(cmd)
	p := planned{Rows: f.mechanism.rows, Epsilon: epsilon.String(), Delta: delta.String(), Relation: relation.String(), Size: c.Size().String()}
	if err := model.CheckRows(c, schema, f.mechanism.rows); err != nil {
		return err
	}
	if p.Effort, err = effortOf(c, f.class.class, schema, f.mechanism.rows); err != nil {
		return err
	}
	if p.Class, p.Members, err = describe(family, c, schema); err != nil {
		return err
	}
	if p.Mechanisms, err = f.options(c, epsilon, relation); err != nil {
		return err
	}
	if !delta.IsZero() {
		approximate, err := f.approximate(c, epsilon, delta, relation)
		if err != nil {
			return err
		}
		p.Mechanisms = append(p.Mechanisms, approximate...)
	}
	if p.Boost, err = f.boost(c, epsilon, relation); err != nil {
		return err
	}
	if p.Evaluation, err = planEvaluation(p.Rows, epsilon, relation); err != nil {
		return err
	}
	p.choose(f.class.loss)
	return printing(cmd, p, p.write)
}

// checkStray reports a flag that none of the planned mechanisms has.
func (f *planFlags) checkStray(cmd *cobra.Command, mechanisms []string) error {
	if flag, with := strayOf(cmd, mechanisms, "rows"); flag != "" {
		return fmt.Errorf("--%s goes with --mechanism %s, which is not planned for this class, --relation and --delta", flag, with)
	}
	return nil
}

// boost plans the division of the rows, which are public under replace.
func (f *planFlags) boost(c model.Class, epsilon privacy.Decimal, r privacy.Relation) (*boosted, error) {
	if !f.boosts {
		return nil, nil
	}
	if err := f.mechanism.checkRows("--boost", r); err != nil {
		return nil, err
	}
	base, err := learn.NewExponential(c, epsilon, r, f.class.loss)
	if err != nil {
		return nil, err
	}
	plan, risk, err := planBoost("--boost", base, f.mechanism.rows, epsilon)
	if err != nil {
		return nil, err
	}
	return &boosted{plan.Parts, plan.Train(), plan.Validation, min(risk, float64(f.class.loss.Range()))}, nil
}

// options bounds every mechanism whose guarantee is pure.
func (f *planFlags) options(c model.Class, epsilon privacy.Decimal, r privacy.Relation) ([]option, error) {
	m, err := learn.NewExponential(c, epsilon, r, f.class.loss)
	if err != nil {
		return nil, err
	}
	options := []option{f.option(model.Exponential, "", m)}
	if f.mechanism.samples() {
		m, err := f.mechanism.exponential(c, epsilon, r, f.class.loss)
		if err != nil {
			return nil, err
		}
		one := f.option(model.Exponential, "", m.learner.(bounded))
		one.Sample, one.SampleRate = f.mechanism.sample, f.mechanism.sampleRate
		options = append(options, one)
	}
	for _, kind := range []learn.Noise{learn.Laplace, learn.Cube} {
		m, err := learn.NewRSPM(oracle.Search(c), kind, epsilon, r, f.class.loss, 0)
		if err != nil {
			return nil, err
		}
		options = append(options, f.option(model.RSPM, kind.String(), m))
	}
	ball, err := learn.NewOPDisc(oracle.Search(c), epsilon, privacy.Decimal{}, r, f.class.loss, 0)
	if err != nil {
		return nil, err
	}
	return append(options, f.option(model.OPDisc, "", ball)), nil
}

// approximate bounds those whose guarantee has a δ. Without a plan for it there
// is no prsma.
func (f *planFlags) approximate(c model.Class, epsilon, delta privacy.Decimal, r privacy.Relation) ([]option, error) {
	o := oracle.Search(c)
	gauss, err := learn.NewGaussianRSPM(o, epsilon, delta, r, f.class.loss, 0)
	if err != nil {
		return nil, err
	}
	disc, err := learn.NewOPDisc(o, epsilon, delta, r, f.class.loss, 0)
	if err != nil {
		return nil, err
	}
	options := []option{f.option(model.RSPM, model.Gauss, gauss), f.option(model.OPDisc, model.Gauss, disc)}
	for i := range options {
		options[i].Approximate = true
	}
	if r != privacy.ReplaceOne {
		return options, nil
	}
	plan, err := planPRSMA(f.mechanism.rows, f.mechanism.calls, epsilon, delta)
	if errors.Is(err, learn.ErrNoPlan) {
		return options, nil
	}
	if err != nil {
		return nil, err
	}
	for _, kind := range []learn.Noise{learn.Laplace, learn.Cube} {
		base, err := learn.NewRSPM(o, kind, plan.BaseEpsilon, r, f.class.loss, 0)
		if err != nil {
			return nil, err
		}
		m, err := prsmaOver(base, 1, plan)
		if err != nil {
			return nil, err
		}
		bounds, err := plan.Check()
		if err != nil {
			return nil, err
		}
		one := f.option(model.PRSMA, kind.String(), answering{m})
		one.Approximate = true
		one.PRSMA = &parts{
			plan.Parts, plan.PartRows(), plan.Runs, plan.Calls(), plan.BaseEpsilon.String(),
			bounds.Refusal, bounds.Epsilon.String(), bounds.Delta.String(),
		}
		options = append(options, one)
	}
	return options, nil
}

// parts tell how prsma divides a table.
type parts struct {
	Parts       int     `json:"parts"`
	PartRows    int64   `json:"part_rows"`
	Runs        int64   `json:"runs"` // in each part
	Calls       int64   `json:"calls"`
	BaseEpsilon string  `json:"base_epsilon"`
	Refusal     float64 `json:"refusal"` // the probability of releasing nothing if no call fails
	Epsilon     string  `json:"epsilon"`
	Delta       string  `json:"delta"`
}

// describe says what is in a class, and for a union what is in each member.
func describe(f model.Family, c model.Class, s *table.Schema) (class string, members []string, err error) {
	u, ok := f.(model.Union)
	if !ok {
		class, things := c.String(), report.Things(f.Name())
		if !strings.Contains(class, things) {
			class = things + ", as " + class
		}
		return class, nil, nil
	}
	for _, m := range u.Members {
		c, err := m.Family.Over(s)
		if err != nil {
			return "", nil, err
		}
		member, _, err := describe(m.Family, c, s)
		if err != nil {
			return "", nil, err
		}
		members = append(members, fmt.Sprintf("%s; there are %v, charged %d each", member, c.Size(), m.Penalty))
	}
	return fmt.Sprintf("a union of %d", len(members)), members, nil
}

// bounded is what tells its excess before it sees data.
type bounded interface{ Excess(rows int64) learn.Excess }

func (f *planFlags) option(mechanism, noise string, m bounded) option {
	e := m.Excess(f.mechanism.rows)
	n := float64(f.mechanism.rows)
	return option{Mechanism: mechanism, Noise: noise, Mean: e.Mean, MeanFraction: e.Mean / n, Most: e.Most, MostFraction: e.Most / n}
}

// choose takes the least bound; exponential, the first, where bounds are equal.
func (p *planned) choose(l learn.Loss) {
	best := p.Mechanisms[0]
	for _, o := range p.Mechanisms[1:] {
		if o.Most < best.Most {
			best = o
		}
	}
	p.Choice = best.name()
	switch {
	case best.Most >= float64(p.Rows)*float64(l.Range()):
		p.Why = "no mechanism has a bound below the worst that can happen; take more rows, a larger ε or a smaller class"
	case best.Mechanism == "exponential":
		p.Why = "its bound is the least, and its guarantee rests on no solver"
	default:
		p.Why = "its bound is the least"
	}
}

func (p planned) write(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "The class: %s; there are %s.\n", p.Class, p.Size); err != nil {
		return err
	}
	for _, m := range p.Members {
		if _, err := fmt.Fprintf(w, "  - %s\n", m); err != nil {
			return err
		}
	}
	delta := ""
	if p.Delta != "0" {
		delta = fmt.Sprintf(" (of gauss and prsma, δ = %s)", p.Delta)
	}
	_, err := fmt.Fprintf(w, "%d rows, ε = %s%s, relation %s. How much worse than the best of the class, at most:\n\n",
		p.Rows, p.Epsilon, delta, p.Relation)
	if err != nil {
		return err
	}
	rows := [][]string{{"mechanism", "on average", "of rows", "in 95 of 100 runs", "of rows"}}
	for _, o := range p.Mechanisms {
		rows = append(rows, []string{
			o.name(),
			fmt.Sprintf("%.0f", math.Ceil(o.Mean)), percent(o.MeanFraction),
			fmt.Sprintf("%.0f", math.Ceil(o.Most)), percent(o.MostFraction),
		})
	}
	if err := report.WriteTable(w, rows, "lrrrr"); err != nil {
		return err
	}
	if err := p.writePRSMA(w); err != nil {
		return err
	}
	if b := p.Boost; b != nil {
		_, err := fmt.Fprintf(w, "\nboost: %d parts of %d rows, and %d to pick by. If rows are independent draws, the expected\nloss of a new one exceeds the least by at most %.3f, in 95 of 100 runs.\n", b.Parts, b.PartRows, b.Validation, b.Risk)
		if err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(w, "\nTake %s: %s.\n\n%s\n", p.Choice, p.Why, p.Effort.said(p.Rows)); err != nil {
		return err
	}
	return p.Evaluation.write(w)
}

// writePRSMA tells how prsma divides the table, or that it cannot.
func (p planned) writePRSMA(w io.Writer) error {
	if p.Delta == "0" || p.Relation != privacy.ReplaceOne.String() {
		return nil
	}
	d := p.Mechanisms[len(p.Mechanisms)-1].PRSMA
	if d == nil {
		_, err := fmt.Fprintf(w, "\nprsma has no plan for this; more rows, more --calls or a greater --delta help.\n")
		return err
	}
	_, err := fmt.Fprintf(w, "\nprsma: %d parts of %d rows, with %d runs on each: %d calls of the oracle, each with ε′ = %s.\nEven if none fails it releases nothing with a probability of %s. It is for oracles\nthat may fail: its bound counts runs that do not. All of it has ε = %s and δ = %s.\n",
		d.Parts, d.PartRows, d.Runs, d.Calls, d.BaseEpsilon, percent(d.Refusal), d.Epsilon, d.Delta)
	return err
}

func percent(share float64) string { return fmt.Sprintf("%.2f %%", 100*share) }
