package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/shareddata"
)

// benched runs the comparison.
func benched(t *testing.T, args ...string) (code int, rows []measured, stderr string) {
	t.Helper()
	var out, text bytes.Buffer
	code = run(append([]string{"bench", "oracle", "--json"}, args...), strings.NewReader(""), &out, &text)
	if code == exitDone {
		if err := json.Unmarshal(out.Bytes(), &rows); err != nil {
			t.Fatal(err)
		}
	}
	return code, rows, text.String()
}

// Without data sets and solvers the oracles of the program itself are compared.
func TestBenchOracle(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("SIBYL_HIGHS", "")
	out := filepath.Join(t.TempDir(), "out.csv")
	code, rows, text := benched(t, "--only", "random 3", "--only", "adult", "--limit", "1h", "--out", out)
	if code != exitDone {
		t.Fatalf("exit code %d: %s", code, text)
	}
	least := map[string]int64{}
	outcomes := map[string]outcome{}
	for _, r := range rows {
		if r.Instance != "random 3 with noise" || r.Cost == nil || r.Seconds <= 0 {
			t.Errorf("%+v", r)
			continue
		}
		outcomes[r.Class+"/"+r.Oracle] = r.Outcome
		if r.Outcome == proved {
			least[r.Class] = *r.Cost
		} else if *r.Cost < least[r.Class] {
			t.Errorf("%+v is below %d", r, least[r.Class])
		}
	}
	for pair, want := range map[string]outcome{
		"scorecard/search": proved, "scorecard/exhaustive": proved, "scorecard/incumbent": found, "scorecard/logistic": found,
		"conjunction/search": proved, "conjunction/exhaustive": proved, "conjunction/transform": proved, "conjunction/incumbent": found,
		"parity/search": proved, "parity/exhaustive": proved, "parity/transform": proved, "parity/incumbent": found,
	} {
		if outcomes[pair] != want {
			t.Errorf("%s: %q", pair, outcomes[pair])
		}
		delete(outcomes, pair)
	}
	if len(outcomes) > 0 {
		t.Errorf("also %v", outcomes)
	}
	for _, name := range []string{"toulbar2", "clasp", "cbc", "highs", "adult-7", "adult-12"} {
		if strings.Count(text, name+" is left out: ") != 1 {
			t.Errorf("%s is not said to be left out, or more than once: %s", name, text)
		}
	}
	file, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if lines, err := csv.NewReader(file).ReadAll(); err != nil || len(lines) != len(rows)+1 {
		t.Errorf("%d lines for %d rows: %v", len(lines), len(rows), err)
	}
}

func TestBenchOracleLimit(t *testing.T) {
	code, rows, text := benched(t, "--only", "random 4 with noise/scorecard/search", "--only", "random 5 with noise/scorecard/search", "--limit", "1ns")
	if code != exitDone || len(rows) != 1 || rows[0].Outcome != endless || rows[0].Cost != nil {
		t.Errorf("exit code %d: %+v, %s", code, rows, text)
	}
}

func TestBenchOracleUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"sibyl: --limit 0s is no time\n":                                    {"--limit", "0s"},
		"sibyl: nothing was measured; see --only and --data-dir\n":          {"--only", "nothing"},
		"no/adult/adult-7.toml: the schema cannot be read: no such file or": {"--only", "adult-7/scorecard/search", "--data-dir", "no"},
	} {
		if code, _, text := benched(t, args...); code != exitUsage || !strings.Contains(text, want) {
			t.Errorf("exit code %d: %s", code, text)
		}
	}
}

// All instances can be loaded, and their classes exist.
func TestBenchInstances(t *testing.T) {
	directory := filepath.Dir(filepath.Dir(shareddata.Path(t, "adult", "adult-7.toml")))
	for _, i := range instances {
		l, err := i.load(t.Context(), directory)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range i.families {
			c, err := f.Over(l.schema)
			if err != nil {
				t.Fatalf("%s: %v", i.name, err)
			}
			if _, err := l.problem(c); err != nil {
				t.Errorf("%s: %v", i.name, err)
			}
		}
	}
}

func TestDisagreement(t *testing.T) {
	row := func(cost int64, o outcome) measured {
		return measured{Instance: "i", Class: "c", Oracle: string(o), Outcome: o, Cost: &cost}
	}
	none := measured{Instance: "i", Class: "c", Outcome: endless}
	other := row(3, proved)
	other.Class = "d"
	for name, c := range map[string]struct {
		rows []measured
		ok   bool
	}{
		"agree":                     {[]measured{row(5, proved), none, row(5, proved), row(6, found), other}, true},
		"two proofs":                {[]measured{row(5, proved), row(6, proved)}, false},
		"better than proved":        {[]measured{row(5, proved), row(4, found)}, false},
		"better than proved, first": {[]measured{row(4, found), row(5, proved)}, false},
	} {
		if err := disagreement(c.rows); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
