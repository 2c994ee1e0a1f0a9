package mechanisms

import (
	"bytes"
	"errors"
	"flag"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/mechanism/mechanismtest"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/solver"
	"github.com/sibyl-dp/sibyl/internal/papers/solver/solvertest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// beside has one form of every kind, and for each the oracles that support the form, except search and exhaustive.
var beside = map[string]struct {
	form model.Form
	want []string
}{
	"scorecard":              {mechanismtest.Plain, []string{"toulbar2", "clasp", "cbc", "highs"}},
	"scorecard, monotone":    {model.Scorecard{Points: mechanismtest.Signs, Monotone: []model.Monotone{{Attribute: "age"}}}, []string{"toulbar2", "clasp"}},
	"scorecard, at most one": {model.Scorecard{Points: mechanismtest.Signs, Most: 1}, []string{"toulbar2", "clasp"}},
	"scorecard, penalty":     {model.Scorecard{Points: mechanismtest.Signs, Penalty: 1}, []string{"toulbar2", "clasp"}},
	"scorecard, norm":        {model.Scorecard{Points: mechanismtest.Signs, Threshold: 1, Norm: 3}, []string{"toulbar2", "clasp", "cbc", "highs"}},
	"scorecard, distance":    {model.Scorecard{Points: mechanismtest.Signs, Threshold: 1, Distance: 2}, nil},
	"halfspace":              {model.Halfspace{Weights: mechanismtest.Signs, Threshold: 1}, []string{"toulbar2", "clasp", "cbc", "highs"}},
	"halfspace, penalty":     {model.Halfspace{Weights: mechanismtest.Signs, Penalty: 1}, []string{"toulbar2", "clasp"}},
	"halfspace, norm":        {model.Halfspace{Weights: mechanismtest.Signs, Norm: 5}, []string{"toulbar2", "clasp"}},
	"halfspace, distance":    {model.Halfspace{Weights: mechanismtest.Signs, Distance: 2}, nil},
	"conjunction":            {model.Conjunction{Penalty: 1}, []string{"transform", "toulbar2", "clasp"}},
	"conjunction, distance":  {model.Conjunction{Distance: 2}, []string{"transform", "toulbar2", "clasp"}},
	"disjunction":            {model.Conjunction{Disjunction: true, Most: 1}, []string{"transform", "toulbar2", "clasp"}},
	"decision list":          {model.DecisionList{Rules: 1}, nil},
	"parity":                 {model.Parity{Penalty: 1}, []string{"transform"}},
	"parity, code":           {model.Parity{Affine: true, Points: 5}, []string{"transform"}},
	"majority":               {model.ReadOnce{}, []string{"transform"}},
	"nand":                   {model.ReadOnce{NAND: true, Depth: 1}, []string{"transform"}},
	"union":                  {model.UnionOf([]model.Form{mechanismtest.Plain, model.Conjunction{}}), nil},
}

// assumptions lists the assumptions that each oracle requires.
var assumptions = map[string][]privacy.Assumption{
	"search": nil, "exhaustive": nil, "transform": nil,
	"toulbar2": {privacy.ExactOracle},
	"clasp":    {privacy.ExactOracle},
	"cbc":      {privacy.ExactOracle, privacy.FloatBound},
	"highs":    {privacy.ExactOracle, privacy.FloatBound},
}

// stating returns a setting for the given space, with the given ε, δ, relation and number of rows.
func stating(t *testing.T, schema *table.Schema, form model.Form, space model.Space, epsilon, delta string, r privacy.Relation, rows int64) *mechanism.Setting {
	t.Helper()
	s := &mechanism.Setting{Schema: schema, Form: form, Space: space, Costs: learn.ZeroOne, Relation: r, Rows: rows}
	for text, to := range map[string]*privacy.Decimal{epsilon: &s.Epsilon, delta: &s.Delta} {
		d := privacytest.Decimal(t, text)
		*to = d
	}
	return s
}

// An over function creates a mechanism with the given oracle for the given space.
type over func(t *testing.T, oracle string, form model.Form, space model.Space) (*mechanism.Setting, *mechanism.Made, error)

// overOracles lists every mechanism that uses an oracle. Unlike the shipped prsma, its prsma does not
// reject unverified oracles.
func overOracles(t *testing.T) map[string]over {
	t.Helper()
	schema := mechanismtest.Schema(t)
	parts := &PRSMA{Noise: "cube", Calls: 300, Nodes: 100}
	plan, err := parts.plan(stating(t, schema, mechanismtest.Plain, nil, "8", "0.01", privacy.ReplaceOne, 2000))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]over{"prsma": func(t *testing.T, oracle string, form model.Form, space model.Space) (*mechanism.Setting, *mechanism.Made, error) {
		s, m := stating(t, schema, form, space, "8", "0.01", privacy.ReplaceOne, 2000), *parts
		m.Oracle = oracle
		o, err := m.minimizer(s)
		if err != nil {
			return s, nil, err
		}
		made, err := m.on(o, plan, s)
		return s, made, err
	}}
	for name, c := range map[string]struct {
		mechanism func(Perturbing) mechanism.Mechanism
		delta     string
		relation  privacy.Relation
	}{
		"rspm, laplace":    {func(p Perturbing) mechanism.Mechanism { return &RSPM{p, "laplace"} }, "0", privacy.ReplaceOne},
		"rspm, cube":       {func(p Perturbing) mechanism.Mechanism { return &RSPM{p, "cube"} }, "0", privacy.AddRemove},
		"rspm, gauss":      {func(p Perturbing) mechanism.Mechanism { return &RSPM{p, "gauss"} }, "1e-6", privacy.ReplaceOne},
		"opdisc":           {func(p Perturbing) mechanism.Mechanism { return &OPDisc{p} }, "0", privacy.AddRemove},
		"opdisc, Gaussian": {func(p Perturbing) mechanism.Mechanism { return &OPDisc{p} }, "1e-6", privacy.ReplaceOne},
	} {
		all[name] = func(t *testing.T, oracle string, form model.Form, space model.Space) (*mechanism.Setting, *mechanism.Made, error) {
			s := stating(t, schema, form, space, "1", c.delta, c.relation, 0)
			made, err := c.mechanism(Perturbing{Oracle: oracle}).Over(s)
			return s, made, err
		}
	}
	return all
}

