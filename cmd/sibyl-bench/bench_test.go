package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/papers/experiment"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sibyl-bench": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Condition:           func(string) (bool, error) { return heavy.On(), nil },
	})
}

// bench runs a command in this process and returns its standard output.
func bench(t *testing.T, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(args, strings.NewReader(""), &stdout, &stderr); code != cli.ExitDone {
		t.Fatalf("sibyl-bench %v: exit code %d\n%s", args, code, &stderr)
	}
	return stdout.Bytes()
}

// TestOracle checks that oracle prints its measurements, writes them to a file, and lists the calls that it
// omits.
func TestOracle(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("SIBYL_HIGHS", "")
	out := filepath.Join(t.TempDir(), "out.csv")
	var stdout, stderr bytes.Buffer
	code := run([]string{"oracle", "--json", "--only", "random 3", "--limit", "1h", "--out", out}, strings.NewReader(""), &stdout, &stderr)
	if code != cli.ExitDone {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	var found experiment.Findings
	if err := json.Unmarshal(stdout.Bytes(), &found); err != nil || len(found) != 12 {
		t.Errorf("%d findings, %v", len(found), err)
	}
	if text := stderr.String(); !strings.Contains(text, "clasp is skipped: ") || strings.Count(text, "\n") != len(found)+4 {
		t.Error(text)
	}
	file, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if lines, err := csv.NewReader(file).ReadAll(); err != nil || len(lines) != len(found)+1 {
		t.Errorf("%d lines for %d findings: %v", len(lines), len(found), err)
	}
	table := bench(t, "oracle", "--only", "random 3 with noise/parity/search")
	if lines := strings.Split(string(table), "\n"); len(lines) != 4 || !strings.Contains(lines[2], "proved") {
		t.Errorf("%s", table)
	}
}

func TestOracleUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"sibyl-bench: --limit 0s must be positive\n": {"--limit", "0s"},
		"sibyl-bench: no benchmark case is left: none that matches --only has its data set in --data-dir; change one of these flags\n": {"--only", "nothing"},
		"no/adult/adult-7.toml: the schema cannot be read: no such file or":                                                            {"--only", "adult-7/scorecard/search", "--data-dir", "no"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(append([]string{"oracle"}, args...), strings.NewReader(""), &stdout, &stderr)
		if code != cli.ExitUsage || stdout.Len() > 0 || !strings.Contains(stderr.String(), want) {
			t.Errorf("exit code %d: %s%s", code, &stdout, &stderr)
		}
	}
}

func TestFigure1(t *testing.T) {
	directory := filepath.Dir(shareddata.Path(t, "adult", "adult-7.toml"))
	out := t.TempDir()
	args := []string{"figure1", "--adult", directory, "--epsilons", "0.5,1", "--repetitions", "2", "--only", "naive Bayes", "--out", out}
	text := string(bench(t, args...))
	if n := strings.Count(text, "naive Bayes"); n != 2 || !strings.Contains(text, "ε = 0.5") || !strings.Contains(text, "2 trials each, in ") {
		t.Error(text)
	}
	file, err := os.Open(filepath.Join(out, "trials.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if results, err := experiment.ReadTrials(file); err != nil || len(results) != 8 {
		t.Errorf("%d trials, %v", len(results), err)
	}
	summaries, err := os.ReadFile(filepath.Join(out, "figure1.csv"))
	if lines := bytes.Count(summaries, []byte("\n")); err != nil || lines != 5 {
		t.Errorf("%d lines, %v", lines, err)
	}
}

// TestWriteAdvantages checks that the comparison of engines names the differences beyond chance, and that nothing is
// written without a second engine.
func TestWriteAdvantages(t *testing.T) {
	mean, far, err := .1, .2, .001
	results := []experiment.Synthesized{
		{Table: "a", Epsilon: "1", Engine: "synth", Draws: 4, Pairs: &mean, PairsError: &err},
		{Table: "a", Epsilon: "1", Engine: "mst", Draws: 4, Pairs: &far, PairsError: &err},
	}
	var alone, both strings.Builder
	if err := errors.Join(writeAdvantages(&alone, "synth", results[:1]), writeAdvantages(&both, "synth", results)); err != nil || alone.Len() > 0 {
		t.Fatal(err, &alone)
	}
	const want = `
Errors of synth against the best other engine:
  measure  settings  smaller by 10%  larger  smaller beyond chance  larger beyond chance
  ───────  ────────  ──────────────  ──────  ─────────────────────  ────────────────────
  pairs           1               1       0                      1                     0

Differences beyond chance:
  table  ε  measure   synth  best other   error  standard errors
  ─────  ─  ───────  ──────  ──────────  ──────  ───────────────
  a      1  pairs    0.1000  mst         0.2000            -53.5
`
	if both.String() != want {
		t.Errorf("%s", &both)
	}
}
