package experiment

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/internal/papers/mechanisms"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
)

// withoutSolvers hides all external solvers.
func withoutSolvers(t *testing.T) {
	t.Helper()
	t.Setenv("PATH", t.TempDir())
	t.Setenv("SIBYL_HIGHS", "")
}

// Without data sets and external solvers, a Contest compares the oracles of this module.
func TestContest(t *testing.T) {
	withoutSolvers(t)
	var told []string
	c := &Contest{
		Limit: time.Hour, Only: []string{"random 3", "adult"},
		Tell: func(line string) { told = append(told, line) },
	}
	all, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	least := map[string]int64{}
	outcomes := map[string]Outcome{}
	for _, f := range all {
		if f.Instance != "random 3 with noise" || f.Cost == nil || f.Seconds <= 0 {
			t.Errorf("wrong finding %+v", f)
			continue
		}
		outcomes[f.Class+"/"+f.Oracle] = f.Outcome
		if f.Outcome == Proved {
			least[f.Class] = *f.Cost
		} else if *f.Cost < least[f.Class] {
			t.Errorf("finding %+v is below the minimum cost %d", f, least[f.Class])
		}
	}
	for pair, want := range map[string]Outcome{
		"scorecard/search": Proved, "scorecard/exhaustive": Proved, "scorecard/incumbent": Unproved, "scorecard/logistic": Unproved,
		"conjunction/search": Proved, "conjunction/exhaustive": Proved, "conjunction/transform": Proved, "conjunction/incumbent": Unproved,
		"parity/search": Proved, "parity/exhaustive": Proved, "parity/transform": Proved, "parity/incumbent": Unproved,
	} {
		if outcomes[pair] != want {
			t.Errorf("%s: wrong outcome %q", pair, outcomes[pair])
		}
		delete(outcomes, pair)
	}
	if len(outcomes) > 0 {
		t.Errorf("unexpected outcomes %v", outcomes)
	}
	for _, name := range []string{"toulbar2", "clasp", "cbc", "highs", "adult-7", "adult-12"} {
		if n := count(told, name+" is skipped: "); n != 1 {
			t.Errorf("%s was reported as skipped %d times: %q", name, n, told)
		}
	}
	if n := count(told, "random 3 with noise/"); n != len(all) {
		t.Errorf("%d calls were reported; want %d", n, len(all))
	}
	if err := all.Disagreement(); err != nil {
		t.Error(err)
	}
}

// count returns the number of lines with the given prefix.
func count(lines []string, prefix string) (n int) {
	for _, line := range lines {
		if strings.HasPrefix(line, prefix) {
			n++
		}
	}
	return n
}

