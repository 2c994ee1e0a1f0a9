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

// Perturbing holds the parameters that RSPM, OPDisc and PRSMA share. These mechanisms add noise to the costs of
// hypotheses and minimize the noisy costs with an oracle.
type Perturbing struct {
	Oracle string // one of Oracles; empty means search
	Grid   int64  // noise is a multiple of 1/Grid misclassifications; if 0, the class and ε determine it
}

var defaultPerturbing = Perturbing{Oracle: searchName}

func (p *Perturbing) parameters(f *flag.FlagSet) {
	f.StringVar(&p.Oracle, "oracle", p.Oracle, "the `oracle`, which is the method that finds the hypothesis with the minimum noisy cost: search; exhaustive, for small classes; transform, which computes all costs at once, for conjunctions, parities and read-once formulas; or an external solver, toulbar2, clasp, cbc or highs")
	f.Int64Var(&p.Grid, "grid", 0, "the noise is a multiple of 1/`G` misclassifications; 0 means a G that follows from the class and ε")
}

// minimizer returns the oracle with the name p.Oracle for the setting's class.
func (p *Perturbing) minimizer(s *mechanism.Setting) (Minimizer, error) {
	if p.Grid < 0 || p.Grid > learn.MostGrid {
		return nil, parameter.Errorf("{grid} %d must be 1..%d, or 0 for the default", p.Grid, int64(learn.MostGrid))
	}
	p.Oracle = cmp.Or(p.Oracle, searchName)
	return NewOracle(p.Oracle, s.Space)
}

// Separates implements mechanism.Separating: the scale of the noise depends on the minimum Hamming distance between
// the separator bits of two hypotheses.
func (*Perturbing) Separates() {}

// searchOracle returns the oracle named search for the setting's class. The methods named Bounds use it instead of
// the selected oracle, since bounds do not depend on the oracle.
func searchOracle(s *mechanism.Setting) Minimizer { return oracle.Search(s.Space.Sampling().Class) }

// substitute returns an oracle that searches itself, but reports the assumptions of the named oracle. It is used to
// recreate the mechanism of a model file, because the solver of the named oracle may not be installed.
func substitute(name string, s *mechanism.Setting) (Minimizer, error) {
	o, err := oracleNamed(name)
	if err != nil {
		return nil, fmt.Errorf("the oracle %s is unknown", quote.Word(name))
	}
	return assuming{searchOracle(s), o}, nil
}

// assuming is an oracle that answers like the embedded oracle, but whose guarantee has the assumptions of another
// one.
type assuming struct {
	Minimizer
	other oracleKind
}

func (a assuming) Kind() oracle.Kind { return a.other.kind }
func (a assuming) FloatBound() bool  { return a.other.float }

// perturbedJSON holds the keys that the records of RSPM, OPDisc and PRSMA in model files have in common.
type perturbedJSON struct {
	Grid   int64  `json:"grid"`
	Shift  int64  `json:"shift"` // t, in units of 1/grid
	Oracle string `json:"oracle"`
}

func newPerturbedJSON(m interface {
	Grid() int64
	Shift() int64
}, oracle string) perturbedJSON {
	return perturbedJSON{m.Grid(), m.Shift(), oracle}
}

// rspm returns RSPM with the given noise, laplace or cube. If grid is 0, it uses perturb.DefaultGrid.
func rspm(o Minimizer, noise string, epsilon privacy.Decimal, r privacy.Relation, l learn.Loss, grid int64) (*perturb.RSPM[table.Record, any], error) {
	kind, err := perturb.ParseNoise(noise)
	if err != nil {
		return nil, err
	}
	return perturb.NewRSPM(o, kind, epsilon, r, l, grid)
}
