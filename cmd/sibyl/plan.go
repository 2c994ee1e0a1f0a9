package main

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newPlan() *cobra.Command {
	f := &planFlags{}
	cmd := &cobra.Command{
		Use:   "plan [CLASS] --schema S --rows N --epsilon 0.5",
		Short: "Bound the error due to privacy, before any data is read",
		Long: `Plan bounds the error that privacy causes, for each mechanism: by how much the errors
of the released hypothesis exceed those of the best hypothesis of the class, on
average and in 95 of 100 runs. The bounds hold for every table with that number of
rows, so plan reads no data and consumes no budget. On real data the excess is usually
smaller. For classes without such a bound, such as naive-bayes and logistic, plan
prints the amount of noise instead.

Without a class, plan shows the candidates among which learn chooses from the same
public facts, the chosen one, and the reasons. With several values of ε, such as
--epsilon 0.1,0.3,1, it prints one line for each. For synthetic data see
sibyl plan synth --help, and for counts of pairs of columns sibyl plan pairs --help.`,
		Args: f.class.argument,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.class.register(cmd, model.Kinds())
	f.class.choose(cmd)
	f.class.registerBalanced(cmd)
	f.class.registerMechanisms(cmd)
	f.spend.registerEpsilon(cmd, "the privacy loss `ε` of the release, a decimal such as 0.5, or several such as 0.1,0.3,1 to compare")
	f.spend.registerRelation(cmd, privacy.ReplaceOne.String())
	f.spend.registerDelta(cmd)
	f.spend.registerRisk(cmd)
	f.spend.registerTotal(cmd)
	cmd.Flags().BoolVar(&f.boosts, "boost", false, "also plan the mechanism boost, which learns on several parts of the rows and selects the best result; this requires --relation replace")
	cmd.Flags().Int64Var(&f.spend.rows, "rows", 0, "the approximate number of `rows` of the data, or of persons if the schema has [person]; it must be public")
	must(cmd.MarkFlagRequired("rows"))
	must(cmd.MarkFlagRequired("epsilon"))
	setClassHelp(cmd, &f.class, "schema", "rows", "epsilon")
	cmd.AddCommand(newPlanSynth(), newPlanPairs())
	return cmd
}

type planFlags struct {
	class  classFlags
	spend  spendFlags
	boosts bool
}

// planned is the output of the command sibyl plan with --json.
type planned struct {
	Rows        int64               `json:"rows"`
	Epsilon     string              `json:"epsilon"`
	Delta       string              `json:"delta"`
	Relation    string              `json:"relation"`
	Candidates  release.Choice      `json:"candidates,omitempty"` // if no class is named
	Class       string              `json:"class"`
	Members     []string            `json:"members,omitempty"`    // the classes of a union
	Size        string              `json:"class_size,omitempty"` // the number of hypotheses, if the mechanism chooses from a class
	Effort      *mechanism.Effort   `json:"effort,omitempty"`
	Mechanisms  []mechanism.Bound   `json:"mechanisms"`
	Without     []string            `json:"without_delta,omitempty"` // mechanisms without a bound because they need a δ above 0
	Boost       *mechanism.Division `json:"boost,omitempty"`         // the division of the rows by boosting
	RiskEpsilon string              `json:"risk_epsilon,omitempty"`  // the part of ε for the risks
	Choice      string              `json:"choice,omitempty"`
	Why         string              `json:"why,omitempty"`
	Caution     string              `json:"caution,omitempty"` // set if predicting a constant has a lower bound

	Evaluation plannedEvaluation `json:"evaluation"`

	Total *privacy.Statement `json:"total_guarantee,omitempty"` // the total guarantee, if --total is given; Epsilon and Delta are then the parts that remain after the profiles

	grades risk.Kind // the kind of grade (total, leaf, …) that each risk belongs to
	costs  learn.Loss
	schema *table.Schema
	named  string          // the class as it was named, or "" if no class was named
	usual  mechanism.Bound // the bound of the recommended mechanism
	asked  asked

	completed string // describes the profiles of the schema, with --total
}

// plannedEvaluation holds bounds on the errors of the estimates that sibyl evaluate would release for the learned
// model, with the same ε. All three bounds hold together with probability 0.95.
type plannedEvaluation struct {
	Errors   *big.Int `json:"errors_within"`          // bound for the number of misclassified rows
	Outcomes *big.Int `json:"outcomes_within"`        // bound for each cell of the confusion matrix, in rows
	Fraction float64  `json:"errors_within_fraction"` // Errors as a fraction of the rows, rounded up
}

func (p planned) writeEvaluation(w io.Writer) error {
	_, err := fmt.Fprintf(w, "\nIf sibyl evaluate then uses ε = %s, it estimates the number of misclassifications to within %v %s (%s)\nand each cell of the confusion matrix to within %v, in 95 of 100 runs.\n",
		p.Epsilon, p.Evaluation.Errors, p.schema.Unit(2), report.Percent(&p.Evaluation.Fraction, 1), p.Evaluation.Outcomes)
	return err
}

func (f *planFlags) run(cmd *cobra.Command) error {
	if epsilons := epsilonsOf(f.spend.epsilon); len(epsilons) > 1 {
		return f.runSeveral(cmd, epsilons)
	}
	p, err := f.plan(cmd)
	if err != nil {
		return err
	}
	caution(cmd, f.class.request.Epsilon)
	if p.Caution != "" {
		cli.Note(cmd, "CAUTION: %s.", p.Caution)
	}
	return cli.Print(cmd, p, p.write)
}

// plan reads the flags and plans the release of a model for one ε.
func (f *planFlags) plan(cmd *cobra.Command) (p planned, err error) {
	r := &f.class.request
	if err := f.spend.read(cmd, r); err != nil {
		return p, err
	}
	var choice release.Choice
	var owners []owner
	mechanisms := map[string]mechanism.Mechanism{}
	if f.class.unnamed() && !f.boosts {
		choice, err = f.class.choice()
	} else {
		owners, err = f.readNamed(mechanisms)
	}
	if err != nil {
		return p, err
	}
	if _, err := claimInputs(cmd, nil, f.class.schema); err != nil {
		return p, err
	}
	plan, err := r.Plan(mechanisms, f.boosts)
	if err != nil {
		return p, err
	}
	if err := f.checkPlanned(owners, plan.Planned); err != nil {
		return p, err
	}
	p = planned{
		Rows: r.Rows, Epsilon: plan.Epsilon.String(), Delta: plan.Delta.String(), Relation: plan.Relation.String(),
		Candidates: choice, Class: plan.Class, Members: plan.Members, Effort: plan.Effort, Mechanisms: plan.Bounds, Without: plan.Without, Boost: plan.Boost,
		costs: r.Costs, schema: r.Schema, named: f.class.class, usual: plan.Usual(), asked: asked{r.Epsilon, r.Delta, plan.Relation},
	}
	if plan.Guarantee != nil {
		p.Total, p.completed = f.spend.totalOf(plan.Guarantee, r.Schema), f.spend.completed(plan.Guarantee, r.Schema)
	}
	if !plan.Risks.IsZero() {
		p.RiskEpsilon, p.grades = plan.Risks.String(), plan.Grades
	}
	if plan.Size != nil {
		p.Size = plan.Size.String()
	}
	p.Choice, p.Why = plan.Choice()
	p.Caution = plan.Caution()
	share, _ := new(big.Rat).SetFrac(plan.ErrorsWithin, big.NewInt(p.Rows)).Float64()
	p.Evaluation = plannedEvaluation{plan.ErrorsWithin, plan.CellsWithin, math.Nextafter(share, math.Inf(1))}
	return p, nil
}

// readNamed copies the schema and the class from the flags to the request. It stores each mechanism of the class,
// with its parameters, by name in the map mechanisms, and returns these mechanisms as owners of parameters.
func (f *planFlags) readNamed(mechanisms map[string]mechanism.Mechanism) (owners []owner, err error) {
	asked, union, err := f.class.asked(model.Kinds())
	if err != nil {
		return nil, err
	}
	of := kindOf(asked, union)
	for _, k := range mechanism.Kinds(of) {
		m := k.New()
		if err := f.class.set(m.Parameters); err != nil {
			return nil, err
		}
		mechanisms[k.Name] = m
		owners = append(owners, ownerOfMechanism(of, k))
	}
	return owners, f.class.read(asked, union, owners...)
}

// checkPlanned returns an error if the user gave a parameter that the plan would ignore, because it belongs only to
// mechanisms that are not planned. The slice owners holds the mechanisms of the class, and planned holds the names of
// those that are planned.
func (f *planFlags) checkPlanned(owners []owner, planned []string) error {
	for _, name := range f.class.names() {
		if len(f.class.given[name].texts) == 0 {
			continue
		}
		var with []string
		for _, o := range owners {
			if o.has(name) {
				with = append(with, o.name)
			}
		}
		if len(with) > 0 && !slices.ContainsFunc(with, func(m string) bool { return slices.Contains(planned, m) }) {
			return fmt.Errorf("--%s is a parameter of --mechanism %s, which cannot be used with the given class, --relation and --delta; leave --%s out", name, strings.Join(with, ", "), name)
		}
	}
	return nil
}

func (p planned) write(w io.Writer) error {
	if err := writeChoice(w, p.Candidates); err != nil {
		return err
	}
	write := p.writeSearched
	if p.Size == "" {
		write = p.writeOthers
	}
	if err := write(w); err != nil {
		return err
	}
	return p.writeEvaluation(w)
}

// weighed returns the end of a sentence about errors that states their costs, or "" if each misclassification costs
// 1.
func (p planned) weighed() string {
	if p.costs == learn.ZeroOne {
		return ""
	}
	return fmt.Sprintf(", where a false negative counts as %s and a false positive as %s", several(int(p.costs.FalseNegative), "error"), several(int(p.costs.FalsePositive), "error"))
}

// writeOthers prints the plan for classes such as naive-bayes, whose mechanisms do not select from a finite set of
// hypotheses.
func (p planned) writeOthers(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%d %s, ε = %s, δ = %s, relation %s.\n%s", p.Rows, p.schema.Unit(p.Rows), p.Epsilon, p.Delta, p.Relation, p.completed)
	for _, b := range p.Mechanisms {
		name := b.Mechanism
		if b.Epsilon != nil && b.Epsilon.String() != p.Epsilon {
			name += fmt.Sprintf(" (ε = %s)", b.Epsilon)
		}
		if err == nil {
			_, err = fmt.Fprintf(w, "\n%s: %s\n", name, b.Said)
		}
	}
	for _, name := range p.Without {
		if err == nil {
			_, err = fmt.Fprintf(w, "\n%s: this mechanism needs a --delta above 0, such as 1e-6.\n", name)
		}
	}
	return err
}

// writeSearched prints the plan for classes whose mechanisms select from a finite set of
// hypotheses.
func (p planned) writeSearched(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "Class: %s (%s hypotheses).\n", p.Class, formatSize(p.Size)); err != nil {
		return err
	}
	for _, m := range p.Members {
		if _, err := fmt.Fprintf(w, "  - %s\n", m); err != nil {
			return err
		}
	}
	delta := ""
	if p.Delta != "0" {
		delta = fmt.Sprintf(" (δ = %s for gauss and prsma)", p.Delta)
	}
	_, err := fmt.Fprintf(w, "%d %s, ε = %s%s, relation %s.\n%s", p.Rows, p.schema.Unit(p.Rows), p.Epsilon, delta, p.Relation, p.completed)
	if err != nil {
		return err
	}
	if p.RiskEpsilon != "" {
		if _, err := fmt.Fprintf(w, "The risk of each %s uses %s of ε (--risk); the mechanism uses the rest.\n", p.grades, p.RiskEpsilon); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(w, "\nBounds on the errors beyond those of the best hypothesis of the class%s:\n\n", p.weighed()); err != nil {
		return err
	}
	of := "of " + p.schema.Unit(2)
	rows := [][]string{{"mechanism", "on average", of, "in 95 of 100 runs", of}}
	for _, b := range p.Mechanisms {
		rows = append(rows, []string{
			b.Name(),
			fmt.Sprintf("%.0f", math.Ceil(b.Mean)), percent(b.MeanFraction),
			fmt.Sprintf("%.0f", math.Ceil(b.Most)), percent(b.MostFraction),
		})
	}
	if err := report.WriteTable(w, rows, "lrrrr"); err != nil {
		return err
	}
	if slices.ContainsFunc(p.Mechanisms, mechanism.Bound.Graded) {
		_, err := fmt.Fprintln(w, "\nGraded: the bounds are for the sum of the squared errors of the leaves' risks, at most 1 for each row,\ninstead of the number of misclassifications. A leaf of the class states one of four risks.")
		if err != nil {
			return err
		}
	}
	if err := p.writePRSMA(w); err != nil {
		return err
	}
	if b := p.Boost; b != nil {
		_, err := fmt.Fprintf(w, "\nboost: %d parts of %d rows to learn from, and %d rows to choose the best hypothesis. If the rows are\na random sample, the expected loss on a new row exceeds the least by at most %.3f in 95 of 100 runs.\n", b.Parts, b.PartRows, b.Validation, b.Risk)
		if err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "\nRecommended mechanism: %s, since %s.\n\n%s\n", p.Choice, p.Why, effortText(p.Effort, p.Rows, p.schema.Unit(p.Rows)))
	return err
}

// writePRSMA prints how the mechanism prsma divides the table into parts, or that it cannot divide this number of
// rows. It prints nothing if prsma does not support the δ or the relation.
func (p planned) writePRSMA(w io.Writer) error {
	if p.Delta == "0" || p.Relation != privacy.ReplaceOne.String() {
		return nil
	}
	at := slices.IndexFunc(p.Mechanisms, func(b mechanism.Bound) bool { return b.Parts != nil })
	if at < 0 {
		_, err := fmt.Fprintf(w, "\nprsma cannot divide these rows; use more rows, more --calls or a larger --delta.\n")
		return err
	}
	d := p.Mechanisms[at].Parts
	_, err := fmt.Fprintf(w, "\nprsma: %d parts of %d rows, with %d runs on each. Each of the %d calls of the oracle uses ε′ = %s.\nprsma is for oracles that may fail. Its bounds are for runs in which no call fails; such a run\nreleases nothing with a probability of %s. In total, ε = %s and δ = %s.\n",
		d.Parts, d.PartRows, d.Runs, d.Calls, d.BaseEpsilon, percent(d.Refusal), d.Epsilon, d.Delta)
	return err
}

// formatSize formats a number of hypotheses, given as decimal digits. It adds separators of thousands to a number of
// at most 15 digits, and rounds a longer one to two significant digits.
func formatSize(decimal string) string {
	const most = 15
	if n, err := strconv.ParseInt(decimal, 10, 64); err == nil && len(decimal) <= most {
		return grouped(n)
	}
	n, ok := new(big.Float).SetString(decimal)
	if !ok {
		return decimal
	}
	mantissa, exponent, _ := strings.Cut(n.Text('e', 1), "e+")
	return fmt.Sprintf("about %s·10^%s", mantissa, exponent)
}

func percent(share float64) string { return fmt.Sprintf("%.2f %%", 100*share) }
