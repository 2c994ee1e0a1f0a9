package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/scorecard"
	"github.com/sibyl-dp/sibyl/class/tabulated"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/oracle"
	"github.com/sibyl-dp/sibyl/oracle/mip"
	"github.com/sibyl-dp/sibyl/oracle/network"
	"github.com/sibyl-dp/sibyl/oracle/pb"
	"github.com/sibyl-dp/sibyl/oracle/solver"
	"github.com/sibyl-dp/sibyl/oracle/wcsp"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/table"
)

// A minimizer is an oracle over a family's class.
type minimizer = oracle.Minimizer[table.Record, any]

// oracleNames are the oracles that a mechanism may use, the solvers last.
var oracleNames = []string{"search", "exhaustive", "transform", "toulbar2", "clasp", "cbc", "highs"}

// oraclesWith lists, for each oracle that not all classes have, those that do.
var oraclesWith = map[string][]string{
	"transform": {"conjunction", "disjunction", "parity", "majority", "nand"},
	"toulbar2":  {"scorecard", "halfspace", "conjunction", "disjunction"},
	"clasp":     {"scorecard", "halfspace", "conjunction", "disjunction"},
	"cbc":       {"scorecard", "halfspace"},
	"highs":     {"scorecard", "halfspace"},
}

// newOracle returns the oracle of that name. An error says in one sentence why
// there is none; it wraps solver.ErrMissing where only a solver is not there.
func newOracle(name string, s *table.Schema, f model.Family) (minimizer, error) {
	if !slices.Contains(oracleNames, name) {
		return nil, fmt.Errorf("--oracle %s is unknown; it is one of %s", quote.Word(name), strings.Join(oracleNames, ", "))
	}
	if with, listed := oraclesWith[name]; listed && !slices.Contains(with, f.Name()) {
		return nil, fmt.Errorf("--oracle %s goes with --class %s, not with %s", name, strings.Join(with, ", "), f.Name())
	}
	switch name {
	case "exhaustive":
		return exhaustive(s, f)
	case "transform":
		return transform(s, f)
	case "toulbar2":
		return solve(name, s, f, wcsp.Toulbar2)
	case "clasp":
		return solve(name, s, f, pb.Clasp)
	case "cbc":
		return program(name, s, f, mip.CBC)
	case "highs":
		return program(name, s, f, mip.HiGHS)
	}
	c, err := f.Over(s)
	if err != nil {
		return nil, err
	}
	return oracle.Search(c), nil
}

// instead is how to do without an oracle.
const instead = "take --oracle search"

func exhaustive(s *table.Schema, f model.Family) (minimizer, error) {
	c, err := f.Over(s)
	if err != nil {
		return nil, err
	}
	listed, ok := c.(class.Enumerable[table.Record, any])
	if !ok {
		return nil, fmt.Errorf("--oracle exhaustive: hypotheses of this class cannot be listed; %s", instead)
	}
	o, err := oracle.Exhaust(listed)
	if err != nil {
		return nil, fmt.Errorf("--oracle exhaustive: %s; %s", model.Reason(err), instead)
	}
	return o, nil
}

// transform returns the oracle that computes all costs of the class at once.
func transform(s *table.Schema, f model.Family) (minimizer, error) {
	switch f := f.(type) {
	case model.Conjunction:
		c, err := f.Formulas(s)
		return tabulate(c, err)
	case model.Parity:
		c, err := f.Parities(s)
		return tabulate(c, err)
	case model.ReadOnce:
		c, err := f.Formulas(s)
		return tabulate(c, err)
	}
	panic("sibyl: no transform for " + f.Name())
}

// tabulate passes an error on.
func tabulate[H any](c class.Tabular[table.Record, H], err error) (minimizer, error) {
	if err != nil {
		return nil, err
	}
	t, err := tabulated.New(c)
	if err != nil {
		return nil, fmt.Errorf("--oracle transform: %s; %s", model.Reason(err), instead)
	}
	return oracle.Erase(oracle.Search(class.Class[table.Record, H](t))), nil
}

// solve returns the oracle that has a solver of networks.
func solve(name string, s *table.Schema, f model.Family, of func(solver.Program) network.Solver) (minimizer, error) {
	if f, ok := f.(model.Conjunction); ok {
		c, err := f.Formulas(s)
		if err != nil {
			return nil, err
		}
		return ask(name, network.Conjunctions(c), of)
	}
	c, err := cards(name, s, f)
	if err != nil {
		return nil, err
	}
	return ask(name, network.Scorecards(c), of)
}

func ask[H any](name string, e network.Encoding[table.Record, H], of func(solver.Program) network.Solver) (minimizer, error) {
	p, err := find(name)
	if err != nil {
		return nil, err
	}
	return oracle.Erase(network.New(e, of(p))), nil
}

// program returns the oracle that has a solver of integer programs.
func program(name string, s *table.Schema, f model.Family, of func(solver.Program) mip.Solver) (minimizer, error) {
	c, err := cards(name, s, f)
	if err != nil {
		return nil, err
	}
	p, missing := find(name)
	o, err := mip.Scorecards(c, of(p))
	if err != nil {
		return nil, fmt.Errorf("--oracle %s: %s; %s", name, model.Reason(err), instead)
	}
	if missing != nil {
		return nil, missing
	}
	return oracle.Erase(o), nil
}

// cards returns the class of a family of cards with its own separator.
func cards(name string, s *table.Schema, f model.Family) (*scorecard.Class, error) {
	distance := 0
	var over func(*table.Schema) (*scorecard.Class, error)
	switch f := f.(type) {
	case model.Scorecard:
		distance, over = f.Distance, f.Cards
	case model.Halfspace:
		distance, over = f.Distance, f.Cards
	default:
		panic("sibyl: no cards in " + f.Name())
	}
	if distance > 0 {
		return nil, fmt.Errorf("--oracle %s does not know --distance of a %s; %s", name, f.Name(), instead)
	}
	return over(s)
}

// find returns a solver's executable, of the oracle's name and on PATH; but
// SIBYL_HIGHS may name that of highs.
func find(name string) (solver.Program, error) {
	executable, hint := name, ""
	if name == "highs" {
		hint = ", or set SIBYL_HIGHS to its executable"
		if set := os.Getenv("SIBYL_HIGHS"); set != "" {
			executable = set
		}
	}
	p, err := solver.Find(executable)
	if err == nil {
		// It runs in a directory of its own.
		p.Path, err = filepath.Abs(p.Path)
	}
	if err != nil {
		return solver.Program{}, fmt.Errorf("--oracle %s: the solver is not there; install it%s, or %s (%w)", name, hint, instead, err)
	}
	return p, nil
}
