package mechanisms

import (
	"cmp"
	"flag"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Perturbing is what mechanisms are asked that add noise to costs and ask an oracle.
type Perturbing struct {
	Oracle string // one of Oracles; empty is search
	Grid   int64  // noise comes in steps of 1/Grid errors; 0 chooses
}

// usualPerturbing are the parameters unless others are asked for.
var usualPerturbing = Perturbing{Oracle: searchName}

func (p *Perturbing) parameters(f *flag.FlagSet) {
	f.StringVar(&p.Oracle, "oracle", p.Oracle, "who minimises: search, exhaustive (small classes only), transform (conjunctions, parities and read-once formulas, all costs at once), or a solver: toulbar2, clasp, cbc, highs")
	f.Int64Var(&p.Grid, "grid", 0, "noise comes in steps of 1/`G` errors; 0 chooses")
}

// minimizer returns the oracle asked for.
func (p *Perturbing) minimizer(s *mechanism.Setting) (Minimizer, error) {
	if p.Grid < 0 || p.Grid > learn.MostGrid {
		return nil, parameter.Errorf("{grid} %d is outside 1..%d", p.Grid, int64(learn.MostGrid))
	}
	p.Oracle = cmp.Or(p.Oracle, searchName)
	return NewOracle(p.Oracle, s.Space)
}

// Separates marks a mechanism that has a use for a separator's distance.
func (*Perturbing) Separates() {}

// searching returns the oracle that plans take, since a bound does not depend on it.
func searching(s *mechanism.Setting) Minimizer { return oracle.Search(s.Space.Sampling().Class) }

// standIn returns an oracle that is worth as much as the one that a model names, for
// making a mechanism without its solver.
func standIn(name string, s *mechanism.Setting) (Minimizer, error) {
	o, err := oracleNamed(name)
	if err != nil {
		return nil, fmt.Errorf("its oracle %s is unknown", quote.Word(name))
	}
	return worth{searching(s), o}, nil
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
func rspm(o Minimizer, noise string, epsilon privacy.Decimal, r privacy.Relation, l learn.Loss, grid int64) (*perturb.RSPM[table.Record, any], error) {
	kind, err := perturb.ParseNoise(noise)
	if err != nil {
		return nil, err
	}
	return perturb.NewRSPM(o, kind, epsilon, r, l, grid)
}
