package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
)

//go:generate sh -c "cd sample && go run generate.go"

//go:embed sample/hospital.csv sample/hospital.toml
var sample embed.FS

func newDemo() *cobra.Command {
	f := &demoFlags{}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run all commands on a generated sample, with nothing to set up",
		Long: `Demo takes a made-up table of 2,000 hospital patients from the schema to a
private scorecard, and shows each command that it runs. It works in a temporary
directory, or in --directory, where the files stay for you to try.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	pathVar(cmd.Flags(), &f.directory, "directory", "a `directory` to work in, whose files stay")
	return cmd
}

type demoFlags struct{ directory string }

// A lesson is a command of the demonstration with an introduction.
type lesson struct {
	text string
	args string
}

var lessons = []lesson{
	{`HOW MUCH WILL PRIVACY COST?
Known from public numbers alone, before any data is touched: the schema, about
how many rows there are, and ε, the privacy loss.`,
		"plan --schema hospital.toml --rows 2000 --epsilon 1"},
	{`WHO KEEPS COUNT?
All that is ever released about these patients adds up. An account, which is
opened once, says how much that may be, and refuses what would be more.`,
		"account open --account clinic.db --epsilon 2 --of hospital.csv"},
	{`LEARN
The scorecard is drawn at random, the likelier the fewer errors it makes, in
such a way that no single patient's record changes any scorecard's odds by more
than a factor e^ε. No approximation, and nobody to trust but the coins.`,
		"learn --account clinic.db --data hospital.csv --schema hospital.toml --epsilon 1 --out model.json"},
	{`THE SCORECARD
This is all that anyone gets to see. It is filled in by hand, and each total says
how great the risk is: a fifth of ε went to counting that, with noise.`,
		"show model.json"},
	{`HOW GOOD IS IT?
A private estimate may be told to anyone; it spends more of the budget.`,
		"evaluate --account clinic.db --model model.json --data hospital.csv --epsilon 0.5"},
	{`WHAT IS LEFT?`,
		"account show --account clinic.db"},
	{`The exact numbers are for the curator of the data alone.`,
		"evaluate --model model.json --data hospital.csv"},
	{`So is the best scorecard that the class has, with a proof that none is better.`,
		"optimum --data hospital.csv --schema hospital.toml --out optimum.json"},
	{`USE IT
One prediction for each record, in order; empty where a value is missing.`,
		"predict --model model.json --data hospital.csv --out predictions.csv"},
}

const (
	opening = `This is the whole path, from a private table to a public scorecard, on 2,000
made-up hospital patients. Who will be back within a month?

THE SCHEMA
The schema says in public, before anyone looks at the data, which columns count
and how their values are grouped. Nothing of it may be taken from the data.

$ cat hospital.toml
`
	closing = `WHAT IS GUARANTEED, AND WHAT IS NOT
+ Replace one patient's record by any other: the odds of any scorecard and
  estimate change by a factor of at most e^(1 + 0.5) ≈ 4.5, whatever else is
  known about that patient. With a smaller ε it would be less.
+ That holds whatever the data is, and whatever a solver does: none is trusted.
− Facts about the whole population are learned; that is the purpose.
− One row must be one person, or the schema must say whose a row is ([person]).
  Else a person with k rows is protected with k·ε only.
− Every further release from the same data adds its ε; the account refuses more
  than was agreed on.
− The time that learning took depends on the data (--pad-to hides the most
  of that), and the curator's exact numbers above are not private at all.
`
)

var sampleFiles = []string{"hospital.csv", "hospital.toml"}

// lessonFiles returns the files that the demonstration writes.
func lessonFiles() []string {
	names := slices.Clone(sampleFiles)
	for _, l := range lessons {
		words := strings.Fields(l.args)
		for i, word := range words {
			if (word == "--out" || word == "--account") && !slices.Contains(names, words[i+1]) {
				names = append(names, words[i+1])
			}
		}
	}
	return names
}

// lessonResult is one entry of demo --json.
type lessonResult struct {
	Command string          `json:"command"`
	Result  json.RawMessage `json:"result"`
}

func (f *demoFlags) run(cmd *cobra.Command) error {
	if f.directory == "" {
		u := publish.In(cmd.Context())
		var temporary string
		err := u.Begin(os.RemoveAll, func() (_ string, err error) {
			temporary, err = os.MkdirTemp("", "sibyl-demo-")
			return temporary, err
		})
		if err != nil {
			return err
		}
		defer u.Remove(temporary)
		if err := enter(cmd, temporary); err != nil {
			return err
		}
	} else if err := enter(cmd, f.directory); err != nil {
		return err
	}
	asJSON, err := cmd.Flags().GetBool("json")
	if err != nil {
		return err
	}
	if asJSON {
		return tellResults(cmd)
	}
	return f.teach(cmd)
}

// enter creates the directory with the sample in it, and makes it the working directory.
func enter(cmd *cobra.Command, directory string) error {
	if err := os.MkdirAll(directory, 0o777); err != nil {
		return fmt.Errorf("%s: the directory cannot be made: %w", quote.Name(directory), publish.Inner(err))
	}
	for _, name := range lessonFiles() {
		path := filepath.Join(directory, name)
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s: the file exists already; name another directory", quote.Name(path))
		}
	}
	if err := os.Chdir(directory); err != nil {
		return fmt.Errorf("%s: the directory cannot be entered: %w", quote.Name(directory), publish.Inner(err))
	}
	files, err := claimInputs(cmd, nil)
	if err != nil {
		return err
	}
	for _, name := range sampleFiles {
		text, err := sample.ReadFile("sample/" + name)
		if err != nil {
			return err
		}
		d, err := publish.NewDraft(cmd.Context(), files, name, false, publish.ForAll)
		if err != nil {
			return err
		}
		defer d.Discard()
		if _, err := d.Write(text); err != nil {
			return err
		}
		if err := d.Publish(cmd.Context()); err != nil {
			return err
		}
	}
	return nil
}

// tellResults runs all commands and collects their JSON.
func tellResults(cmd *cobra.Command) error {
	var results []lessonResult
	for _, l := range lessons {
		var out bytes.Buffer
		if err := l.run(cmd, &out, io.Discard, "--json"); err != nil {
			return err
		}
		results = append(results, lessonResult{"sibyl " + l.args, out.Bytes()})
	}
	return printing(cmd, results, nil)
}

// teach runs all commands with their introductions.
func (f *demoFlags) teach(cmd *cobra.Command) error {
	w := cmd.OutOrStdout()
	schema, err := sample.ReadFile("sample/hospital.toml")
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s%s\n", opening, schema)
	for _, l := range lessons {
		fmt.Fprintf(w, "%s\n\n$ sibyl %s\n", l.text, l.args)
		if err := l.run(cmd, w, w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, closing)
	if f.directory != "" {
		fmt.Fprintf(w, "\nThe files are in %s.\n", f.directory)
	}
	return nil
}

// run runs the command in this process.
func (l lesson) run(cmd *cobra.Command, stdout, stderr io.Writer, more ...string) error {
	args := append(strings.Fields(l.args), more...)
	root := newRoot(args)
	root.SetArgs(args)
	root.SetIn(cmd.InOrStdin())
	root.SetOut(stdout)
	root.SetErr(stderr)
	return root.ExecuteContext(cmd.Context())
}
