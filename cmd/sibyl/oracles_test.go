package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/shareddata"
	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/oracle"
	"github.com/sibyl-dp/sibyl/oracle/solver"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/report"
	"github.com/sibyl-dp/sibyl/table"
)

const pairsSchema = `
[label]
column = "ill"
positive = ["yes"]
negative = ["no"]
[[attribute]]
column = "age"
cuts = [30, 50]
[[attribute]]
column = "home"
values = ["own", "rent"]
`

func schemaOf(t *testing.T, text string) *table.Schema {
	t.Helper()
	s, err := table.ParseSchema("test", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var (
	one   = big.NewRat(1, 1)
	sign  = model.Points{Least: -1, Most: 1}
	plain = model.Scorecard{Points: sign, Threshold: 1}
)

// pairs lists, for families of every kind, the oracles that there are beside
// search and exhaustive.
var pairs = map[string]struct {
	family model.Family
	want   []string
}{
	"scorecard":              {plain, []string{"toulbar2", "clasp", "cbc", "highs"}},
	"scorecard, monotone":    {model.Scorecard{Points: sign, Monotone: []model.Monotone{{Attribute: "age"}}}, []string{"toulbar2", "clasp"}},
	"scorecard, at most one": {model.Scorecard{Points: sign, Most: 1}, []string{"toulbar2", "clasp"}},
	"scorecard, penalty":     {model.Scorecard{Points: sign, Penalty: 1}, []string{"toulbar2", "clasp"}},
	"scorecard, norm":        {model.Scorecard{Points: sign, Threshold: 1, Norm: 3}, []string{"toulbar2", "clasp", "cbc", "highs"}},
	"scorecard, distance":    {model.Scorecard{Points: sign, Threshold: 1, Distance: 2}, nil},
	"halfspace":              {model.Halfspace{Weights: sign, Threshold: 1}, []string{"toulbar2", "clasp", "cbc", "highs"}},
	"halfspace, penalty":     {model.Halfspace{Weights: sign, Penalty: 1}, []string{"toulbar2", "clasp"}},
	"halfspace, norm":        {model.Halfspace{Weights: sign, Norm: 5}, []string{"toulbar2", "clasp"}},
	"halfspace, distance":    {model.Halfspace{Weights: sign, Distance: 2}, nil},
	"conjunction":            {model.Conjunction{Penalty: 1}, []string{"transform", "toulbar2", "clasp"}},
	"conjunction, distance":  {model.Conjunction{Distance: 2}, []string{"transform", "toulbar2", "clasp"}},
	"disjunction":            {model.Conjunction{Disjunction: true, Most: 1}, []string{"transform", "toulbar2", "clasp"}},
	"decision list":          {model.DecisionList{Rules: 1}, nil},
	"parity":                 {model.Parity{Penalty: 1}, []string{"transform"}},
	"parity, code":           {model.Parity{Affine: true, Points: 5}, []string{"transform"}},
	"majority":               {model.ReadOnce{}, []string{"transform"}},
	"nand":                   {model.ReadOnce{NAND: true, Depth: 1}, []string{"transform"}},
	"union":                  {model.UnionOf([]model.Family{plain, model.Conjunction{}}), nil},
}

// assumptions are what must be assumed of each oracle, or more.
var assumptions = map[string][]privacy.Assumption{
	"search": nil, "exhaustive": nil, "transform": nil,
	"toulbar2": {privacy.ExactOracle},
	"clasp":    {privacy.ExactOracle},
	"cbc":      {privacy.ExactOracle, privacy.FloatBound},
	"highs":    {privacy.ExactOracle, privacy.FloatBound},
}

// pretend makes executables of all solvers, which run the script.
func pretend(t *testing.T, script string) {
	t.Helper()
	directory := t.TempDir()
	for _, name := range []string{"toulbar2", "clasp", "cbc", "highs"} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", directory+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("SIBYL_HIGHS", "")
}

// overOracles makes every mechanism that asks an oracle over one.
func overOracles(t *testing.T) map[string]func(name string, o minimizer) (mechanism, error) {
	t.Helper()
	decimal := func(text string) privacy.Decimal {
		d, err := privacy.ParseDecimal(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	plan, err := planPRSMA(2000, 300, decimal("8"), decimal("0.01"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]func(string, minimizer) (mechanism, error){}
	for _, f := range []struct {
		flags    mechanismFlags
		delta    string
		relation privacy.Relation
	}{
		{mechanismFlags{name: model.RSPM, noise: "laplace"}, "0", privacy.ReplaceOne},
		{mechanismFlags{name: model.RSPM, noise: "cube"}, "0", privacy.AddRemove},
		{mechanismFlags{name: model.RSPM, noise: "gauss"}, "1e-6", privacy.ReplaceOne},
		{mechanismFlags{name: model.OPDisc}, "0", privacy.AddRemove},
		{mechanismFlags{name: model.OPDisc}, "1e-6", privacy.ReplaceOne},
		{mechanismFlags{name: model.PRSMA, noise: "cube", nodes: 100}, "", privacy.ReplaceOne},
	} {
		all[strings.Join([]string{f.flags.name, f.flags.noise, f.delta}, " ")] = func(name string, o minimizer) (mechanism, error) {
			flags := f.flags
			flags.oracle = name
			if flags.name == model.PRSMA {
				return flags.prsma(o, plan, learn.ZeroOne)
			}
			return flags.over(o, decimal("1"), decimal(f.delta), f.relation, learn.ZeroOne)
		}
	}
	return all
}

// Every pair of an oracle and a class either does not exist, or gives with
// every mechanism a guarantee that assumes all that the oracle needs, and a
// model that says so.
func TestGuaranteesAreNoStrongerThanOracles(t *testing.T) {
	pretend(t, "exit 1\n")
	if got := slices.Sorted(maps.Keys(assumptions)); !slices.Equal(got, slices.Sorted(slices.Values(oracleNames))) {
		t.Fatalf("there are the oracles %v, but %v are tested", oracleNames, got)
	}
	s, mechanisms := schemaOf(t, pairsSchema), overOracles(t)
	for of, c := range pairs {
		for _, name := range oracleNames {
			t.Run(of+"/"+name, func(t *testing.T) {
				o, err := newOracle(name, s, c.family)
				if exists := name == "search" || name == "exhaustive" || slices.Contains(c.want, name); exists != (err == nil) {
					t.Fatalf("exists: %v; error: %v", exists, err)
				}
				if err != nil {
					if o != nil || strings.Contains(err.Error(), "\n") || errors.Is(err, solver.ErrMissing) {
						t.Fatalf("%v, %v", o, err)
					}
					t.Log(err)
					return
				}
				own, err := c.family.Over(s)
				if err != nil {
					t.Fatal(err)
				}
				if d := class.Distance(o.Class()); o.Class().Size().Cmp(own.Size()) != 0 || o.Class().Separator() != own.Separator() || d != class.Distance(own) {
					t.Fatalf("the oracle's class is %v, of %v hypotheses with %d bits at distance %d", o.Class(), o.Class().Size(), o.Class().Separator(), d)
				}
				for called, over := range mechanisms {
					t.Run(called, func(t *testing.T) {
						m, err := over(name, o)
						if err != nil {
							t.Fatal(err)
						}
						sayWhatIsAssumed(t, name, s, c.family, own, m)
					})
				}
			})
		}
	}
}

// Mechanisms that ask no oracle assume nothing over any class, and promise no more
// than was asked for.
func TestGuaranteesWithoutOracles(t *testing.T) {
	s := schemaOf(t, pairsSchema)
	rate := mechanismFlags{name: model.Exponential}
	rate.sampleRate = "0.3"
	for of, c := range pairs {
		own, err := c.family.Over(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []struct {
			flags    mechanismFlags
			relation privacy.Relation
		}{
			{mechanismFlags{name: model.Exponential}, privacy.ReplaceOne},
			{mechanismFlags{name: model.Exponential}, privacy.AddRemove},
			{mechanismFlags{name: model.Exponential, rows: 90, sample: 7}, privacy.ReplaceOne},
			{rate, privacy.AddRemove},
			{mechanismFlags{name: model.Boost, rows: 90}, privacy.ReplaceOne},
			{mechanismFlags{name: model.Boost, rows: 90, boosting: boostFlags{3, 20}}, privacy.AddRemove},
		} {
			epsilon, err := privacy.ParseDecimal("0.7")
			if err != nil {
				t.Fatal(err)
			}
			mechanismOf := f.flags.exponential
			if f.flags.name == model.Boost {
				mechanismOf = f.flags.boost
			}
			m, err := mechanismOf(own, epsilon, f.relation, learn.ZeroOne)
			if err != nil {
				t.Fatal(err)
			}
			if e, err := privacy.Epsilon(m.Guarantee(), privacy.Decimal{}); err != nil || e.Cmp(epsilon) > 0 {
				t.Errorf("%s, %+v: ε = %v, %v", of, f.flags, e, err)
			}
			sayWhatIsAssumed(t, "", s, c.family, own, m)
		}
	}
}

// sayWhatIsAssumed checks the guarantee, and that a model with less is invalid.
func sayWhatIsAssumed(t *testing.T, name string, s *table.Schema, f model.Family, own model.Class, m mechanism) {
	t.Helper()
	g, err := model.State(m.Guarantee())
	if err != nil {
		t.Fatal(err)
	}
	needs := slices.Clone(assumptions[name])
	if m.described.Name == model.PRSMA && slices.Equal(needs, []privacy.Assumption{privacy.ExactOracle}) {
		made := &model.Model{Schema: s, Form: f, Hypothesis: incumbent(t, own), Mechanism: m.described, Guarantee: g}
		if err := made.Validate(); err == nil || !model.OnItsWord(name) {
			t.Errorf("prsma takes %s, and assumes %q", name, g.Assumes)
		}
		return
	}
	if m.described.Name == model.PRSMA {
		needs = slices.DeleteFunc(needs, func(a privacy.Assumption) bool { return a == privacy.ExactOracle })
	}
	if !slices.Equal(g.Assumes, needs) {
		t.Fatalf("the guarantee assumes %q", g.Assumes)
	}
	printed := strings.Join(strings.Fields(report.Guarantee("card", g, "")), " ")
	for _, a := range needs {
		if !strings.Contains(printed, a.Text()) {
			t.Errorf("what is printed does not say %q: %s", a.Text(), printed)
		}
	}
	if !g.Delta.IsZero() && !strings.Contains(printed, "plus δ = "+g.Delta.String()) {
		t.Errorf("what is printed does not say δ: %s", printed)
	}
	made := &model.Model{Schema: s, Form: f, Hypothesis: incumbent(t, own), Mechanism: m.described, Guarantee: g}
	var text bytes.Buffer
	if err := made.Write(&text); err != nil {
		t.Fatal(err)
	}
	for i := range g.Assumes {
		less := *g
		less.Assumes = slices.Delete(slices.Clone(g.Assumes), i, i+1)
		made.Guarantee = &less
		if err := made.Validate(); err == nil {
			t.Errorf("a model may keep silent about %s", g.Assumes[i])
		}
	}
}

// incumbent returns some hypothesis.
func incumbent(t *testing.T, c model.Class) any {
	t.Helper()
	tree, err := c.Tree(class.Problem[table.Record]{})
	if err != nil {
		t.Fatal(err)
	}
	h, _ := tree.Incumbent()
	return h
}

// Oracles whose solvers are there answer as search does, terms included.
func TestOraclesAgree(t *testing.T) {
	s := schemaOf(t, pairsSchema)
	rng := noise.Insecure(1)
	for of, c := range pairs {
		p := class.Problem[table.Record]{Unit: 3}
		for i := range 6 {
			pt := class.Point[table.Record]{X: table.Record{uint16(i % 3), uint16(i % 2)}}
			pt.Cost[rng.Draw(noise.Laplace{Scale: one}).Bit(0)] = int64(3 * (i + 1))
			p.Points = append(p.Points, pt)
		}
		own, err := c.family.Over(s)
		if err != nil {
			t.Fatal(err)
		}
		for range own.Separator() {
			p.Terms = append(p.Terms, rng.Draw(noise.Laplace{Scale: one}).Int64())
		}
		want, err := oracle.Search(own).Minimize(context.Background(), p, oracle.Budget{})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range append([]string{"exhaustive"}, c.want...) {
			t.Run(of+"/"+name, func(t *testing.T) {
				o, err := newOracle(name, s, c.family)
				if errors.Is(err, solver.ErrMissing) && name != "highs" { // TestOracles of mip finds it elsewhere
					shareddata.Missing(t, err.Error())
				} else if errors.Is(err, solver.ErrMissing) {
					t.Skip(err)
				}
				if err != nil {
					t.Fatal(err)
				}
				found, err := o.Minimize(context.Background(), p, oracle.Budget{})
				if err != nil || found.Cost != want.Cost || class.Cost(own, p, found.Hypothesis) != want.Cost {
					t.Errorf("%v, %v; the least cost is %d", found, err, want.Cost)
				}
			})
		}
	}
}

// A missing solver is named before the data, which is not there, is looked for.
func TestMissingSolvers(t *testing.T) {
	directory := t.TempDir()
	t.Setenv("PATH", directory)
	t.Setenv("SIBYL_HIGHS", "")
	schema := filepath.Join(directory, "s.toml")
	if err := os.WriteFile(schema, []byte(pairsSchema), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"toulbar2", "clasp", "cbc", "highs"} {
		code, text := learnBy(t, directory, name)
		if want := "sibyl: --oracle " + name + ": the solver is not there; install it"; code != exitUsage || !strings.HasPrefix(text, want) || strings.Count(text, "\n") != 1 {
			t.Errorf("exit code %d: %s", code, text)
		}
		if strings.Contains(text, "SIBYL_HIGHS") != (name == "highs") {
			t.Error(text)
		}
	}
}

// learnBy runs learn with the oracle on the data in the directory.
func learnBy(t *testing.T, directory, name string) (code int, stderr string) {
	t.Helper()
	var out, text bytes.Buffer
	code = run([]string{
		"learn", "--schema", filepath.Join(directory, "s.toml"), "--data", filepath.Join(directory, "d.csv"), "--epsilon", "1",
		"--mechanism", "rspm", "--oracle", name, "--out", filepath.Join(directory, name+".json"),
	}, strings.NewReader(""), &out, &text)
	if out.Len() > 0 && code != exitDone {
		t.Errorf("%s prints %s", name, &out)
	}
	return code, text.String()
}

// data writes a schema and three people.
func data(t *testing.T) (directory string) {
	t.Helper()
	directory = t.TempDir()
	for name, text := range map[string]string{"s.toml": pairsSchema, "d.csv": "age,home,ill\n20,own,no\n40,own,yes\n60,rent,yes\n"} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return directory
}

// A solver that fails on the data shows nothing but that.
func TestFailingSolversReleaseNothing(t *testing.T) {
	for _, script := range []string{"echo secret; echo secret >&2; exit 1\n", "kill -9 $$\n"} {
		pretend(t, script)
		for _, name := range []string{"toulbar2", "clasp", "cbc", "highs"} {
			directory := data(t)
			code, text := learnBy(t, directory, name)
			if code != exitNothing || text != fmt.Sprintf("sibyl: %v\n", errWithheld) {
				t.Errorf("%s: exit code %d: %s", name, code, text)
			}
			left, err := os.ReadDir(directory)
			if err != nil || len(left) != 2 {
				t.Errorf("%s: the files %v, %v", name, left, err)
			}
		}
	}
}

// SIBYL_HIGHS may be relative, although the solver runs elsewhere.
func TestHighsByItsPath(t *testing.T) {
	directory := t.TempDir()
	t.Chdir(directory)
	if err := os.WriteFile("other", []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SIBYL_HIGHS", "./other")
	p, err := find("highs")
	if want := filepath.Join(directory, "other"); err != nil || p.Path != want {
		t.Errorf("%v, %v; want %s", p, err, want)
	}
}
