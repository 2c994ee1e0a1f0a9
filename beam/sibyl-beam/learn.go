package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver for accounts in a PostgreSQL database
	_ "modernc.org/sqlite"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/beam/prsma"
	"github.com/sibyl-dp/sibyl/beam/rows"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/papers/parts"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/privacy"
)

var learnCommand = command{
	name: "learn", usage: "learn [CLASS] --data 'parts/*.csv' --schema S --epsilon 1 --delta 1e-6 --rows N --out model.json",
	what:  "releases a model by the mechanism prsma, as sibyl learn does, and solves its parts on workers",
	flags: learning.register, run: learning.run,
}

var learning learnFlags

type learnFlags struct {
	dataFlags
	kind    model.Kind
	asking  model.FormBuilder
	request release.Request

	mechanism      string
	epsilon, delta string
	risk           string
	seed           uint64
	pad            time.Duration
	log, account   string
	answers        string
	out            string
	force          bool
}

const dividing = "prsma"

func (f *learnFlags) register(class string) error {
	if class == "" {
		class = "scorecard"
	}
	known := false
	if f.kind, known = model.KindOf(class); !known {
		return fmt.Errorf("class %s is unknown; it is one of %s", quote.Word(class), strings.Join(classes(), ", "))
	}
	m, err := mechanism.Named(f.kind, dividing)
	if err != nil {
		return fmt.Errorf("prsma does not support class %s; use one of %s", class, strings.Join(classes(), ", "))
	}
	f.asking, f.request.Mechanism = f.kind.New(), m.New()
	f.dataFlags.register()
	f.asking.Parameters(flag.CommandLine)
	f.request.Mechanism.Parameters(flag.CommandLine)
	flag.StringVar(&f.mechanism, "mechanism", dividing, "the `mechanism`: "+dividing)
	flag.Int64Var(&f.request.Costs.FalsePositive, "false-positive", 1, "the `cost` of a wrong positive prediction")
	flag.Int64Var(&f.request.Costs.FalseNegative, "false-negative", 1, "the `cost` of a wrong negative prediction")
	flag.StringVar(&f.epsilon, "epsilon", "", "the privacy loss `ε`, a decimal such as 0.5")
	flag.StringVar(&f.delta, "delta", "0", "the `δ` of the guarantee, above 0")
	flag.Int64Var(&f.request.Rows, "rows", 0, "the number of `rows` of the data, including null records; it is public")
	flag.StringVar(&f.risk, "risk", "0", "the `share` of ε for risks; it must be 0, because risks need counts of all rows together")
	flag.Uint64Var(&f.seed, "insecure-seed", 0, "a `number` that replaces the random source in tests; this voids the guarantee")
	flag.DurationVar(&f.pad, "pad-to", 0, "release at the next multiple of a `duration` such as 10s, so that the running time reveals less")
	flag.StringVar(&f.log, "private-log", "", "a `file` for diagnostics, which are private")
	flag.StringVar(&f.account, "account", "", "charge the privacy budget ledger at this `location`, a file or a PostgreSQL URL, before the data is opened")
	flag.StringVar(&f.answers, "answers", "", "the encrypted `file` in which workers return the results of the parts; all workers must be able to write it (default: a temporary file on this machine)")
	flag.StringVar(&f.out, "out", "", "the `file` for the model")
	flag.BoolVar(&f.force, "force", false, "replace an existing file")
	return nil
}

// classes returns the names of the classes that the mechanism prsma supports.
func classes() (names []string) {
	for _, k := range model.Kinds() {
		if _, err := mechanism.Named(k, dividing); err == nil {
			names = append(names, k.Name)
		}
	}
	return names
}

