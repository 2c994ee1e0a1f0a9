package main

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/search"
)

func newOptimum() *cobra.Command {
	f := &optimumFlags{}
	cmd := &cobra.Command{
		Use:   "optimum [CLASS] --data F --schema S",
		Short: "Find the best hypothesis without privacy, with a verified proof",
		Long: `Optimum finds a hypothesis of the class with the least cost (the fewest misclassifications, weighted
by --false-positive and --false-negative) and proves that no hypothesis costs less. A
slow, simple checker, which shares no code with the search, verifies the proof before
anything is printed. For parities, majority and NAND formulas it recomputes the cost of
every hypothesis, and for decision trees it tries every tree. If the verification would
take minutes, optimum skips it and says so; --verify forces it.

The result is not private. It is for the curator, to compare it with what learn releases.`,
		Args: f.class.argument,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	f.class.register(cmd, proven())
	cli.PathVar(cmd.Flags(), &f.out, "out", "a `file` for the hypothesis, which is written in the format of a model but without a guarantee; only the owner of the file can read it")
	cmd.Flags().BoolVar(&f.verify, "verify", true, "verify the proof that no hypothesis costs less; this may take much longer than the search")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace the output file if it exists")
	setClassHelp(cmd, &f.class, "data", "schema", "out")
	return cmd
}

// proven returns the kinds of classes for which the command optimum finds a hypothesis of least cost, with a proof.
func proven() []model.Kind {
	return slices.DeleteFunc(slices.Clone(model.Kinds()), func(k model.Kind) bool { return !k.Joins() })
}

type optimumFlags struct {
	data   dataFlags
	class  classFlags
	out    string
	force  bool
	verify bool
}

// optimal is the output of the command sibyl optimum with --json.
type optimal struct {
	Cost     int64        `json:"cost"` // the losses of all rows, plus the penalty of the hypothesis
	Rows     int64        `json:"rows"`
	Verified bool         `json:"verified"`
	Why      string       `json:"unverified_because,omitempty"`
	Nodes    int64        `json:"certificate_nodes,omitempty"` // 0 if there was no search
	Sheet    report.Sheet `json:"hypothesis"`
	Model    string       `json:"model,omitempty"`
}

func (f *optimumFlags) run(cmd *cobra.Command) error {
	r := &f.class.request
	asked, union, err := f.class.asked(proven())
	if err != nil {
		return err
	}
	if err := f.class.read(asked, union); err != nil {
		return err
	}
	if err := release.CheckCosts(r.Costs); err != nil {
		return err
	}
	space, err := model.Over(r.Form, r.Schema)
	if err != nil {
		return err
	}
	if space.Sampling().Mixed != nil {
		return errors.New("optimum does not support a union with trees or sparse cards; run optimum for each class separately")
	}
	if of := space.Sampling().Staged; of != nil && of.Draws() > 1 {
		return errors.New("--draws is not supported: optimum can find the best card of the first draw only; leave --draws out")
	}
	if err := mechanism.CheckLoss(r.Schema.Outcomes(), r.Costs); err != nil {
		return err
	}
	files, err := claimInputs(cmd, &f.data, f.class.schema)
	if err != nil {
		return err
	}
	var out *publish.Draft
	if f.out != "" {
		if out, err = publish.NewDraft(cmd.Context(), files, f.out, f.force, publish.ForCurator); err != nil {
			return err
		}
		defer out.Discard()
	}
	b := newBar(cmd)
	t, err := f.data.from(cmd, b).Table(cmd.Context(), r.Schema.ByRow())
	b.erase()
	if err != nil {
		return err
	}
	best, err := f.best(cmd, b, space, t)
	b.erase()
	if err != nil {
		return err
	}
	m := &model.Model{
		Schema: r.Schema, Form: r.Form, Space: space, Hypothesis: best.hypothesis,
		Mechanism: mechanism.Unprotected(r.Costs), Void: model.NoMechanism,
	}
	if out != nil {
		if err := m.Write(out); err != nil {
			return err
		}
		if err := out.Publish(cmd.Context()); err != nil {
			return err
		}
	}
	noteCurator(cmd)
	o := optimal{best.cost, t.Rows(), best.unverified == "", best.unverified, best.nodes, m.Sheet(), f.out}
	return cli.Print(cmd, o, o.write)
}

// best holds a hypothesis of least cost on a table.
type best struct {
	hypothesis any
	cost       int64
	nodes      int64  // the number of nodes of the certificate of a search; 0 if there was no search
	unverified string // the reason why the proof was not verified; empty if it was verified
}

// best finds a hypothesis of least cost on the table, and verifies the proof that no cost is less.
func (f *optimumFlags) best(cmd *cobra.Command, b *bar, space model.Space, t *table.Table) (best, error) {
	if of := space.Sampling().Tractable; of != nil {
		return f.bestTractable(cmd, b, of, t)
	}
	p, err := learn.Problem(f.class.request.Costs, learn.Examples(t), 1)
	if err != nil {
		return best{}, err
	}
	c := model.SearchedClass(space)
	tree, err := c.Tree(p)
	if err != nil {
		return best{}, err
	}
	b.tell("finding the best")
	s, err := search.Minimize(cmd.Context(), tree, search.Options{Certify: true})
	if err != nil {
		return best{}, err
	}
	unverified := f.unverified(cmd, space, int64(len(p.Points)), s.Certificate.Nodes)
	if unverified == "" {
		b.tell("verifying a certificate of %d nodes", s.Certificate.Nodes)
		if err := search.Verify(cmd.Context(), c, p, s); err != nil {
			return best{}, err
		}
	}
	if of := space.Sampling().Staged; of != nil {
		if s.Hypothesis, err = of.Join([]any{s.Hypothesis}); err != nil {
			return best{}, err
		}
	}
	return best{s.Hypothesis, s.Cost, s.Certificate.Nodes, unverified}, nil
}

// bestTractable does the same as best for a class that needs no search (a tractable class).
func (f *optimumFlags) bestTractable(cmd *cobra.Command, b *bar, c model.TractableClass, t *table.Table) (best, error) {
	records, err := learn.Costed(f.class.request.Costs.CostMatrix(c.Outcomes()), t)
	if err != nil {
		return best{}, err
	}
	b.tell("finding the best")
	h, cost, err := c.Least(cmd.Context(), records)
	if err != nil {
		return best{}, err
	}
	unverified := ""
	switch work := c.VerifyWork(int64(records.Len())); {
	case !f.verify:
		unverified = leftOut
	case work > mostWork && !cmd.Flags().Changed("verify"):
		unverified = fmt.Sprintf("trying all %v one by one takes up to %.0f seconds; --verify does so", c, float64(work)*1e-8)
	default:
		b.tell("verifying")
		if err := c.Verify(cmd.Context(), records, h, cost, b.work("verifying")); err != nil {
			return best{}, err
		}
	}
	return best{hypothesis: h, cost: cost, unverified: unverified}, nil
}

const leftOut = "--verify=false was given"

// mostWork is the maximum work of proving that a tree is optimal, in units of about 10 ns. This takes one or two
// minutes.
const mostWork = 10_000_000_000

// mostVerified is the maximum number of losses, each of one hypothesis on one distinct record, that optimum
// recomputes to verify a table of costs, unless the user gives --verify. This takes about a minute.
const mostVerified = 1 << 31

// mostNodes is the maximum number of nodes of a certificate that optimum verifies, unless the user gives --verify.
// This takes about five minutes. For a class with a limit on the norm of its weights, a node takes about ten times as
// long, so nodesOf returns a smaller number.
const mostNodes = 5_000_000

// nodesOf returns the maximum number of nodes of a certificate for the space s that optimum verifies, unless the user
// gives --verify.
func nodesOf(s model.Space) int64 {
	for _, m := range model.Members(s) {
		if slow, ok := m.(interface{ Slow() bool }); ok && slow.Slow() {
			return mostNodes / 10
		}
	}
	return mostNodes
}

// tableSize returns the number of hypotheses whose costs the checker recomputes one by one: those of the classes in
// the space s that are not searched. For these, optimum computes all costs as one table, and the certificate has a
// single node.
func tableSize(s model.Space) *big.Int {
	size := new(big.Int)
	for _, m := range model.Members(s) {
		if c := model.SearchedClass(m); c.Layout(1).Tabulated {
			size.Add(size, c.Size())
		}
	}
	return size
}

// unverified returns the reason why the proof will not be verified, or "" if it will be. The proof is a certificate
// with the given number of nodes, for a table with the given number of distinct records (points).
func (f *optimumFlags) unverified(cmd *cobra.Command, s model.Space, points, nodes int64) string {
	if !f.verify {
		return leftOut
	}
	if cmd.Flags().Changed("verify") {
		return ""
	}
	if nodes > nodesOf(s) {
		return fmt.Sprintf("checking the %d nodes of the certificate takes long; --verify does so", nodes)
	}
	size := tableSize(s)
	if new(big.Int).Mul(size, big.NewInt(points)).Cmp(big.NewInt(mostVerified)) <= 0 {
		return ""
	}
	return fmt.Sprintf("recomputing the costs of %v hypotheses on %d distinct records takes long; --verify does so", size, points)
}

func (o optimal) write(w io.Writer) error {
	if err := o.Sheet.Write(w); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "\nThe least cost in the class is %d for %d rows.\n", o.Cost, o.Rows); err != nil {
		return err
	}
	if !o.Verified {
		_, err := fmt.Fprintf(w, "Not verified independently: %s.\n", o.Why)
		return err
	}
	thing := o.Sheet.Thing()
	if len(o.Sheet.ChosenFrom) > 0 {
		thing = "hypothesis"
	}
	if o.Nodes == 0 {
		_, err := fmt.Fprintf(w, "Verified: every %s of the class was evaluated, and none costs less.\n", thing)
		return err
	}
	_, err := fmt.Fprintf(w, "Verified: a certificate of %d nodes proves that no %s of the class costs less.\n", o.Nodes, thing)
	return err
}
