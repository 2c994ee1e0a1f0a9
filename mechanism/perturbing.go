package mechanism

import (
	"errors"
	"flag"
	"fmt"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/oracle"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/table"
)

// Perturbing is what mechanisms are asked that add noise to costs and ask an oracle.
type Perturbing struct {
	Oracle string // one of Oracles; empty is search
	Grid   int64  // noise comes in steps of 1/Grid errors; 0 chooses
}

func (p *Perturbing) parameters(f *flag.FlagSet) {
	f.StringVar(&p.Oracle, "oracle", searchName, "who minimises: search, exhaustive (small classes only), transform (conjunctions, parities and read-once formulas, all costs at once), or a solver: toulbar2, clasp, cbc, highs")
	f.Int64Var(&p.Grid, "grid", 0, "noise comes in steps of 1/`G` errors; 0 chooses")
}

// minimizer returns the oracle asked for.
func (p *Perturbing) minimizer(s *Setting) (Minimizer, error) {
	if p.Grid < 0 || p.Grid > learn.MostGrid {
		return nil, fmt.Errorf("--grid %d is outside 1..%d", p.Grid, int64(learn.MostGrid))
	}
	return NewOracle(p.Oracle, s.Space)
}

// Separated refuses a form whose separator has a distance, of which only mechanisms that
// perturb costs have a use.
func (s *Setting) Separated(m Mechanism) error {
	_, perturbs := m.(interface {
		minimizer(*Setting) (Minimizer, error)
	})
	if at, ok := s.Space.(model.Separated); perturbs || !ok || at.Distance() == 0 {
		return nil
	}
	return errors.New("--distance goes with --mechanism rspm, opdisc and prsma only: no other has a use for a separator")
}

// Searching returns the oracle that plans take, since a bound does not depend on it.
func (s *Setting) Searching() Minimizer { return oracle.Search(s.Space.Class()) }

// standIn returns an oracle that is worth as much as the one that a model names, for
// making a mechanism without its solver.
func standIn(name string, s *Setting) (Minimizer, error) {
	o, err := oracleNamed(name)
	if err != nil {
		return nil, fmt.Errorf("its oracle %s is unknown", quote.Word(name))
	}
	return worth{s.Searching(), o}, nil
}

// worth is an oracle whose answers are worth as much as another's.
type worth struct {
	Minimizer
	other oracleKind
}

func (w worth) Kind() oracle.Kind { return w.other.kind }
func (w worth) FloatBound() bool  { return w.other.float }

// perturbedJSON is what the records of all of them end with.
type perturbedJSON struct {
	Grid   int64  `json:"grid"`
	Shift  int64  `json:"shift"` // t, in steps of 1/grid
	Oracle string `json:"oracle"`
}

func newPerturbedJSON(m interface {
	Grid() int64
	Shift() int64
}, oracle string) perturbedJSON {
	return perturbedJSON{m.Grid(), m.Shift(), oracle}
}

// rspm returns RSPM with pure noise.
func rspm(o Minimizer, noise string, epsilon privacy.Decimal, r privacy.Relation, l learn.Loss, grid int64) (*learn.RSPM[table.Record, any], error) {
	kind, err := learn.ParseNoise(noise)
	if err != nil {
		return nil, err
	}
	return learn.NewRSPM(o, kind, epsilon, r, l, grid)
}