// An oracle that found no hypothesis for a problem of a series is not called for a larger one. Tell may be nil.
func TestContestLimit(t *testing.T) {
	c := &Contest{Limit: time.Nanosecond, Only: []string{"random 4 with noise/scorecard/search", "random 5 with noise/scorecard/search"}}
	all, err := c.Run(t.Context())
	if err != nil || len(all) != 1 || all[0].Outcome != TimedOut || all[0].Cost != nil || !strings.HasPrefix(all[0].Instance, "random 4 ") {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestContestEnds(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if all, err := (&Contest{Limit: time.Hour, Only: []string{"random 3"}}).Run(cancelled); all != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", all, err)
	}
	c := &Contest{Directory: "no", Limit: time.Hour, Only: []string{"adult-7/scorecard/search"}}
	if _, err := c.Run(t.Context()); err == nil || err.Error() != "no/adult/adult-7.toml: the schema cannot be read: no such file or directory" {
		t.Error(err)
	}
}

// All data sets can be loaded, their classes are valid, and Files lists their files.
func TestDatasets(t *testing.T) {
	directory := filepath.Dir(filepath.Dir(shareddata.Path(t, "adult", "adult-7.toml")))
	files := (&Contest{Directory: directory}).Files()
	for _, name := range []string{"adult/adult-balanced.data", "adult/adult-7.toml", "adult/adult-12.toml", "mushroom/agaricus-lepiota.data", "tic-tac-toe/tic-tac-toe.data"} {
		if !slices.Contains(files, filepath.Join(directory, name)) {
			t.Errorf("%s is missing from Files: %q", name, files)
		}
	}
	for _, d := range datasets {
		l, err := d.load(t.Context(), directory)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range d.forms {
			space, err := form.Over(l.schema)
			if err != nil {
				t.Fatalf("%s: %v", d.name, err)
			}
			if _, err := l.problem(space.Sampling().Class); err != nil {
				t.Errorf("%s: %v", d.name, err)
			}
		}
	}
}

// The heuristic logistic supports scorecards only, and unknown names are rejected.
func TestContestants(t *testing.T) {
	l, err := random(3)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range datasets[2].forms {
		space, err := form.Over(l.schema)
		if err != nil {
			t.Fatal(err)
		}
		cards := form.Name() == "scorecard" || form.Name() == "halfspace"
		if o, err := contestant(logisticName, space); cards != (err == nil) || !cards && (o != nil || !errors.Is(err, mechanisms.ErrUnfit)) {
			t.Errorf("%s: %v, %v", form.Name(), o, err)
		}
		if o, err := contestant("nobody", space); o != nil || err == nil || errors.Is(err, mechanisms.ErrUnfit) {
			t.Errorf("%v, %v", o, err)
		}
	}
}

func TestDisagreement(t *testing.T) {
	row := func(cost int64, o Outcome) Finding {
		return Finding{Instance: "i", Class: "c", Oracle: string(o), Outcome: o, Cost: &cost}
	}
	none := Finding{Instance: "i", Class: "c", Outcome: TimedOut}
	other := row(3, Proved)
	other.Class = "d"
	for name, c := range map[string]struct {
		all Findings
		ok  bool
	}{
		"agree":                     {Findings{row(5, Proved), none, row(5, Proved), row(6, Unproved), other}, true},
		"two proofs":                {Findings{row(5, Proved), row(6, Proved)}, false},
		"better than proved":        {Findings{row(5, Proved), row(4, Unproved)}, false},
		"better than proved, first": {Findings{row(4, Unproved), row(5, Proved)}, false},
	} {
		if err := c.all.Disagreement(); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFindings(t *testing.T) {
	cost := int64(7)
	all := Findings{
		{"i", "c", "27", "search", "always", Proved, &cost, 1, 0.0123456},
		{"i", "c", "27", "search", "always", Proved, &cost, 2, 3.14159},
		{"i", "c", "1e+06", "cbc", "or fails; in floats", TimedOut, nil, 1, 20},
	}
	var text strings.Builder
	if err := all.WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	want := `instance,class,class_size,oracle,certifies,outcome,cost,unit,seconds
i,c,27,search,always,proved,7,1,0.01235
i,c,27,search,always,proved,7,2,3.142
i,c,1e+06,cbc,or fails; in floats,no proof,,1,20
`
	if text.String() != want {
		t.Errorf("%s", &text)
	}
	rows := all.Table()
	for i, want := range []string{"", "7 12.35ms", "3.5 3.14s", "– 20s"} {
		if i > 0 && rows[i][5]+" "+rows[i][6] != want {
			t.Errorf("row %q; want %s", rows[i], want)
		}
	}
}

// The instances of Figure 1 have the number of columns that their names state, and the expected number of rows.
func TestCensus(t *testing.T) {
	directory := filepath.Dir(shareddata.Path(t, "adult", "adult-7.toml"))
	all, err := Census(t.Context(), directory)
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	for i, want := range []string{"seven attributes, 25 columns", "the papers' attributes, 22 binary digits"} {
		if all[i].Name != want || all[i].Rows != 15682 || all[i].Digits != (i == 1) {
			t.Errorf("%s: %d rows", all[i].Name, all[i].Rows)
		}
	}
	if got := CensusFiles("d"); !slices.Equal(got, []string{filepath.Join("d", "adult-7.toml"), filepath.Join("d", "adult-balanced.data")}) {
		t.Errorf("%q", got)
	}
}