// overOracles contains every mechanism that has the parameter oracle.
func TestEveryMechanismOverAnOracleIsPaired(t *testing.T) {
	paired := overOracles(t)
	for _, k := range mechanism.All() {
		f := flag.NewFlagSet("", flag.ContinueOnError)
		k.New().Parameters(f)
		is := slices.ContainsFunc(slices.Collect(maps.Keys(paired)), func(name string) bool { return strings.HasPrefix(name, k.Name) })
		if queries := f.Lookup("oracle") != nil; queries != is {
			t.Errorf("%s: queries an oracle: %v, paired: %v", k.Name, queries, is)
		}
	}
}

// For every pair of an oracle and a class, NewOracle fails, or the guarantee of every mechanism and the
// model file state all assumptions that the oracle requires.
func TestGuaranteesAreNoStrongerThanOracles(t *testing.T) {
	solvertest.Pretend(t, "exit 1\n")
	if got := slices.Sorted(maps.Keys(assumptions)); !slices.Equal(got, slices.Sorted(slices.Values(Oracles()))) {
		t.Fatalf("Oracles returned %v, but the tests cover %v", Oracles(), got)
	}
	schema, mechanisms := mechanismtest.Schema(t), overOracles(t)
	for of, c := range beside {
		space, err := c.form.Over(schema)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range Oracles() {
			t.Run(of+"/"+name, func(t *testing.T) {
				o, err := NewOracle(name, space)
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
				own := space.Sampling().Class
				if d := class.Distance(o.Class()); o.Class().Size().Cmp(own.Size()) != 0 || class.SeparatorBits(o.Class()) != class.SeparatorBits(own) || d != class.Distance(own) {
					t.Fatalf("the oracle's class is %v, of %v hypotheses with %d bits at distance %d", o.Class(), o.Class().Size(), class.SeparatorBits(o.Class()), d)
				}
				for called, over := range mechanisms {
					t.Run(called, func(t *testing.T) {
						s, m, err := over(t, name, c.form, space)
						if err != nil {
							t.Fatal(err)
						}
						checkAssumptions(t, name, s, m)
					})
				}
			})
		}
	}
}

