package mechanisms

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/papers/mip"
	"github.com/sibyl-dp/sibyl/internal/papers/network"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/pb"
	"github.com/sibyl-dp/sibyl/internal/papers/solver"
	"github.com/sibyl-dp/sibyl/internal/papers/wcsp"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Minimizer is an optimization oracle for a class of hypotheses on the records of a table.
type Minimizer = oracle.Minimizer[table.Record, any]

// An oracleKind describes an oracle that users can select.
type oracleKind struct {
	name  string
	kind  oracle.Kind
	float bool // whether the proof that an answer is a minimizer relies on a bound computed in floating point

	// over returns the oracle for the class of the space s.
	over func(name string, s model.Space) (Minimizer, error)
}

const searchName = "search"

// oracles lists all oracles, in the order in which the help lists them. External solvers come last.
var oracles = []oracleKind{
	{searchName, oracle.Exhaustive, false, func(_ string, s model.Space) (Minimizer, error) { return oracle.Search(s.Sampling().Class), nil }},
	{"exhaustive", oracle.Exhaustive, false, exhaustive},
	{"transform", oracle.Exhaustive, false, transform},
	{"toulbar2", oracle.Certifiable, false, networks(wcsp.Toulbar2)},
	{"clasp", oracle.Certifiable, false, networks(pb.Clasp)},
	{"cbc", oracle.Certifiable, true, programs(mip.CBC)},
	{"highs", oracle.Certifiable, true, programs(mip.HiGHS)},
}

// Oracles returns the names of all oracles. The names of external solvers come last.
func Oracles() []string {
	var names []string
	for _, o := range oracles {
		names = append(names, o.name)
	}
	return names
}

// oracleNamed returns the description of the oracle with the given name.
func oracleNamed(name string) (oracleKind, error) {
	at := slices.IndexFunc(oracles, func(o oracleKind) bool { return o.name == name })
	if at < 0 {
		return oracleKind{}, parameter.Errorf("{oracle} %s is unknown; it must be one of %s", quote.Word(name), strings.Join(Oracles(), ", "))
	}
	return oracles[at], nil
}

// NewOracle returns the oracle with the given name for the class of the space s. Its error wraps ErrUnfit if the
// oracle supports no class of this form, and solver.ErrMissing if it supports the class but its solver is not
// installed.
func NewOracle(name string, s model.Space) (Minimizer, error) {
	o, err := oracleNamed(name)
	if err != nil {
		return nil, err
	}
	return o.over(name, s)
}

// unverified reports whether the only evidence that an answer of the oracle is a minimizer is the solver's own claim.
func (o oracleKind) unverified() bool { return o.kind != oracle.Exhaustive && !o.float }

// useSearch is the remedy in error messages about an oracle. The oracle search supports every class.
const useSearch parameter.Text = "use {oracle} search"

// ErrUnfit is returned for an oracle that supports no class of this form, whatever its size.
var ErrUnfit = errors.New("does not support this class")

func unfit(name string) error {
	return parameter.Errorf("{oracle} %s %w; %s", name, ErrUnfit, useSearch)
}

// exhaustive returns the oracle that enumerates all hypotheses.
func exhaustive(name string, s model.Space) (Minimizer, error) {
	listed, ok := s.Sampling().Class.(class.Enumerable[table.Record, any])
	if !ok {
		return nil, parameter.Errorf("{oracle} %s: hypotheses of this class cannot be enumerated; %s", name, useSearch)
	}
	o, err := oracle.Exhaust(listed)
	if err != nil {
		return nil, parameter.Errorf("{oracle} %s: %s; %s", name, model.Reason(err), useSearch)
	}
	return o, nil
}

// transform returns the oracle that computes the costs of all hypotheses together by a fast transform of the data.
func transform(name string, s model.Space) (Minimizer, error) {
	t, ok := s.(model.Tabular)
	if !ok {
		return nil, unfit(name)
	}
	c, err := t.Tabulated()
	if err != nil {
		return nil, parameter.Errorf("{oracle} %s: %s; %s", name, model.Reason(err), useSearch)
	}
	return oracle.Search(c), nil
}

// networks returns a function that constructs an oracle for a space of hypotheses. The oracle encodes each problem as
// a cost network (package network), which the solver that newSolver returns solves by running the given external
// program.
func networks(newSolver func(solver.Program) network.Solver) func(string, model.Space) (Minimizer, error) {
	return func(name string, s model.Space) (Minimizer, error) {
		if f, ok := s.(interface{ Conjunctions() *conjunction.Class }); ok {
			return networkOracle(name, network.Conjunctions(f.Conjunctions()), newSolver)
		}
		c, err := cards(name, s)
		if err != nil {
			return nil, err
		}
		return networkOracle(name, network.Scorecards(c), newSolver)
	}
}

// networkOracle returns the oracle that encodes problems as networks by the given encoding. It looks up the
// executable of the solver with the given name, and newSolver returns a network solver that runs it.
func networkOracle[H any](name string, encoding network.Encoding[table.Record, H], newSolver func(solver.Program) network.Solver) (Minimizer, error) {
	p, err := find(name)
	if err != nil {
		return nil, err
	}
	return oracle.Erase(network.New(encoding, newSolver(p))), nil
}

// programs returns the constructor of an oracle that formulates problems as mixed-integer programs (package mip). The
// function newSolver returns a solver that runs the given program.
func programs(newSolver func(solver.Program) mip.Solver) func(string, model.Space) (Minimizer, error) {
	return func(name string, s model.Space) (Minimizer, error) {
		c, err := cards(name, s)
		if err != nil {
			return nil, err
		}
		p, missing := find(name)
		o, err := mip.Scorecards(c, newSolver(p))
		if err != nil {
			return nil, parameter.Errorf("{oracle} %s: %s; %s", name, model.Reason(err), useSearch)
		}
		if missing != nil {
			return nil, missing
		}
		return oracle.Erase(o), nil
	}
}

// cards returns the class of scorecards of the space s. It returns an error if the space does not consist of
// scorecards, or if it has the parameter distance.
func cards(name string, s model.Space) (*scorecard.Class, error) {
	of, ok := s.(interface{ Cards() *scorecard.Class })
	if !ok {
		return nil, unfit(name)
	}
	if s.(model.Separated).Distance() > 0 {
		return nil, parameter.Errorf("{oracle} %s does not support {distance} for scorecards; %s", name, useSearch)
	}
	return of.Cards(), nil
}

// find returns the external solver with the given name, whose executable it searches in PATH. For highs, the
// environment variable SIBYL_HIGHS can name another file.
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
		p.Path, err = filepath.Abs(p.Path) // the solver runs in another directory
	}
	if err != nil {
		return solver.Program{}, parameter.Errorf("{oracle} %s: the solver is not installed; install it%s, or %s (%w)", name, hint, useSearch, err)
	}
	return p, nil
}
