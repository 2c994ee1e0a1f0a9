package main

import (
	"fmt"
	"io"
	"math/big"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/publish"
	"github.com/sibyl-dp/sibyl/report"
	"github.com/sibyl-dp/sibyl/search"
	"github.com/sibyl-dp/sibyl/source"
	"github.com/sibyl-dp/sibyl/table"
)

func newOptimum() *cobra.Command {
	f := &optimumFlags{}
	cmd := &cobra.Command{
		Use:   "optimum --data F --schema S",
		Short: "Find the best hypothesis without privacy, with a verified proof",
		Long: `Optimum finds a hypothesis of least cost in the class and proves that there is
none better. A slow and simple checker, which shares nothing with the search,
verifies the proof before anything is printed. Parities, majority and NAND
formulas are searched by tables of all costs, and for these it computes every
cost anew. Where that would take minutes, or a certificate has millions of
nodes, it is left out unless --verify asks for it, and the result says so. There is no privacy: the result is for the curator,
who compares with it what learn releases.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	f.class.register(cmd)
	pathVar(cmd.Flags(), &f.out, "out", "a `file` for the hypothesis as a model that promises nothing, which only its owner can read")
	cmd.Flags().BoolVar(&f.verify, "verify", true, "verify the proof, which may take many times as long as finding it")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace an existing file")
	return cmd
}

type optimumFlags struct {
	data   dataFlags
	class  classFlags
	out    string
	force  bool
	verify bool
}

// optimal is what optimum --json prints.
type optimal struct {
	Cost     int64        `json:"cost"` // of errors and penalties
	Rows     int64        `json:"rows"`
	Verified bool         `json:"verified"`
	Why      string       `json:"unverified_because,omitempty"`
	Nodes    int64        `json:"certificate_nodes"`
	Sheet    report.Sheet `json:"hypothesis"`
	Model    string       `json:"model,omitempty"`
}

func (f *optimumFlags) run(cmd *cobra.Command) error {
	schema, family, err := f.class.read(cmd, nil)
	if err != nil {
		return err
	}
	c, err := family.Over(schema)
	if err != nil {
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
	t, err := source.Read(cmd.Context(), f.data.location, schema, f.data.options(cmd, b))
	b.erase()
	if err != nil {
		return err
	}
	p, err := learn.Problem(f.class.loss, learn.Examples(t), 1)
	if err != nil {
		return err
	}
	tree, err := c.Tree(p)
	if err != nil {
		return err
	}
	s, err := search.Minimize(cmd.Context(), tree, search.Options{Certify: true})
	if err != nil {
		return err
	}
	unverified, err := f.unverified(cmd, schema, family, int64(len(p.Points)), s.Certificate.Nodes)
	if err != nil {
		return err
	}
	if unverified == "" {
		if err := search.Verify(cmd.Context(), c, p, s); err != nil {
			return err
		}
	}
	m := &model.Model{
		Schema: schema, Form: family, Hypothesis: s.Hypothesis, Void: model.NoMechanism,
		Mechanism: model.Mechanism{Name: model.None, Loss: f.class.loss},
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
	o := optimal{s.Cost, t.Rows(), unverified == "", unverified, s.Certificate.Nodes, report.Of(m), f.out}
	return printing(cmd, o, o.write)
}

// mostVerified bounds the costs that a checker adds up for tables, one for each
// hypothesis and distinct record: it takes about a minute.
const mostVerified = 1 << 31

// mostNodes bounds the nodes that are checked: that takes about five minutes, as it
// does for a tenth of them with a limit on the norm.
const mostNodes = 5_000_000

// nodesOf returns how many nodes of a family's certificate are checked.
func nodesOf(f model.Family) int64 {
	norm := 0
	switch f := f.(type) {
	case model.Scorecard:
		norm = f.Norm
	case model.Halfspace:
		norm = f.Norm
	case model.Union:
		least := int64(mostNodes)
		for _, m := range f.Members {
			least = min(least, nodesOf(m.Family))
		}
		return least
	}
	if norm > 0 {
		return mostNodes / 10
	}
	return mostNodes
}

// unverified says why the proof is not verified, empty where it is.
func (f *optimumFlags) unverified(cmd *cobra.Command, s *table.Schema, family model.Family, points, nodes int64) (string, error) {
	if !f.verify {
		return "--verify=false left it out", nil
	}
	if cmd.Flags().Changed("verify") {
		return "", nil
	}
	if nodes > nodesOf(family) {
		return fmt.Sprintf("the certificate has %d nodes, which takes long; --verify does so", nodes), nil
	}
	size, err := model.TableSize(family, s)
	if err != nil {
		return "", err
	}
	if new(big.Int).Mul(size, big.NewInt(points)).Cmp(big.NewInt(mostVerified)) <= 0 {
		return "", nil
	}
	return fmt.Sprintf("that takes computing anew what each of %v hypotheses costs on each of %d distinct records; --verify does so", size, points), nil
}

func (o optimal) write(w io.Writer) error {
	if err := o.Sheet.Write(w); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "\nThe least cost in the class is %d, on %d rows.\n", o.Cost, o.Rows); err != nil {
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
	_, err := fmt.Fprintf(w, "Verified: a certificate of %d nodes proves that no %s of the class costs less.\n", o.Nodes, thing)
	return err
}
