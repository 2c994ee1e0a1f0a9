package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
)

// sibyl runs a command in this process and returns its standard output.
func sibyl(t *testing.T, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(args, strings.NewReader(""), &stdout, &stderr); code != cli.ExitDone {
		t.Fatalf("sibyl %v: exit code %d\n%s", args, code, &stderr)
	}
	return stdout.Bytes()
}

// TestAdult learns from census data at ε = 0.5. The best card of the class has an accuracy of 0.8053. A released card
// with an accuracy below 0.79 would have at least 235 more misclassifications. The probability of this is below
// 847288609443·e^{-235/4} < 1e-13.
func TestAdult(t *testing.T) {
	data := shareddata.Path(t, "adult", "adult-balanced.data")
	schema := shareddata.Path(t, "adult", "adult-7.toml")
	out := filepath.Join(t.TempDir(), "model.json")
	sibyl(t, "learn", "--data", data, "--schema", schema, "--class", "scorecard", "--points", "-1..1", "--epsilon", "0.5", "--out", out)
	var e struct {
		Rows     int64
		Accuracy float64
	}
	if err := json.Unmarshal(sibyl(t, "evaluate", "--model", out, "--data", data, "--json"), &e); err != nil {
		t.Fatal(err)
	}
	if e.Rows != 15682 || e.Accuracy < 0.79 {
		t.Errorf("%+v", e)
	}
	var o struct {
		Cost     int64
		Verified bool
	}
	if err := json.Unmarshal(sibyl(t, "optimum", "--schema", schema, "--data", data, "--json"), &o); err != nil {
		t.Fatal(err)
	}
	if o.Cost != 3053 || !o.Verified {
		t.Errorf("%+v", o)
	}
}

// TestAdultClasses finds an optimal hypothesis of every other class on census data, and evaluates it as a model file.
func TestAdultClasses(t *testing.T) {
	data := shareddata.Path(t, "adult", "adult-balanced.data")
	schema := shareddata.Path(t, "adult", "adult-7.toml")
	for class, cost := range map[string]int64{
		"halfspace":     3412,
		"conjunction":   3846,
		"disjunction":   3667,
		"decision-list": 3400,
		"parity":        4279,
		"majority":      3822,
		"nand":          4071,
		"union:conjunction,disjunction,decision-list,majority": 3400,
	} {
		out := filepath.Join(t.TempDir(), "model.json")
		args := []string{"optimum", "--schema", schema, "--data", data, "--class", class, "--out", out, "--json"}
		// Verifying parity takes ten seconds, and nand two seconds. The union verifies majority too.
		slow := class == "parity" || (class == "nand" || class == "majority") && !heavy.On()
		if slow {
			args = append(args, "--verify=false")
		}
		var o struct {
			Cost     int64
			Verified bool
		}
		if err := json.Unmarshal(sibyl(t, args...), &o); err != nil {
			t.Fatal(err)
		}
		var e struct{ Errors int64 }
		if err := json.Unmarshal(sibyl(t, "evaluate", "--model", out, "--data", data, "--json"), &e); err != nil {
			t.Fatal(err)
		}
		if o.Cost != cost || o.Verified == slow || e.Errors != cost {
			t.Errorf("%s: %+v, %+v, want %d", class, o, e, cost)
		}
	}
}

// TestDemoLosesNothing creates one of the files that the demonstration would write, for each of them in turn. The
// demonstration then must not write any file.
func TestDemoLosesNothing(t *testing.T) {
	names := lessonFiles()
	if len(names) != 6 {
		t.Errorf("a demonstration writes %q", names)
	}
	t.Chdir(t.TempDir())
	for i, name := range names {
		directory := fmt.Sprint(i)
		put(t, filepath.Join(directory, name), "mine")
		bad{at: name, args: []string{"demo", "--directory", directory}, says: filepath.Join(directory, name) + ": the file exists already; give --directory another directory"}.run(t)
	}
}

// TestUnread closes the reader of standard output, as the program head does. A command that writes no files must end
// silently. Other commands must report their files, which must be complete.
func TestUnread(t *testing.T) {
	shared, err := txtar.ParseFile("testdata/bad/shared.txtar")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, f := range shared.Files {
		put(t, f.Name, string(f.Data))
	}
	for args, says := range map[string]string{
		"show m.json":        "",
		"show m.json --json": "",
		"version":            "",
		"learn --help":       "",
		"plan --schema s.toml --rows 100 --epsilon 1":                   "",
		"check --data d.csv --schema s.toml":                            "",
		"evaluate --model m.json --data d.csv":                          "",
		"learn --data d.csv --schema s.toml --epsilon 1 --out new.json": "sibyl: standard output could not be written: broken pipe; new.json is written\n",
		"predict --data d.csv --model m.json --out p.csv":               "sibyl: standard output could not be written: broken pipe; p.csv is written\n",
		"optimum --data d.csv --schema s.toml --out best.json":          "sibyl: standard output could not be written: broken pipe; best.json is written\n",
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		var stderr bytes.Buffer
		code := run(strings.Fields(args), strings.NewReader(""), w, &stderr)
		w.Close()
		last := stderr.String()
		last = last[strings.LastIndex(strings.TrimSuffix(last, "\n"), "\n")+1:]
		if says == "" && strings.HasPrefix(last, "sibyl: ") || says != "" && last != says || code != cli.ExitPartly {
			t.Errorf("%s: exit code %d, %s", args, code, &stderr)
		}
		_, out, found := strings.Cut(args, "--out ")
		if found && strings.HasSuffix(out, ".json") && run([]string{"show", out}, nil, io.Discard, io.Discard) != cli.ExitDone {
			t.Errorf("%s is not whole", out)
		}
	}
}
