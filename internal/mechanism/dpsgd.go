package mechanism

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// DPSGD is logistic regression by noisy gradient descent. For the form card-and-tree, it first
// samples a tree, whose prediction is one more attribute of the regression. The guarantee holds for
// fixed parameters. If a user tunes the parameters on the same data, the guarantee does not cover
// the privacy loss of the tuning.
type DPSGD struct {
	Columns
	Steps       int
	Clip, Share string
	Rate        float64
}

const DPSGDName = "dpsgd"

var dpsgdKind = Kind{
	Name: DPSGDName, What: "gradient descent with noisy gradients, which are smoothed over adjacent intervals; for card-and-tree, a tree is sampled first; choose the parameters without looking at the data, because ε does not cover this choice",
	For: AdditiveOnly(model.Logistic, model.CardAndTree{}.Name()), Persons: true, New: func() Mechanism { return NewDPSGD() },
	Record: func() any { return &dpsgdJSON{} }, Recreate: recreateDPSGD,
}

// NewDPSGD returns the mechanism with its default parameters.
func NewDPSGD() *DPSGD { return &DPSGD{Columns: UsualColumns, Share: "1"} }

// Parameters implements Mechanism: it adds the flags of the parameters to f.
func (m *DPSGD) Parameters(f *flag.FlagSet) {
	m.Columns.Define(f)
	f.IntVar(&m.Steps, "steps", 0, "the number of `steps` of gradient descent; 0 means 400")
	f.StringVar(&m.Clip, "clip", m.Clip, "the maximum `norm` of the gradient of a row; longer gradients are shortened to it (default: 0.5, or 1 with card-and-tree)")
	f.StringVar(&m.Share, "share", m.Share, "the `probability` with which each row is used in a step of gradient descent")
	f.Float64Var(&m.Rate, "learning-rate", 0, "the `rate` by which the mean gradient is multiplied in each step; 0 means a rate that follows from the noise")
}

type dpsgdJSON struct {
	Name    string          `json:"name"`
	Charged string          `json:"charged,omitempty"` // chargedRho; missing for releases for which a ledger is charged ε and δ
	Sigma2  string          `json:"sigma2"`
	Columns convex.Encoding `json:"columns"`
	Descent descentJSON     `json:"descent"`
}

// descentJSON is the JSON form of a convex.Descent, the parameters of a gradient descent.
type descentJSON struct {
	Share privacy.Decimal `json:"share"`
	Steps int             `json:"steps"`
	Clip  privacy.Decimal `json:"clip"`
	Rate  float64         `json:"rate"`
	Batch float64         `json:"batch"`
	Grid  int64           `json:"grid"`
	Tree  privacy.Decimal `json:"tree,omitzero"`
}

// dpsgdRecord returns the record of the mechanism m, its entry in a model file. The parameter
// charge is what a ledger is charged, or nil if it is charged ε and δ.
func dpsgdRecord(m *convex.DPSGD, columns convex.Encoding, charge privacy.Guarantee) dpsgdJSON {
	j := dpsgdJSON{Name: DPSGDName, Sigma2: m.Sigma2().String(), Columns: columns, Descent: descentJSON(m.Descent())}
	if charge != nil {
		j.Charged = chargedRho
	}
	return j
}

// dpsgdCharge returns what a ledger is charged for the mechanism m: its guarantee in Gaussian
// differential privacy, or nil if it has none.
func dpsgdCharge(m *convex.DPSGD) privacy.Guarantee {
	if g, ok := m.Gaussian(); ok {
		return g
	}
	return nil
}

// usualClip returns the default maximum norm of a row's gradient. With the prediction of a tree as
// an attribute, a small norm increases the number of misclassifications.
func usualClip(s *Setting) string {
	if treeClass(s) != nil {
		return "1"
	}
	return "0.5"
}

// descent returns the parameters of the gradient descent for the setting. The setting's number of rows may be
// approximate.
func (m *DPSGD) descent(s *Setting) (convex.Descent, error) {
	o := convex.Descent{Steps: m.Steps, Rate: m.Rate}
	if o.Steps == 0 {
		o.Steps = usualSteps
	}
	if o.Rate == 0 {
		o.Rate = 1 // until the noise is computed
	}
	var err error
	if o.Clip, err = privacy.ParseDecimal(cmp.Or(m.Clip, usualClip(s))); err != nil {
		return o, parameter.Errorf("{clip} %w", err)
	}
	if o.Share, err = privacy.ParseDecimal(m.Share); err != nil {
		return o, parameter.Errorf("{share} %w", err)
	}
	share, _ := o.Share.Rat().Float64()
	o.Batch = share * float64(s.Rows)
	switch {
	case !(share > 0 && share <= 1):
		return o, parameter.Errorf("{share} %s is outside (0, 1]", o.Share)
	case share < 1 && s.Schema.Person != nil:
		return o, parameter.Errorf("{share} %s must be 1 if the schema has a [person], because a step of gradient descent samples rows, not persons", o.Share)
	case o.Steps < 1 || o.Steps > convex.MostSteps:
		return o, parameter.Errorf("{steps} %d is outside 1..%d", m.Steps, convex.MostSteps)
	case !(o.Rate > 0) || math.IsInf(o.Rate, 0):
		return o, parameter.Errorf("{learning-rate} %v must be a positive number", m.Rate)
	case o.Clip.IsZero():
		return o, parameter.Errorf("{clip} %s must be positive", o.Clip)
	}
	return o, nil
}

