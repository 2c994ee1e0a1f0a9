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

	"github.com/sibyl-dp/sibyl/internal/cli"
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
		Short: "Run the main commands on a generated table, with nothing to set up",
		Long: `Demo learns a private scorecard from a generated table of 2,000 hospital patients. It shows
the commands that it runs and their output. It works in a temporary directory, which it
removes. With --directory it keeps the files, so that you can try the commands.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	cli.PathVar(cmd.Flags(), &f.directory, "directory", "the `directory` to work in, which keeps the files (default: a temporary directory)")
	return cmd
}

type demoFlags struct{ directory string }

// A lesson is one command of the demonstration, with an introduction.
type lesson struct {
	text string // an introduction
	args string // the arguments of the command, separated by spaces
}

var lessons = []lesson{
	{`PLAN
The plan bounds the error that privacy causes, before any data is read. It needs
the schema, the number of rows and ε, the privacy loss. All of these are public.`,
		"plan scorecard --schema hospital.toml --rows 2000 --epsilon 1"},
	{`OPEN AN ACCOUNT
The privacy losses of all releases about these patients add up. An account sets a
budget for their sum, records each release, and refuses one that exceeds the budget.`,
		"account open --account clinic.db --epsilon 2 --of hospital.csv"},
	{`LEARN
Learn samples a scorecard: the fewer errors a scorecard makes, the more probable it
is. One patient's record changes the probability of any scorecard by a factor of at
most e^ε. The sampling is exact, so this holds without an approximation.`,
		"learn scorecard --account clinic.db --data hospital.csv --schema hospital.toml --epsilon 1 --out model.json"},
	{`READ THE SCORECARD
This is public. A person can fill it in by hand. The risk at each total was
estimated from counts with noise, which used one fifth of ε.`,
		"show model.json"},
	{`EVALUATE PRIVATELY
These estimates are public too. They use more of the budget.`,
		"evaluate --account clinic.db --model model.json --data hospital.csv --epsilon 0.5"},
	{`READ THE ACCOUNT`,
		"account show --account clinic.db"},
	{`EVALUATE EXACTLY
The exact numbers are not private: only the curator of the data may see them.`,
		"evaluate --model model.json --data hospital.csv"},
	{`COMPARE WITH THE BEST SCORECARD
Optimum finds a scorecard with the fewest misclassifications and proves that no scorecard has
fewer. It is for the curator too.`,
		"optimum --data hospital.csv --schema hospital.toml --out optimum.json"},
	{`PREDICT
Predict writes a line for each record, in the order of the data. The prediction is
empty if a value is missing.`,
		"predict --model model.json --data hospital.csv --out predictions.csv"},
}

const (
	opening = `This demonstration turns a private table into a public scorecard. The table holds
2,000 generated hospital patients. The question is who returns within a month.

THE SCHEMA
The schema is public. It names the columns to use and groups their values. It must
be written from general knowledge, without looking at the data.

$ cat hospital.toml
`
	closing = `WHAT IS GUARANTEED, AND WHAT IS NOT
+ If one patient's record is replaced by any other, the probability of any
  scorecard with any estimates changes by a factor of at most
  e^(1 + 0.5) ≈ 4.5, whatever else is known about the patient. A smaller ε
  gives a smaller factor.
+ This holds for every table, and no solver has to be trusted.
− The results reveal facts about the whole population. That is their purpose.
− The guarantee is for one row. If a person may have several rows, the schema must
  name the column that identifies persons ([person]). Otherwise a person with k
  rows is only protected with k·ε.
− Each further release from the same data adds its ε. The account refuses a
  release that exceeds its budget.
− The running time of learn depends on the data. --pad-to hides most of this.
− The exact numbers above are not private at all.
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

// lessonResult is one entry of the output of demo --json.
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
		return printResults(cmd)
	}
	return f.printLessons(cmd)
}

// enter creates the directory, writes the sample files to it, and makes it the working
// directory.
func enter(cmd *cobra.Command, directory string) error {
	if err := os.MkdirAll(directory, 0o777); err != nil {
		return fmt.Errorf("%s: the directory cannot be created: %w", quote.Name(directory), publish.Inner(err))
	}
	for _, name := range lessonFiles() {
		path := filepath.Join(directory, name)
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s: the file exists already; give --directory another directory", quote.Name(path))
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
		if err := publishText(cmd, files, name, false, text); err != nil {
			return err
		}
	}
	return nil
}

// printResults runs all commands with --json and prints a list of their results.
func printResults(cmd *cobra.Command) error {
	var results []lessonResult
	for _, l := range lessons {
		var out bytes.Buffer
		if err := l.run(cmd, &out, io.Discard, "--json"); err != nil {
			return err
		}
		results = append(results, lessonResult{"sibyl " + l.args, out.Bytes()})
	}
	return cli.Print(cmd, results, nil)
}

// printLessons runs all commands and prints their introductions and outputs.
func (f *demoFlags) printLessons(cmd *cobra.Command) error {
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

// run runs the command of the lesson in this process. The parameter more holds further
// arguments of the command.
func (l lesson) run(cmd *cobra.Command, stdout, stderr io.Writer, more ...string) error {
	args := append(strings.Fields(l.args), more...)
	root := newRoot(args)
	root.SetArgs(args)
	root.SetIn(cmd.InOrStdin())
	root.SetOut(stdout)
	root.SetErr(stderr)
	return root.ExecuteContext(cmd.Context())
}
