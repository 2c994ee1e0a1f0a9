package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newLearn() *cobra.Command {
	f := &learnFlags{}
	cmd := &cobra.Command{
		Use:   "learn [CLASS] --data F --schema S --epsilon 0.5 --out model.json",
		Short: "Release a scorecard, rule or formula with differential privacy",
		Long: `Learn samples a hypothesis of the class: the fewer rows a hypothesis misclassifies,
the more probable it is. One person's record changes the probability of any hypothesis
by a factor of at most e^ε (plus δ for some mechanisms).

Learn checks all public inputs before it opens the data. It writes and prints the
hypothesis, public parameters and the guarantee, and nothing else about the data.
Without a class, public facts choose one: the schema, ε and --rows; sibyl plan
shows the choice. Rows with a value outside the schema's domain have no influence;
sibyl check counts them, for the curator. Each run on the same data consumes its ε again.`,
		Args: f.class.argument,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	f.class.register(cmd, model.Kinds())
	f.class.choose(cmd)
	f.class.registerBalanced(cmd)
	f.spend.register(cmd, "the privacy loss `ε` of the release, a decimal such as 0.5")
	f.spend.registerRelation(cmd, privacy.ReplaceOne.String())
	f.spend.registerDelta(cmd)
	f.spend.registerRisk(cmd)
	f.spend.registerTotal(cmd)
	f.mechanism.register(cmd, &f.class)
	flags := cmd.Flags()
	cli.PathVar(flags, &f.out, "out", "the `file` to which the model is written")
	flags.BoolVar(&f.force, "force", false, "replace the output file if it exists")
	flags.BoolVar(&f.progress, "progress", false, "show the progress of the mechanism prsma on the terminal; it depends on the data, so keep it private")
	must(cmd.MarkFlagRequired("epsilon"))
	must(cmd.MarkFlagRequired("out"))
	setClassHelp(cmd, &f.class, "data", "schema", "epsilon", "out")
	return cmd
}

type learnFlags struct {
	data      dataFlags
	class     classFlags
	mechanism mechanismFlag
	spend     spendFlags
	out       string
	force     bool
	progress  bool
}

func (f *learnFlags) run(cmd *cobra.Command) error {
	if err := f.spend.read(cmd, &f.class.request); err != nil {
		return err
	}
	choice, err := f.class.readChoice(&f.mechanism)
	if err != nil {
		return err
	}
	p, err := f.class.request.Prepare()
	if err != nil {
		return err
	}
	cautionOfEffort(cmd, p.Effort)
	r := &f.class.request
	terms, end, err := f.spend.begin(cmd, intent{schema: r.Schema, epsilon: r.Epsilon, data: &f.data, inputs: []string{f.class.schema}, outputs: []string{f.out}, force: f.force})
	if err != nil {
		return err
	}
	defer end()
	b := newBar(cmd)
	defer b.erase()
	if f.progress {
		terms.Watch = func(line string) { b.tell("%s", line) }
	}
	m, err := p.Release(cmd.Context(), f.data.from(cmd, b), terms)
	b.erase()
	switch {
	case errors.Is(err, release.ErrNothing):
		if failed := f.announceNothing(cmd, p); failed != nil {
			return failed
		}
		return err
	case err != nil:
		return err
	}
	noteChoice(cmd, choice)
	return f.announce(cmd, m)
}

// learned is the output of the command sibyl learn with --json.
type learned struct {
	Model *string `json:"model"` // nil where the mechanism released no hypothesis
	guaranteed
}

func (f *learnFlags) announce(cmd *cobra.Command, m *model.Model) error {
	err := cli.Print(cmd, learned{&f.out, guaranteeOf(m.Guarantee, m.Void, m.Schema)}, func(w io.Writer) error {
		_, err := io.WriteString(w, report.Released(quote.Name(f.out), m.Sheet().Thing(), quote.Clean(m.Schema.Label.Column), m.Guarantee, m.Void.Text(), m.Schema))
		return err
	})
	noteSpent(cmd, m.Guarantee, m.Void, f.spend.account)
	return err
}

// announceNothing prints that the mechanism released no hypothesis, and the budget that
// it consumed nevertheless.
func (f *learnFlags) announceNothing(cmd *cobra.Command, p *release.Prepared) error {
	err := cli.Print(cmd, learned{nil, guaranteeOf(p.Guarantee, p.Void, f.class.request.Schema)}, func(io.Writer) error { return nil })
	noteSpent(cmd, p.Guarantee, p.Void, f.spend.account)
	return err
}