// treeShare returns which share of the ε of a release is the ε of the sample of a tree. The noise
// of the descent grows less than this share suggests, because the joint guarantee of sample and
// descent is better than basic composition. The measurements behind this choice are in
// docs/measurements/default-learner.md.
func treeShare() *big.Rat { return big.NewRat(3, 10) }

// descends returns the gradient descent as a mechanism of package convex, with the encoding of
// attributes and the features that it uses.
func (m *DPSGD) descends(s *Setting) (*convex.DPSGD, convex.Encoding, *convex.Features, error) {
	columns, err := m.encoding()
	if err != nil {
		return nil, columns, nil, err
	}
	features, err := descentFeatures(s, columns)
	if err != nil {
		return nil, columns, nil, err
	}
	if err := s.Approximate(DPSGDName); err != nil {
		return nil, columns, nil, err
	}
	if err := s.Stated("{mechanism} dpsgd"); err != nil {
		return nil, columns, nil, err
	}
	o, err := m.descent(s)
	if err != nil {
		return nil, columns, nil, err
	}
	if treeClass(s) != nil {
		if o.Tree, err = privacy.RoundDown(new(big.Rat).Mul(s.Epsilon.Rat(), treeShare()), shareDigits); err != nil {
			return nil, columns, nil, err
		}
	}
	d, err := convex.NewDPSGD(features, o, s.Epsilon, s.Delta, s.Relation)
	if err != nil {
		return nil, columns, nil, NotMade(DPSGDName, err)
	}
	if m.Rate == 0 {
		o.Rate = plannedRate(d)
		if d, err = convex.NewDPSGDWith(features, o, d.Sigma2(), s.Epsilon, s.Delta, s.Relation); err != nil {
			return nil, columns, nil, NotMade(DPSGDName, err)
		}
	}
	return d, columns, features, nil
}

// treeClass returns the class of the tree that the mechanism samples before the descent, or nil if the form has none.
func treeClass(s *Setting) model.TractableClass { return s.Space.Sampling().Tree }

// sampledTree returns the mechanism that samples a tree before the gradient descent d.
func sampledTree(s *Setting, d *convex.DPSGD) (*learn.Gibbs[table.Record, any], error) {
	return learn.NewGibbs(treeClass(s), d.Descent().Tree, s.Relation, learn.ZeroOne.CostMatrix(2))
}

// descentFeatures returns the features of the descent: the encoded attributes of the schema, with their orders, and
// the prediction of the tree if the form has one.
func descentFeatures(s *Setting, e convex.Encoding) (*convex.Features, error) {
	sizes, orders := s.Schema.Sizes(), ordered(s.Schema)
	if treeClass(s) != nil {
		sizes, orders = convex.WithTree(sizes), append(orders, 0)
	}
	f, err := convex.NewFeatures(e, sizes)
	if err != nil {
		return nil, err
	}
	return f.Ordered(orders)
}

// ordered returns, for each attribute, the number of its ordered categories. This is the number of
// all categories except Other if the categories have an order, and otherwise 0. Categories by cut
// points have an order. Listed values have an order only if the schema states it, because listed
// numbers can be codes without an order.
func ordered(s *table.Schema) []int {
	all := make([]int, len(s.Attributes))
	for j := range s.Attributes {
		a := &s.Attributes[j]
		if len(a.Cuts) == 0 && (a.Ordered == nil || !*a.Ordered) {
			continue
		}
		all[j] = a.Len()
		if a.Other != "" {
			all[j]--
		}
	}
	return all
}

// usualSteps is the default number of steps of the gradient descent.
const usualSteps = 400

// gradientNoise returns the standard deviation of the noise in one coordinate of the mean gradient
// of one step of the descent.
func gradientNoise(m *convex.DPSGD) float64 {
	sigma2, _ := m.Sigma2().Float64()
	d := m.Descent()
	return math.Sqrt(sigma2) / (float64(d.Grid) * d.Batch * float64(learn.Units(m.Guarantee().Relation())))
}

// plannedRate returns a learning rate, rounded to two digits. At this rate, the noise of all steps
// together changes a weight with a standard deviation of 1.1. At a greater rate, the noise would
// dominate. At a smaller rate, the descent would stop too early (docs/explanation/proofs/dpsgd.md).
//
// The maximum distance that all steps together can move the weights is the rate times the number of
// steps times the clipping norm. The rate is adjusted so that this distance is between 50 and 3200.
// The result is a function of public parameters.
func plannedRate(m *convex.DPSGD) float64 {
	d := m.Descent()
	clip, _ := d.Clip.Rat().Float64()
	steps := float64(d.Steps)
	way := min(max(1.1*clip*math.Sqrt(steps)/gradientNoise(m), 50), 3200)
	rate, err := strconv.ParseFloat(strconv.FormatFloat(min(way/(clip*steps), 1e6), 'g', 2, 64), 64)
	if err != nil {
		panic(err)
	}
	return rate
}

