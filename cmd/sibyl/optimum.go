package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/report"
	"github.com/sibyl-dp/sibyl/search"
	"github.com/sibyl-dp/sibyl/source"
)

func newOptimum() *cobra.Command {
	f := &optimumFlags{}
	cmd := &cobra.Command{
		Use:   "optimum --data F --schema S",
		Short: "Find the best hypothesis without privacy, with a verified proof",
		Long: `Optimum finds a hypothesis of least cost in the class and proves that there is
none better. A slow and simple checker, which shares nothing with the search,
has verified the proof before anything is printed. There is no privacy: the
result is for the curator, who compares with it what learn releases.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	f.class.register(cmd)
	cmd.Flags().StringVar(&f.out, "out", "", "a `file` for the hypothesis as a model that promises nothing")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace an existing file")
	return cmd
}

type optimumFlags struct {
	data  dataFlags
	class classFlags
	out   string
	force bool
}

// optimal is what optimum --json prints.
type optimal struct {
	Cost     int64        `json:"cost"` // of errors and penalties
	Rows     int64        `json:"rows"`
	Verified bool         `json:"verified"`
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
	var out *draft
	if f.out != "" {
		if out, err = newDraft(cmd.Context(), f.out, f.force, f.data.location, f.class.schema); err != nil {
			return err
		}
		defer out.discard()
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
	if err := search.Verify(cmd.Context(), c, p, s); err != nil {
		return err
	}
	m := &model.Model{
		Schema: schema, Family: family, Hypothesis: s.Hypothesis, Void: model.NoMechanism,
		Mechanism: model.Mechanism{Name: model.None, Loss: f.class.loss},
	}
	if out != nil {
		if err := m.Write(out); err != nil {
			return err
		}
		if err := out.publish(); err != nil {
			return err
		}
	}
	noteCurator(cmd)
	o := optimal{s.Cost, t.Rows(), true, s.Certificate.Nodes, report.Of(m), f.out}
	return printing(cmd, o, o.write)
}

func (o optimal) write(w io.Writer) error {
	if err := o.Sheet.Write(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nThe least cost in the class is %d, on %d rows.\nVerified: a certificate of %d nodes proves that no %s of the class costs less.\n", o.Cost, o.Rows, o.Nodes, o.Sheet.Thing())
	return err
}
