package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/publish"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/report"
	"github.com/sibyl-dp/sibyl/source"
	"github.com/sibyl-dp/sibyl/table"
)

func newLearn() *cobra.Command {
	f := &learnFlags{}
	cmd := &cobra.Command{
		Use:   "learn --data F --schema S --epsilon 0.5 --out model.json",
		Short: "Release a scorecard, rule or formula with differential privacy",
		Long: `Learn chooses a hypothesis of the class at random, the likelier the fewer errors
it makes on the data, so that one person's record changes the odds of any one of
them by a factor of at most e^ε. With a --delta the promise is weaker: a
probability may change by δ beyond that.

Rows with a value outside the schema's domain count for nothing, and learn tells
nobody how many there are: run check first, which does tell the curator.

Everything public is checked before the data is opened. What is written and
printed holds the hypothesis, public parameters and the guarantee, and nothing
else about the data; only --private-log keeps diagnostics, for the curator. The
time taken depends on the data, and --pad-to hides the most of that; a search
over many categories may take long, and shows nothing while it does. Every run
on the same data spends its ε again.

` + mechanismHelp + "\n\n" + classHelp + additiveHelp,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	f.class.register(cmd)
	f.class.registerBalanced(cmd)
	f.class.registerAdditive(cmd)
	f.mechanism.register(cmd)
	flags := cmd.Flags()
	pathVar(flags, &f.out, "out", "the `file` for the model")
	flags.BoolVar(&f.force, "force", false, "replace an existing file")
	flags.DurationVar(&f.pad, "pad-to", 0, "release at the next multiple of a `duration` such as 10s, so that the time taken tells less")
	pathVar(flags, &f.log, "private-log", "a `file` for diagnostics, which are private")
	must(cmd.MarkFlagRequired("out"))
	return cmd
}

type learnFlags struct {
	data      dataFlags
	class     classFlags
	mechanism mechanismFlags
	out, log  string
	force     bool
	pad       time.Duration
}

// A release is all of learn that is settled before the data is opened.
type release struct {
	model     model.Model // without its hypothesis
	mechanism mechanism
	coins     noise.Coins
	most      int64 // rows that the class is sure to be laid out for
	pad       time.Duration
	log       *privateLog
}

func (f *learnFlags) run(cmd *cobra.Command) error {
	r, err := f.prepare(cmd)
	if err != nil {
		return err
	}
	f.mechanism.caution(cmd)
	files, err := claimInputs(cmd, &f.data, f.class.schema)
	if err != nil {
		return err
	}
	out, err := publish.NewDraft(cmd.Context(), files, f.out, f.force, publish.ForAll)
	if err != nil {
		return err
	}
	defer out.Discard()
	if r.log, err = openPrivateLog(f.log, files); err != nil {
		return err
	}
	defer r.log.close()
	b := newBar(cmd)
	defer b.erase()
	if r.mechanism.observe != nil {
		shown := b
		if !f.mechanism.progress {
			shown = &bar{}
		}
		r.mechanism.observe(r.log, shown)
	}

	start := time.Now()
	r.log.tell("reading")
	t, err := source.Read(cmd.Context(), f.data.location, r.model.Schema, f.data.options(cmd, b))
	b.erase()
	if err != nil {
		return err
	}
	r.log.tell("read %d rows, %d of them null, as %d distinct records", t.Rows(), t.Nulls(), t.Len())
	if n := r.mechanism.rows; n > 0 && t.Rows() != n {
		return fmt.Errorf("--rows %d: the data has %d rows, null ones included", n, t.Rows())
	}
	if err := r.admit(t.Rows()); err != nil {
		return err
	}
	err = r.write(cmd.Context(), learn.Examples(t), start, out)
	b.erase()
	switch {
	case errors.Is(err, errNoHypothesis):
		if err := f.announceNothing(cmd, &r.model); err != nil {
			return err
		}
		return errNoHypothesis
	case err != nil:
		return err
	}
	return f.announce(cmd, &r.model)
}

// admit refuses more rows, null ones included, than the class is sure to be laid
// out for, as an ill-formed file is refused: before any draw.
func (r *release) admit(rows int64) error {
	if rows > r.most {
		return fmt.Errorf("the data has more rows, null ones included, than the %d that the class is sure to be laid out for; make groups of categories, or take fewer attributes, points or rules", r.most)
	}
	return nil
}

// prepare checks all that is public.
func (f *learnFlags) prepare(cmd *cobra.Command) (*release, error) {
	if f.pad < 0 {
		return nil, fmt.Errorf("--pad-to %v is negative", f.pad)
	}
	r := &release{pad: f.pad}
	prepare := f.prepareChoice
	if f.class.additive() {
		prepare = f.prepareAdditive
	}
	var err error
	if r.model.Schema, r.model.Form, r.mechanism, err = prepare(cmd); err != nil {
		return nil, err
	}
	r.model.Mechanism = r.mechanism.described
	if err := f.fit(cmd, r); err != nil {
		return nil, err
	}
	coins, insecure := f.mechanism.coins(cmd)
	r.coins = coins
	if insecure {
		r.model.Void = model.InsecureSeed
		return r, nil
	}
	r.model.Guarantee, err = model.State(r.mechanism.Guarantee())
	return r, err
}

// prepareChoice is for mechanisms that choose from a class.
func (f *learnFlags) prepareChoice(cmd *cobra.Command) (*table.Schema, model.Form, mechanism, error) {
	rate, err := f.mechanism.rate(f.class.loss)
	if err != nil {
		return nil, nil, mechanism{}, err
	}
	schema, family, err := f.class.read(cmd, rate)
	if err != nil {
		return nil, nil, mechanism{}, err
	}
	m, err := f.mechanism.read(cmd, f.class.class, schema, family, f.class.loss)
	return schema, family, m, err
}

// fit refuses a class that is too wide, and warns of one that may take long.
func (f *learnFlags) fit(cmd *cobra.Command, r *release) error {
	r.most = learn.MostRows
	c, rows := r.mechanism.class, r.mechanism.rows
	if c == nil {
		return nil
	}
	if err := model.CheckRows(c, r.model.Schema, rows); err != nil {
		return err
	}
	e, err := effortOf(c, f.class.class, r.model.Schema, rows)
	if err != nil {
		return err
	}
	r.most = e.MostRows
	e.caution(cmd)
	return nil
}

// prepareAdditive is for the others.
func (f *learnFlags) prepareAdditive(cmd *cobra.Command) (*table.Schema, model.Form, mechanism, error) {
	schema, form, err := f.class.readAdditive(cmd)
	if err != nil {
		return nil, nil, mechanism{}, err
	}
	if cmd.Flags().Changed("mechanism") && f.mechanism.name == model.Exponential {
		form = ofBox(cmd, form)
	}
	m, err := f.mechanism.readAdditive(cmd, schema, form)
	return schema, form, m, err
}

// write draws the hypothesis and publishes the model, at a multiple of the padding
// after the start.
func (r *release) write(ctx context.Context, examples []learn.Example[[]uint16], start time.Time, out *publish.Draft) error {
	var text bytes.Buffer
	h, err := r.mechanism.Release(ctx, examples, r.coins)
	if err == nil {
		r.log.tell("chose a hypothesis")
		r.model.Hypothesis = h
		err = r.model.Write(&text)
	}
	switch {
	case errors.Is(err, errNoHypothesis):
		r.log.tell("chose none")
	case err != nil:
		r.log.tell("failed: %v", err)
	}
	if ended := r.wait(ctx, start); ended != nil {
		return ended
	}
	switch {
	case errors.Is(err, errNoHypothesis):
		return errNoHypothesis
	case err != nil:
		return errWithheld
	}
	if _, err = out.Write(text.Bytes()); err == nil {
		err = out.Publish(ctx)
	}
	if err != nil {
		return withheld{fmt.Sprintf("nothing was released: %v", err)}
	}
	return nil
}

// wait lasts until a multiple of the padding since start, or until the context
// ends.
func (r *release) wait(ctx context.Context, start time.Time) error {
	if r.pad > 0 {
		rest := r.pad - time.Since(start)%r.pad
		r.log.tell("padding %v", rest)
		select {
		case <-time.After(rest):
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// learned is what learn --json prints.
type learned struct {
	Model      *string          `json:"model"` // nil where the mechanism released no hypothesis
	Guarantee  *model.Guarantee `json:"guarantee"`
	NotPrivate model.Void       `json:"not_private,omitempty"`
}

func (f *learnFlags) announce(cmd *cobra.Command, m *model.Model) error {
	err := printing(cmd, learned{&f.out, m.Guarantee, m.Void}, func(w io.Writer) error {
		thing := report.Of(m).Thing()
		_, err := fmt.Fprintf(w, "%s: a %s for %s.\n\n%s\nRead it with: sibyl show %s\nRows that do not fit the schema counted for nothing; sibyl check tells their curator how many there are.\n",
			quote.Name(f.out), thing, quote.Clean(m.Schema.Label.Column), report.Guarantee(thing, m.Guarantee, m.Void), quote.Name(f.out))
		return err
	})
	noteSpent(cmd, m.Guarantee, m.Void)
	return err
}

// announceNothing tells what it cost that there is no hypothesis.
func (f *learnFlags) announceNothing(cmd *cobra.Command, m *model.Model) error {
	err := printing(cmd, learned{nil, m.Guarantee, m.Void}, func(io.Writer) error { return nil })
	noteSpent(cmd, m.Guarantee, m.Void)
	return err
}