func (m *DPSGD) Over(s *Setting) (*Made, error) {
	d, columns, features, err := m.descends(s)
	if err != nil {
		return nil, err
	}
	charge := dpsgdCharge(d)
	record := dpsgdRecord(d, columns, charge)
	if treeClass(s) != nil {
		trees, err := sampledTree(s, d)
		if err != nil {
			return nil, NotMade(DPSGDName, err)
		}
		both, err := convex.NewTreeDPSGD(trees, d)
		if err != nil {
			return nil, NotMade(DPSGDName, err)
		}
		scale := s.Form.(model.CardAndTree).Scale
		points := func(l convex.TreeLinear[any]) (any, error) { return l.Points(features, scale), nil }
		return &Made{Learner: Releasing[Examples, convex.TreeLinear[any]]{both, points}, Record: record, Charge: charge, Effort: dpsgdEffort(s)}, nil
	}
	form := s.Scaled(UsualScale)
	return &Made{Learner: Releasing[Examples, convex.Linear]{d, Weighing(features, form)}, Record: record, Charge: charge}, nil
}

// dpsgdEffort estimates the time and memory of sampling a tree, and the memory of the list of
// records for the descent.
func dpsgdEffort(s *Setting) *Effort {
	e := treeEffort(s)
	e.Bytes = class.Sum(e.Bytes, class.Product(Records(s.Schema, s.Rows), 2*listedBytes+10*int64(len(s.Schema.Attributes))))
	return e
}

func (m *DPSGD) Bounds(s *Setting) ([]Bound, error) {
	if s.Delta.IsZero() {
		return nil, nil
	}
	m2, _, features, err := m.descends(s)
	if err != nil {
		return nil, err
	}
	d, deviation := m2.Descent(), gradientNoise(m2)
	tree := ""
	if treeClass(s) != nil {
		trees, err := sampledTree(s, m2)
		if err != nil {
			return nil, err
		}
		tree = fmt.Sprintf("an ε of %s is for sampling the tree; in 95 of 100 runs, it has at most %.0f more\nmisclassifications than the best tree. The descent has\n", d.Tree, math.Ceil(trees.Excess(s.Rows).Most))
	}
	return []Bound{{
		Mechanism: DPSGDName, GradientNoise: &deviation, Columns: features.Columns(), Steps: d.Steps, Clip: d.Clip.String(),
		Said: tree + fmt.Sprintf("%d steps over %d columns. The mean gradient of a step has noise of standard\ndeviation %.2g in each column; the gradient of a row is clipped to the norm %s. Do not tune\nthe parameters on the data: ε does not cover that.", d.Steps, features.Columns(), deviation, d.Clip),
	}}, nil
}

func recreateDPSGD(stored any, s *Setting) (*Recreated, error) {
	j := stored.(*dpsgdJSON)
	features, err := descentFeatures(s, j.Columns)
	if err != nil {
		return nil, err
	}
	if hasTree := treeClass(s) != nil; hasTree == j.Descent.Tree.IsZero() {
		return nil, fmt.Errorf("the mechanism's key \"tree\" is %s, but must be positive if the class has a tree, and must be missing otherwise", j.Descent.Tree)
	}
	sigma2, ok := whole(j.Sigma2)
	if !ok || sigma2.Sign() <= 0 {
		return nil, errors.New("the mechanism's key \"sigma2\" must be a positive integer")
	}
	if j.Descent.Grid < 1 {
		return nil, fmt.Errorf("the mechanism's key \"grid\" is %d, but must be positive", j.Descent.Grid)
	}
	m, err := convex.NewDPSGDWith(features, convex.Descent(j.Descent), sigma2, s.Epsilon, s.Delta, s.Relation)
	if err != nil {
		return nil, err
	}
	var charge privacy.Guarantee
	switch {
	case j.Charged == chargedRho:
		if charge = dpsgdCharge(m); charge == nil {
			return nil, fmt.Errorf("the mechanism's key \"charged\" is %q, but no ρ is known for its steps: they sample rows, have too little noise, or are too many", chargedRho)
		}
	case j.Charged != "":
		return nil, fmt.Errorf("the mechanism's key \"charged\" is %s, but must be %q or missing", quote.Word(j.Charged), chargedRho)
	}
	return &Recreated{dpsgdRecord(m, j.Columns, charge), m.Guarantee(), charge}, nil
}

// mostDigits is the maximum number of digits of an integer in a model file.
const mostDigits = 1000

// whole parses a text as an integer. The text must consist of decimal digits only.
func whole(text string) (*big.Int, bool) {
	if text == "" || len(text) > mostDigits {
		return nil, false
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return nil, false
		}
	}
	return new(big.Int).SetString(text, 10)
}
