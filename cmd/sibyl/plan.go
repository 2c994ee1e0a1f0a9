package main

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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
		Long: `Plan says for every mechanism how many errors more than the best of the
class it makes at most: on average, and in 95 of 100 runs. The bounds hold
for every table of that many rows, so they are computed from public numbers
alone; on real data the excess is usually smaller. For a class that is not
searched no such bound is known; Plan tells the noise instead.

Without a class, Plan shows what learn would choose among by these public facts,
what it takes, and why. For synthetic data see sibyl plan synth --help, for counts
of pairs sibyl plan pairs --help.`,
		Args: f.class.argument,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.class.register(cmd, model.Kinds())
	f.class.choose(cmd)
	f.class.registerBalanced(cmd)
	f.class.registerMechanisms(cmd)
	f.spend.registerPromise(cmd, "the privacy loss `ε`, a decimal such as 0.5")
	f.spend.registerRelation(cmd, privacy.ReplaceOne.String())
	f.spend.registerDelta(cmd)
	f.spend.registerRisk(cmd)
	cmd.Flags().BoolVar(&f.boosts, "boost", false, "plan boost too, which needs --relation replace")
	cmd.Flags().Int64Var(&f.spend.rows, "rows", 0, "about how many `rows` the table has; persons, where the schema has [person]")
	must(cmd.MarkFlagRequired("rows"))
	must(cmd.MarkFlagRequired("epsilon"))
	disclose(cmd, &f.class, "schema", "rows", "epsilon")
	cmd.AddCommand(newPlanSynth(), newPlanPairs())
	return cmd
}

type planFlags struct {
	class  classFlags
	spend  spendFlags
	boosts bool
}

// planned is the output of plan --json.
type planned struct {
	Rows        int64               `json:"rows"`
	Epsilon     string              `json:"epsilon"`
	Delta       string              `json:"delta"`
	Relation    string              `json:"relation"`
	Candidates  release.Choice      `json:"candidates,omitempty"` // where no class is named
	Class       string              `json:"class"`
	Members     []string            `json:"members,omitempty"`    // of a union
	Size        string              `json:"class_size,omitempty"` // of a class that is searched
	Effort      *mechanism.Effort   `json:"effort,omitempty"`
	Mechanisms  []mechanism.Bound   `json:"mechanisms"`
	Without     []string            `json:"without_delta,omitempty"` // mechanisms that need one
	Boost       *mechanism.Division `json:"boost,omitempty"`         // with --boost
	RiskEpsilon string              `json:"risk_epsilon,omitempty"`  // what of ε the risks spend
	Choice      string              `json:"choice,omitempty"`
	Why         string              `json:"why,omitempty"`
	Caution     string              `json:"caution,omitempty"` // that the bound says little

	Evaluation plannedEvaluation `json:"evaluation"`

	grades risk.Kind // what risks are of
	schema *table.Schema
}

// plannedEvaluation bounds the error with which evaluate would estimate the misclassifications of
// the released model at the same ε.
type plannedEvaluation struct {
	Errors   *big.Int `json:"errors_within"`   // rows, with the confidence of all intervals
	Outcomes *big.Int `json:"outcomes_within"` // of each cell of the confusion matrix, at most
	Fraction float64  `json:"errors_within_fraction"`
}

func (p plannedEvaluation) write(w io.Writer, unit string) error {
	_, err := fmt.Fprintf(w, "\nTo evaluate it with the same ε once more would tell its errors to within %v %s, %s,\nand each kind of them to within %v, in 95 of 100 runs.\n", p.Errors, unit, report.Percent(&p.Fraction, 1), p.Outcomes)
	return err
}

func (f *planFlags) run(cmd *cobra.Command) error {
	r := &f.class.request
	if err := f.spend.read(cmd, r); err != nil {
		return err
	}
	var choice release.Choice
	var owners []owner
	mechanisms := map[string]mechanism.Mechanism{}
	var err error
	if f.class.unnamed() && !f.boosts {
		choice, err = f.class.choice()
	} else {
		owners, err = f.readNamed(mechanisms)
	}
	if err != nil {
		return err
	}
	if _, err := claimInputs(cmd, nil, f.class.schema); err != nil {
		return err
	}
	plan, err := r.Plan(mechanisms, f.boosts)
	if err != nil {
		return err
	}
	if err := f.checkPlanned(owners, plan.Planned); err != nil {
		return err
	}
	caution(cmd, r.Epsilon)
	p := planned{
		Rows: r.Rows, Epsilon: r.Epsilon.String(), Delta: r.Delta.String(), Relation: plan.Relation.String(),
		Candidates: choice, Class: plan.Class, Members: plan.Members, Effort: plan.Effort, Mechanisms: plan.Bounds, Without: plan.Without, Boost: plan.Boost,
	}
	p.schema = r.Schema
	if !plan.Risks.IsZero() {
		p.RiskEpsilon, p.grades = plan.Risks.String(), plan.Grades
	}
	if plan.Size != nil {
		p.Size = plan.Size.String()
	}
	p.Choice, p.Why = plan.Choice()
	if p.Caution = plan.Caution(); p.Caution != "" {
		note(cmd, "CAUTION: %s.", p.Caution)
	}
	share, _ := new(big.Rat).SetFrac(plan.ErrorsWithin, big.NewInt(p.Rows)).Float64()
	p.Evaluation = plannedEvaluation{plan.ErrorsWithin, plan.CellsWithin, math.Nextafter(share, math.Inf(1))}
	return printing(cmd, p, p.write)
}