// run releases a model with the settings that the flags state.
func (f *learnFlags) run(ctx context.Context) error {
	p, files, err := f.prepare(ctx)
	if err != nil {
		return err
	}
	directory, clean, err := ownDirectory()
	if err != nil {
		return err
	}
	defer clean()
	if f.answers == "" {
		f.answers = filepath.Join(directory, "answers")
	}
	t, end, err := f.terms(ctx, files)
	if err != nil {
		return err
	}
	defer end()
	m, err := parts.Release(ctx, p, t, prsma.Solve(files, f.answers, runPipeline))
	spent := err == nil || errors.Is(err, release.ErrNothing)
	if spent {
		fmt.Fprintln(os.Stderr, report.Spent(p.Guarantee, p.Void.Text(), f.account != ""))
	}
	if err != nil {
		return err
	}
	_, err = fmt.Print(report.Released(quote.Name(f.out), m.Sheet().Thing(), quote.Clean(m.Schema.Label.Column), m.Guarantee, m.Void.Text(), m.Schema))
	if err != nil {
		return publish.Partly{Reason: fmt.Errorf("standard output could not be written: %w; the model is complete in the file %s", publish.Inner(err), quote.Name(f.out))}
	}
	return nil
}

// prepare returns the release p that the flags describe, and the files to read. It reports all errors that do not
// depend on the data.
func (f *learnFlags) prepare(ctx context.Context) (p *release.Prepared, files []string, err error) {
	if err := given("data", f.data, "schema", f.schema, "epsilon", f.epsilon, "out", f.out); err != nil {
		return nil, nil, err
	}
	if err := reachable("data", f.data, "answers", f.answers); err != nil {
		return nil, nil, err
	}
	if f.mechanism != dividing {
		return nil, nil, fmt.Errorf("--mechanism %s is not supported by sibyl-beam; use --mechanism %s, or the command sibyl learn", quote.Word(f.mechanism), dividing)
	}
	r := &f.request
	risk := privacy.Decimal{}
	for _, d := range []struct {
		name, text string
		to         *privacy.Decimal
	}{{"epsilon", f.epsilon, &r.Epsilon}, {"delta", f.delta, &r.Delta}, {"risk", f.risk, &risk}} {
		if *d.to, err = privacy.ParseDecimal(d.text); err != nil {
			return nil, nil, fmt.Errorf("--%s %w", d.name, err)
		}
	}
	r.Risk = &risk
	if !risk.IsZero() {
		return nil, nil, errors.New("--risk must be 0: sibyl-beam learn does not compute the counts of all rows, which risks need")
	}
	flag.Visit(func(g *flag.Flag) {
		if g.Name == "insecure-seed" {
			r.Seed = &f.seed
		}
		if g.Name == "rows" && r.Rows < 1 {
			err = fmt.Errorf("--rows must be positive, but is %d", r.Rows)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	if r.Schema, err = release.ReadSchema(f.schema); err != nil {
		return nil, nil, err
	}
	if r.Form, err = f.asking.Form(r.Schema); err != nil {
		return nil, nil, err
	}
	if p, err = r.Prepare(); err != nil {
		return nil, nil, err
	}
	files, err = rows.Files(ctx, f.data)
	return p, files, err
}

// terms opens the output file, the log and the ledger of the release, and returns the terms of the release that
// refer to them. The caller must call end to close them.
func (f *learnFlags) terms(ctx context.Context, files []string) (t release.Terms, end func(), err error) {
	var ends []func()
	end = func() {
		for _, f := range ends {
			defer f()
		}
	}
	defer func() {
		if err != nil {
			end()
		}
	}()
	claims, err := rows.Claims(append(append(files[:len(files):len(files)], f.schema), account.Files(f.account)...))
	if err != nil {
		return t, end, err
	}
	draft, err := publish.NewDraft(ctx, claims, f.out, f.force, publish.ForAll)
	if err != nil {
		return t, end, err
	}
	ends = append(ends, draft.Discard)
	t.Pad = f.pad
	if t.Log, err = release.OpenLog(f.log, claims); err != nil {
		return t, end, err
	}
	ends = append(ends, t.Log.Close)
	if f.account != "" {
		a, err := account.Open(ctx, f.account)
		if err != nil {
			return t, end, err
		}
		ends = append(ends, func() { a.Close() })
		t.Account = release.Ledger(a)
	}
	t.Publish = func(ctx context.Context, artefacts [][]byte) error {
		if _, err := draft.Write(artefacts[0]); err != nil {
			return err
		}
		return publish.All(ctx, draft)
	}
	return t, end, nil
}
