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

// A Minimizer is an oracle over the class of a space.
type Minimizer = oracle.Minimizer[table.Record, any]

// An oracleKind is an oracle that a mechanism may use.
type oracleKind struct {
	name  string
	kind  oracle.Kind
	float bool // its answers rest on a bound found in floating point
	over  func(name string, s model.Space) (Minimizer, error)
}

const searchName = "search"

// oracles is the only list of them, the solvers last.
var oracles = []oracleKind{
	{searchName, oracle.Exhaustive, false, func(_ string, s model.Space) (Minimizer, error) { return oracle.Search(s.Sampling().Class), nil }},
	{"exhaustive", oracle.Exhaustive, false, exhaustive},
	{"transform", oracle.Exhaustive, false, transform},
	{"toulbar2", oracle.Certifiable, false, networks(wcsp.Toulbar2)},
	{"clasp", oracle.Certifiable, false, networks(pb.Clasp)},
	{"cbc", oracle.Certifiable, true, programs(mip.CBC)},
	{"highs", oracle.Certifiable, true, programs(mip.HiGHS)},
}

// Oracles lists the names of the oracles that a mechanism may use, the solvers last.
func Oracles() []string {
	var names []string
	for _, o := range oracles {
		names = append(names, o.name)
	}
	return names
}

func oracleNamed(name string) (oracleKind, error) {
	at := slices.IndexFunc(oracles, func(o oracleKind) bool { return o.name == name })
	if at < 0 {
		return oracleKind{}, parameter.Errorf("{oracle} %s is unknown; it must be one of %s", quote.Word(name), strings.Join(Oracles(), ", "))
	}
	return oracles[at], nil
}

// NewOracle returns the oracle of that name over the class of a space. An error says in
// one sentence why there is none; it wraps solver.ErrMissing where only a solver is not
// there, and ErrUnfit where the oracle does not know the class.
func NewOracle(name string, s model.Space) (Minimizer, error) {
	o, err := oracleNamed(name)
	if err != nil {
		return nil, err
	}
	return o.over(name, s)
}

// onItsWord tells that nothing but the oracle's word stands for its answers.
func (o oracleKind) onItsWord() bool { return o.kind != oracle.Exhaustive && !o.float }

// instead is how to do without an oracle.
const instead parameter.Text = "take {oracle} search"

// ErrUnfit reports a class that an oracle does not know, of whatever size.
var ErrUnfit = errors.New("does not know this class")

func unfit(name string) error {
	return parameter.Errorf("{oracle} %s %w; %s", name, ErrUnfit, instead)
}

func exhaustive(name string, s model.Space) (Minimizer, error) {
	listed, ok := s.Sampling().Class.(class.Enumerable[table.Record, any])
	if !ok {
		return nil, parameter.Errorf("{oracle} %s: hypotheses of this class cannot be listed; %s", name, instead)
	}
	o, err := oracle.Exhaust(listed)
	if err != nil {
		return nil, parameter.Errorf("{oracle} %s: %s; %s", name, model.Reason(err), instead)
	}
	return o, nil
}

// transform returns the oracle that computes all costs of the class at once.
func transform(name string, s model.Space) (Minimizer, error) {
	t, ok := s.(model.Tabular)
	if !ok {
		return nil, unfit(name)
	}
	c, err := t.Tabulated()
	if err != nil {
		return nil, parameter.Errorf("{oracle} %s: %s; %s", name, model.Reason(err), instead)
	}
	return oracle.Search(c), nil
}

// networks are the oracles that have a solver of networks.
func networks(of func(solver.Program) network.Solver) func(string, model.Space) (Minimizer, error) {
	return func(name string, s model.Space) (Minimizer, error) {
		if f, ok := s.(interface{ Conjunctions() *conjunction.Class }); ok {
			return ask(name, network.Conjunctions(f.Conjunctions()), of)
		}
		c, err := cards(name, s)
		if err != nil {
			return nil, err
		}
		return ask(name, network.Scorecards(c), of)
	}
}

func ask[H any](name string, e network.Encoding[table.Record, H], of func(solver.Program) network.Solver) (Minimizer, error) {
	p, err := find(name)
	if err != nil {
		return nil, err
	}
	return oracle.Erase(network.New(e, of(p))), nil
}

// programs are the oracles that have a solver of integer programs.
func programs(of func(solver.Program) mip.Solver) func(string, model.Space) (Minimizer, error) {
	return func(name string, s model.Space) (Minimizer, error) {
		c, err := cards(name, s)
		if err != nil {
			return nil, err
		}
		p, missing := find(name)
		o, err := mip.Scorecards(c, of(p))
		if err != nil {
			return nil, parameter.Errorf("{oracle} %s: %s; %s", name, model.Reason(err), instead)
		}
		if missing != nil {
			return nil, missing
		}
		return oracle.Erase(o), nil
	}
}

// cards returns the class of a space of cards with its own separator.
func cards(name string, s model.Space) (*scorecard.Class, error) {
	of, ok := s.(interface{ Cards() *scorecard.Class })
	if !ok {
		return nil, unfit(name)
	}
	if s.(model.Separated).Distance() > 0 {
		return nil, parameter.Errorf("{oracle} %s does not know {distance} of cards; %s", name, instead)
	}
	return of.Cards(), nil
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
		return solver.Program{}, parameter.Errorf("{oracle} %s: the solver is not there; install it%s, or %s (%w)", name, hint, instead, err)
	}
	return p, nil
}