// readNamed copies the schema and the class into the request, and makes the mechanisms of the
// class.
func (f *planFlags) readNamed(mechanisms map[string]mechanism.Mechanism) (owners []owner, err error) {
	asked, union, err := f.class.asked(model.Kinds())
	if err != nil {
		return nil, err
	}
	of := kindOf(asked, union)
	for _, k := range mechanism.Kinds(of) {
		m := k.Ask()
		if err := f.class.set(m.Parameters); err != nil {
			return nil, err
		}
		mechanisms[k.Name] = m
		owners = append(owners, ownerOfMechanism(of, k))
	}
	return owners, f.class.read(asked, union, owners...)
}

// checkPlanned refuses a parameter that belongs to mechanisms without a plan only: it would be
// ignored.
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
			return fmt.Errorf("--%s goes with --mechanism %s, which is not planned for this class, --relation and --delta", name, strings.Join(with, ", "))
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
	return p.Evaluation.write(w, p.schema.Unit(2))
}

// writeOthers prints the plan of a class without a search.
func (p planned) writeOthers(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%d %s, ε = %s, δ = %s, relation %s.\n", p.Rows, p.schema.Unit(p.Rows), p.Epsilon, p.Delta, p.Relation)
	for _, b := range p.Mechanisms {
		if err == nil {
			_, err = fmt.Fprintf(w, "\n%s: %s\n", b.Mechanism, b.Said)
		}
	}
	for _, name := range p.Without {
		if err == nil {
			_, err = fmt.Fprintf(w, "\n%s needs a --delta above 0, such as 1e-6.\n", name)
		}
	}
	return err
}

func (p planned) writeSearched(w io.Writer) error {
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
	_, err := fmt.Fprintf(w, "%d %s, ε = %s%s, relation %s. How much worse than the best of the class, at most:\n\n",
		p.Rows, p.schema.Unit(p.Rows), p.Epsilon, delta, p.Relation)
	if err != nil {
		return err
	}
	if p.RiskEpsilon != "" {
		if _, err := fmt.Fprintf(w, "Of ε, %s is spent on the risk of each %s (--risk), and what is left here:\n\n", p.RiskEpsilon, p.grades); err != nil {
			return err
		}
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
		_, err := fmt.Fprintln(w, "\nGraded: these are sums of what a leaf costs by the squared error of its risk, at most 1 a row, and no errors.\nThe class has a leaf for each of four risks.")
		if err != nil {
			return err
		}
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
	_, err = fmt.Fprintf(w, "\nTake %s: %s.\n\n%s\n", p.Choice, p.Why, saidOfEffort(p.Effort, p.Rows, p.schema.Unit(p.Rows)))
	return err
}

// writePRSMA prints how prsma divides the table, or that it cannot.
func (p planned) writePRSMA(w io.Writer) error {
	if p.Delta == "0" || p.Relation != privacy.ReplaceOne.String() {
		return nil
	}
	at := slices.IndexFunc(p.Mechanisms, func(b mechanism.Bound) bool { return b.Parts != nil })
	if at < 0 {
		_, err := fmt.Fprintf(w, "\nprsma cannot divide these rows; take more rows, more --calls or a larger --delta.\n")
		return err
	}
	d := p.Mechanisms[at].Parts
	_, err := fmt.Fprintf(w, "\nprsma: %d parts of %d rows, with %d runs on each: %d calls of the oracle, each with ε′ = %s.\nEven if none fails it releases nothing with a probability of %s. It is for oracles\nthat may fail: its bound counts runs that do not. All of it has ε = %s and δ = %s.\n",
		d.Parts, d.PartRows, d.Runs, d.Calls, d.BaseEpsilon, percent(d.Refusal), d.Epsilon, d.Delta)
	return err
}

func percent(share float64) string { return fmt.Sprintf("%.2f %%", 100*share) }
