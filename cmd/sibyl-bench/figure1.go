package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/papers/experiment"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/source"
)

func newFigure1() *cobra.Command {
	f := &figure1Flags{}
	cmd := &cobra.Command{
		Use:   "figure1 --adult DIR",
		Short: "Reproduce Figure 1 of Neel, Roth, Vietri and Wu (2019) on census data",
		Long: `Figure1 trains all private learners, and some that are not private, on the balanced
census data (n = 15,682 records) over a range of ε, with δ = 1/n² for learners with a δ. It
uses seven grouped attributes as 25 columns, and the seven attributes of the paper as binary
digits. It prints the mean accuracy on the training data, as the paper does. With --out it
also writes this table and all trials as CSV, from which bench/figure1 draws plots. The
numbers are not private, but the data are public. DIR holds adult-balanced.data and
adult-7.toml.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	cli.PathVar(flags, &f.adult, "adult", "the `directory` of the census data")
	cli.PathVar(flags, &f.out, "out", "a `directory`, to which the table of means and all trials are written as CSV")
	flags.IntVar(&f.repetitions, "repetitions", 15, "the number of `trials` of each method at each ε")
	flags.StringSliceVar(&f.epsilons, "epsilons", experiment.Epsilons, "the list of `ε`")
	flags.StringSliceVar(&f.only, "only", nil, "run only methods whose name contains this `text`; repeatable")
	flags.IntVar(&f.workers, "workers", 2, "the number of `trials` to run at the same time")
	if err := cmd.MarkFlagRequired("adult"); err != nil {
		panic(err)
	}
	return cmd
}

type figure1Flags struct {
	adult, out           string
	repetitions, workers int
	epsilons, only       []string
}

// figured is the JSON output of the command figure1 --json.
type figured struct {
	Summaries []experiment.Summary `json:"summaries"`
	Seconds   float64              `json:"seconds"`
}

func (f *figure1Flags) run(cmd *cobra.Command) error {
	if f.repetitions < 1 {
		return fmt.Errorf("--repetitions %d must be at least 1", f.repetitions)
	}
	if f.workers < 1 {
		return fmt.Errorf("--workers %d must be at least 1", f.workers)
	}
	for _, e := range f.epsilons {
		if err := checkEpsilon(e); err != nil {
			return fmt.Errorf("--epsilons: %w", err)
		}
	}
	p := &experiment.Plan{Epsilons: f.epsilons, Repetitions: f.repetitions, Workers: f.workers}
	for _, m := range experiment.Figure1() {
		if f.wanted(m.Name) {
			p.Methods = append(p.Methods, m)
		}
	}
	if len(p.Methods) == 0 {
		return fmt.Errorf("--only %s matches no method; see --help", quote.Name(strings.Join(f.only, ",")))
	}
	files, err := cli.Claim(cmd, false, experiment.CensusFiles(f.adult)...)
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := os.MkdirAll(f.out, 0o777); err != nil {
			return fmt.Errorf("%s: the directory cannot be created: %w", source.FileName(f.out), publish.Inner(err))
		}
	}
	if p.Instances, err = experiment.Census(cmd.Context(), f.adult); err != nil {
		return err
	}
	start := time.Now()
	p.Progress = f.progress(cmd, start)
	results, err := p.Run(cmd.Context())
	if err != nil {
		return err
	}
	summaries := experiment.Summarise(results)
	if f.out != "" {
		if err := f.write(cmd.Context(), files, results, summaries); err != nil {
			return err
		}
	}
	done := figured{summaries, time.Since(start).Seconds()}
	return cli.Print(cmd, done, func(w io.Writer) error { return f.print(w, p, done) })
}

func (f *figure1Flags) wanted(name string) bool {
	for _, text := range f.only {
		if strings.Contains(name, text) {
			return true
		}
	}
	return len(f.only) == 0
}

// progress returns a function that prints how many trials are done and how long the others may take. On a terminal it
// overwrites its previous line; elsewhere it prints a new line after each tenth of the trials.
func (f *figure1Flags) progress(cmd *cobra.Command, start time.Time) func(done, of int) {
	w := cmd.ErrOrStderr()
	file, ok := w.(*os.File)
	terminal := ok && isatty.IsTerminal(file.Fd())
	tenth := 0
	return func(done, of int) {
		left := time.Duration(float64(time.Since(start)) / float64(done) * float64(of-done)).Round(time.Second)
		switch {
		case terminal:
			fmt.Fprintf(w, "\r\x1b[K%d of %d trials, about %v left", done, of, left)
			if done == of {
				fmt.Fprint(w, "\r\x1b[K")
			}
		case 10*done/of > tenth:
			tenth = 10 * done / of
			fmt.Fprintf(w, "%d of %d trials, about %v left\n", done, of, left)
		}
	}
}

// write writes files with the summaries and with all trials. The module bench/figure1 draws plots from the trials.
func (f *figure1Flags) write(ctx context.Context, claimed *publish.Claims, results []experiment.Result, summaries []experiment.Summary) error {
	files := map[string]func(io.Writer) error{
		"figure1.csv": func(w io.Writer) error { return experiment.WriteCSV(w, summaries) },
		"trials.csv":  func(w io.Writer) error { return experiment.WriteTrials(w, results) },
	}
	for name, fill := range files {
		d, err := publish.NewDraft(ctx, claimed, filepath.Join(f.out, name), true, publish.ForAll)
		if err != nil {
			return err
		}
		defer d.Discard()
		if err := fill(d); err != nil {
			return err
		}
		if err := d.Publish(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (f *figure1Flags) print(w io.Writer, p *experiment.Plan, done figured) error {
	for _, in := range p.Instances {
		fmt.Fprintf(w, "Mean accuracy on the training data: %s (%d rows)\n\n", in.Name, in.Rows)
		rows := experiment.Table(in.Name, p.Epsilons, done.Summaries)
		for i, e := range p.Epsilons {
			rows[0][2+i] = "ε = " + e
		}
		if err := report.WriteTable(w, rows, "  "+strings.Repeat("r", len(p.Epsilons))); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	_, err := fmt.Fprintf(w, "%d trials each, in %.0f s.\n", f.repetitions, done.Seconds)
	return err
}
