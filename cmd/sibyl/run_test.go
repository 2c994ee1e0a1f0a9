package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/shareddata"
	"github.com/sibyl-dp/sibyl/release"
)

// TestPanic checks that a panic shows nothing but a fixed sentence.
func TestPanic(t *testing.T) {
	err := execute(context.Background(), func() error { panic("secret") })
	if !errors.As(err, new(release.Withheld)) || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

// sibyl runs a command in this process and returns its standard output.
func sibyl(t *testing.T, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(args, strings.NewReader(""), &stdout, &stderr); code != exitDone {
		t.Fatalf("sibyl %v: exit code %d\n%s", args, code, &stderr)
	}
	return stdout.Bytes()
}

// TestAdult learns from census data at ε = 0.5. The best card of the class has
// an accuracy of 0.8053; to fall below 0.79, a draw must make 235 errors more,
// which happens with a probability below 847288609443·e^{-235/4} < 1e-13.
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

// TestAdultClasses finds the best of every other class on census data, and reads
// and evaluates it as a model.
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
		if class == "parity" {
			args = append(args, "--verify=false") // it takes ten seconds
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
		if o.Cost != cost || o.Verified != (class != "parity") || e.Errors != cost {
			t.Errorf("%s: %+v, %+v, want %d", class, o, e, cost)
		}
	}
}