// The guarantee of prsma does not assume an exact oracle, so prsma rejects oracles whose answers
// are not verified.
func TestPRSMARejectsUnverifiedOracles(t *testing.T) {
	solvertest.Pretend(t, "exit 1\n")
	schema := mechanismtest.Schema(t)
	space, err := mechanismtest.Plain.Over(schema)
	if err != nil {
		t.Fatal(err)
	}
	for name, needs := range assumptions {
		m := &PRSMA{Perturbing: Perturbing{Oracle: name}, Noise: "cube", Calls: 300, Nodes: 100}
		made, err := m.Over(stating(t, schema, mechanismtest.Plain, space, "8", "0.01", privacy.ReplaceOne, 2000))
		if name == "transform" { // it does not support scorecards
			if !errors.Is(err, ErrUnfit) {
				t.Error(err)
			}
			continue
		}
		if accepted := !unverified(needs); accepted != (err == nil) || accepted != (made != nil) || !accepted && !strings.Contains(err.Error(), "--mechanism prsma does not support --oracle "+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// unverified reports whether privacy.ExactOracle is the only assumption in needs.
func unverified(needs []privacy.Assumption) bool {
	return slices.Equal(needs, []privacy.Assumption{privacy.ExactOracle})
}

// For every class, the guarantees of mechanisms without an oracle state no assumptions, and their ε is at
// most the given ε.
func TestGuaranteesWithoutOracles(t *testing.T) {
	schema := mechanismtest.Schema(t)
	for of, c := range beside {
		space, err := c.form.Over(schema)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []struct {
			mechanism mechanism.Mechanism
			relation  privacy.Relation
			rows      int64
		}{
			{&mechanism.Exponential{}, privacy.ReplaceOne, 0},
			{&mechanism.Exponential{}, privacy.AddRemove, 0},
			{&mechanism.Exponential{Size: 7}, privacy.ReplaceOne, 90},
			{&mechanism.Exponential{Rate: "0.3"}, privacy.AddRemove, 0},
			{&Boost{}, privacy.ReplaceOne, 90},
			{&Boost{Parts: 3, Validation: 20}, privacy.AddRemove, 90},
		} {
			s := stating(t, schema, c.form, space, "0.7", "0", f.relation, f.rows)
			m, err := f.mechanism.Over(s)
			if err != nil {
				t.Fatal(err)
			}
			if e, err := privacy.Epsilon(m.Guarantee(), privacy.Decimal{}); err != nil || e.Cmp(s.Epsilon) > 0 {
				t.Errorf("%s, %+v: ε = %v, %v", of, f, e, err)
			}
			checkAssumptions(t, "", s, m)
		}
	}
}

// checkAssumptions checks that the guarantee of m states the assumptions of the oracle, and that a model
// file that states fewer assumptions is rejected.
func checkAssumptions(t *testing.T, oracle string, s *mechanism.Setting, m *mechanism.Made) {
	t.Helper()
	g, err := privacy.State(m.Guarantee())
	if err != nil {
		t.Fatal(err)
	}
	made := &model.Model{
		Schema: s.Schema, Form: s.Form, Space: s.Space, Hypothesis: incumbent(t, s.Space.Sampling().Class),
		Mechanism: model.NewMechanism(m.Record), Guarantee: g,
	}
	needs := slices.Clone(assumptions[oracle])
	if made.Mechanism.Name == prsmaName {
		if unverified(needs) {
			if err := mechanism.Check(made); err == nil {
				t.Errorf("prsma accepted the unverified oracle %s, with the assumptions %q", oracle, g.Assumes)
			}
			return
		}
		needs = slices.DeleteFunc(needs, func(a privacy.Assumption) bool { return a == privacy.ExactOracle })
	}
	if !slices.Equal(g.Assumes, needs) {
		t.Fatalf("the guarantee assumes %q", g.Assumes)
	}
	printed := strings.Join(strings.Fields(report.Guarantee("card", g, "", nil)), " ")
	for _, a := range needs {
		if !strings.Contains(printed, a.Text()) {
			t.Errorf("the printed guarantee does not contain %q: %s", a.Text(), printed)
		}
	}
	if !g.Delta.IsZero() && !strings.Contains(printed, "plus δ = "+g.Delta.String()) {
		t.Errorf("the printed guarantee does not state δ: %s", printed)
	}
	var text bytes.Buffer
	if err := made.Write(&text); err != nil {
		t.Fatal(err)
	}
	if _, err := mechanism.Read(&text); err != nil {
		t.Fatal(err)
	}
	for i := range g.Assumes {
		less := *g
		less.Assumes = slices.Delete(slices.Clone(g.Assumes), i, i+1)
		made.Guarantee = &less
		if err := mechanism.Check(made); err == nil {
			t.Errorf("a model without the assumption %s was accepted", g.Assumes[i])
		}
	}
}

// incumbent returns an arbitrary hypothesis.
func incumbent(t *testing.T, c model.Class) any {
	t.Helper()
	tree, err := c.Tree(class.Problem[table.Record]{})
	if err != nil {
		t.Fatal(err)
	}
	h, _ := tree.Incumbent()
	return h
}

// For problems with terms on separator bits, every oracle whose solver is installed finds the same least
// cost as the oracle search.
func TestOraclesAgree(t *testing.T) {
	schema, law := mechanismtest.Schema(t), noise.Laplace{Scale: big.NewRat(1, 1)}
	rng := noise.Insecure(1)
	for of, c := range beside {
		p := class.Problem[table.Record]{Unit: 3}
		for i := range 6 {
			pt := class.Point[table.Record]{X: table.Record{uint16(i % 3), uint16(i % 2)}}
			pt.Cost[rng.Draw(law).Bit(0)] = int64(3 * (i + 1))
			p.Points = append(p.Points, pt)
		}
		space, err := c.form.Over(schema)
		if err != nil {
			t.Fatal(err)
		}
		own := space.Sampling().Class
		for range class.SeparatorBits(own) {
			p.Terms = append(p.Terms, rng.Draw(law).Int64())
		}
		want, err := oracle.Search(own).Minimize(t.Context(), p, oracle.Budget{})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range append([]string{"exhaustive"}, c.want...) {
			t.Run(of+"/"+name, func(t *testing.T) {
				o, err := NewOracle(name, space)
				if errors.Is(err, solver.ErrMissing) && name != "highs" { // TestOracles of mip finds it elsewhere
					shareddata.Missing(t, err.Error())
				} else if errors.Is(err, solver.ErrMissing) {
					t.Skip(err)
				}
				if err != nil {
					t.Fatal(err)
				}
				found, err := o.Minimize(t.Context(), p, oracle.Budget{})
				if err != nil || found.Cost != want.Cost || class.Cost(own, p, found.Hypothesis) != want.Cost {
					t.Errorf("result %v, error %v; the minimum cost is %d", found, err, want.Cost)
				}
			})
		}
	}
}

// SIBYL_HIGHS may be a relative path, although the solver runs in another directory.
func TestHighsByItsPath(t *testing.T) {
	directory := t.TempDir()
	t.Chdir(directory)
	if err := os.WriteFile("other", []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SIBYL_HIGHS", "./other")
	p, err := find("highs")
	if want := filepath.Join(directory, "other"); err != nil || p.Path != want {
		t.Errorf("program %v, error %v; want %s", p, err, want)
	}
}

func TestUnverified(t *testing.T) {
	for name, want := range map[string]bool{"search": false, "toulbar2": true, "clasp": true, "cbc": false, "highs": false} {
		if k, err := oracleNamed(name); err != nil || k.unverified() != want {
			t.Errorf("%s is unverified: %v, %v", name, !want, err)
		}
	}
}
