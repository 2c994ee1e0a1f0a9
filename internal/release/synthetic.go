package release

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/synth"
	"github.com/sibyl-dp/sibyl/internal/synthetic"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Synthetic requests the release of synthetic data. All fields are public, as in a Request.
type Synthetic struct {
	Schema *table.Schema // the label, if there is one, is a column like any other

	Epsilon, Delta privacy.Decimal  // the privacy budget; δ must exceed 0
	Total          bool             // as in a Request
	Relation       privacy.Relation // zero: privacy.ReplaceOne
	Rows           int64            // as in a Request
	Seed           *uint64          // as in a Request

	Target string      // an attribute or the label, whose pairs get a larger share of the privacy budget; "" for none
	Pairs  [][2]string // pairs of columns that get a larger share of the privacy budget

	// Pairwise restricts the measurements to the marginals of columns and of pairs of columns, and selects no
	// conjunctions. It is for data that provides only the counts of pairs of columns.
	Pairwise bool

	// Out is the name of the file for the rows, which determines its format; "" for none. Model states whether the
	// model is published.
	Out   string
	Model bool

	Drawing synthetic.Drawing // the options for sampling rows and for fitting the model
}

// A PreparedSynthetic is a Synthetic request whose public parameters have been checked, ready to be released.
type PreparedSynthetic struct {
	gaussian
	Layout *synthetic.Layout
	Plan   *synth.Plan

	request *Synthetic
	promise privacy.Guarantee
	budget  budgetJSON

	// unbinned is nil, or the same release without measurements of bins, if this release measures bins. It is used if
	// the data cannot be coded by bins: for a table in memory or a file of counts, which is already coded.
	unbinned *PreparedSynthetic
}

// A Synthesis holds released synthetic rows, and a model from which more rows can be sampled.
type Synthesis struct {
	Model *synthetic.Model
	Rows  synthetic.Rows
}

// Prepare checks the public parameters of the request and computes its privacy guarantee.
func (r Synthetic) Prepare() (*PreparedSynthetic, error) {
	if r.Schema == nil {
		return nil, errors.New("the schema is missing")
	}
	s := &mechanism.Setting{Schema: r.Schema, Epsilon: r.Epsilon, Delta: r.Delta, Relation: r.Relation, Rows: r.Rows}
	if r.Total {
		return prepareRest(*s, func(epsilon, delta privacy.Decimal) (*PreparedSynthetic, error) {
			r.Epsilon, r.Delta, r.Total = epsilon, delta, false
			return r.Prepare()
		})
	}
	p := &PreparedSynthetic{request: &r}
	var err error
	if p.gaussian, err = newGaussian(s, "synthetic data needs", r.Seed); err != nil {
		return nil, err
	}
	if p.Layout, err = synthetic.NewLayout(r.Schema); err != nil {
		return nil, err
	}
	if r.Out != "" {
		if err := p.Layout.Writable(r.Out, p.Void); err != nil {
			return nil, err
		}
	}
	if p.Layout.Domain.Bins != nil {
		u := *p
		u.Layout = p.Layout.Unbinned()
		if p.Guarantee != nil {
			own := *p.Guarantee
			u.Guarantee = &own
		}
		if err := u.complete(s); err != nil {
			return nil, err
		}
		p.unbinned = &u
	}
	return p, p.complete(s)
}

// complete plans the measurements for the layout, and computes the privacy guarantee.
func (p *PreparedSynthetic) complete(s *mechanism.Setting) (err error) {
	r := p.request
	if p.budget, err = p.divide(); err != nil {
		return err
	}
	if err := p.plan(s); err != nil {
		return errors.New(model.Reason(err))
	}
	if most := p.Plan.Work(r.Rows).Counts*bytesOfCount + mostOfRecords; r.Model && most > table.MostBytes {
		return parameter.Errorf("{model}: the model file could be too large, %d MiB, and the maximum is %d MiB; write no model file, or group values", most>>20, table.MostBytes>>20)
	}
	p.promise = p.Plan.Guarantee()
	if p.Guarantee == nil {
		return nil
	}
	return p.Guarantee.RestOn(p.promise)
}

const (
	bytesOfCount  = 12       // the estimated number of bytes of a count in a model: its digits
	mostOfRecords = 23 << 20 // an upper bound on the number of bytes of the records
)

// plan sets the plan p.Plan of the measurements, and the privacy parameter (ρ or μ) in p.budget.
func (p *PreparedSynthetic) plan(s *mechanism.Setting) (err error) {
	p.Plan, p.budget.RhoOrMu, err = mechanism.WithLessNoise(s, func(b mechanism.RhoOrMu) (*synth.Plan, error) {
		j := p.budget
		j.RhoOrMu = b
		return j.plan(p.Layout.Domain, p.relation)
	}, func(a, b *synth.Plan) bool { return a.ColumnDeviation() < b.ColumnDeviation() })
	return err
}

// divide returns the parameters by which the plan divides the privacy budget among the measurements.
func (p *PreparedSynthetic) divide() (b budgetJSON, err error) {
	r := p.request
	b.Rows, b.Outcome, b.Pairwise, b.Halves, b.Contrasts = r.Rows, p.Layout.Domain.Outcome, r.Pairwise, true, true
	if b.Outcome {
		b.LabelWeight = synth.LabelWeight
	}
	for _, c := range p.Layout.Domain.Columns {
		b.Sizes = append(b.Sizes, c.Size)
	}
	b.Binned = p.Layout.Domain.Binned()
	b.Wanted = [][]int{}
	wanted := make(map[[2]int]bool)
	want := func(i, j int) {
		if pair := [2]int{min(i, j), max(i, j)}; i != j && !wanted[pair] {
			wanted[pair] = true
			b.Wanted = append(b.Wanted, pair[:])
		}
	}
	if r.Target != "" {
		j, err := p.column("{target}", r.Target)
		if err != nil {
			return b, err
		}
		for i := range b.Sizes {
			want(i, j)
		}
	}
	for _, pair := range r.Pairs {
		i, err := p.column("{pair}", pair[0])
		if err != nil {
			return b, err
		}
		j, err := p.column("{pair}", pair[1])
		if err != nil {
			return b, err
		}
		if i == j {
			return b, parameter.Errorf("{pair} names %s twice; name two attributes", quote.Word(pair[0]))
		}
		want(i, j)
	}
	return b, nil
}

// Wants reports whether the request gives the pair of columns a larger share of the privacy budget.
func (p *PreparedSynthetic) Wants(pair [2]int) bool {
	return slices.ContainsFunc(p.budget.Wanted, func(w []int) bool { return slices.Equal(w, pair[:]) })
}

// column returns the index of the free column with the given name. The parameter asked is the one in which the user
// named the column; errors mention it.
func (p *PreparedSynthetic) column(asked parameter.Text, name string) (int, error) {
	j := p.Layout.Column(name)
	if j >= 0 {
		return j, nil
	}
	for _, a := range p.Layout.Flat.Attributes {
		if a.Name == name {
			return 0, parameter.Errorf("%s %s: a [[rule]] computes this column from other columns; name one of those instead", asked, quote.Word(name))
		}
	}
	return 0, parameter.Errorf("%s %s: the schema has no such attribute", asked, quote.Word(name))
}

// Release opens the data and releases synthetic rows and their model. It publishes a file with the rows and a file
// with the model, each only if it was requested.
func (p *PreparedSynthetic) Release(ctx context.Context, d Data, t Terms) (*Synthesis, error) {
	p = fitting(ctx, d, p, p.unbinned, p.Layout.Binned, p.Queries())
	return take(ctx, t, pipeline[table.Counts, *Synthesis]{
		promise: p.promise, void: p.Void, data: d, schema: p.Layout.Binned, queries: stating(p.Queries(), p.relation, p.request.Rows), describe: p.describe,
		open:  opensCounts(d, p.Layout.Binned, p.Queries()),
		admit: func(data table.Counts) error { return p.admit(data, t.Log) },
		draw:  p.draw,
	})
}

// admit returns an error if no synthetic data can be generated from the data d.
func (p *PreparedSynthetic) admit(d table.Counts, log *Log) error {
	if err := admit(d, p.request.Schema, p.relation, p.request.Rows, log); err != nil {
		return err
	}
	if d.Rows() > synthetic.MostRows {
		return fmt.Errorf("the data has more rows than the maximum of %d for synthetic data", int64(synthetic.MostRows))
	}
	return nil
}

// Queries returns the queries that the release sends to the data.
func (p *PreparedSynthetic) Queries() table.Queries {
	queries := p.Layout.Queries(p.Plan.Queries())
	if p.Plan.Rounds > 0 {
		queries.Fallback = "{pairwise}"
	}
	return queries
}

// draw measures the data and generates synthetic rows from the measurements.
func (p *PreparedSynthetic) draw(ctx context.Context, d table.Counts) (*Synthesis, [][]byte, error) {
	r := p.request
	made, err := synth.NewMechanism(p.Plan, p.Layout.Fitting(r.Drawing)).Release(ctx, p.Layout.View(d), coins(r.Seed))
	if err != nil {
		return nil, nil, err
	}
	n := d.Rows() // public under replace-one
	if !p.relation.Replaces() {
		n = int64(math.Round(min(made.Measured.Total(), synthetic.MostRows)))
	}
	fitted, err := made.Rows(ctx, p.Layout.Domain.Records(n))
	if err != nil {
		return nil, nil, err
	}
	out := &Synthesis{Model: &synthetic.Model{Layout: p.Layout, Guarantee: p.Guarantee, Void: p.Void, Rows: n, Measured: made.Measured, Records: synthetic.NewRecords(p.Layout.Domain, fitted)}}
	if out.Rows, err = out.Model.Draw(ctx, int(n), r.Drawing); err != nil {
		return nil, nil, err
	}
	artefacts, err := p.artefacts(ctx, out)
	return out, artefacts, err
}

// artefacts returns the contents of the files that the release publishes.
func (p *PreparedSynthetic) artefacts(ctx context.Context, s *Synthesis) (all [][]byte, err error) {
	if name := p.request.Out; name != "" {
		var b bytes.Buffer
		// Without the reservation, the text would be copied to larger buffers again and again, which takes up to three
		// times the memory.
		reserve := func(done, of int64) {
			if written := float64(b.Len()); done > 0 && float64(b.Cap()) < written/float64(done)*float64(of) {
				b.Grow(int(1.05*written/float64(done)*float64(of)) - b.Len())
			}
		}
		if err := s.Rows.Write(ctx, &b, name, p.Void, reserve); err != nil {
			return nil, err
		}
		all = append(all, b.Bytes())
	}
	if p.request.Model {
		text, err := s.Model.Text()
		if err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, nil
}

// synthesisFormat is the name and version of the format in which a ledger describes the release of synthetic data.
const synthesisFormat = "sibyl-synthesis/1"

type synthesisJSON struct {
	Format    string             `json:"format"`
	Guarantee *privacy.Statement `json:"guarantee"`
	Mechanism budgetJSON         `json:"mechanism"`
}

// budgetJSON holds the parameters by which a plan of measurements divides the privacy budget.
type budgetJSON struct {
	Name string `json:"name"`
	mechanism.RhoOrMu
	Rows    int64   `json:"rows"` // the expected or the stated number of rows; 0 if there is neither
	Sizes   []int   `json:"sizes"`
	Outcome bool    `json:"outcome"`
	Wanted  [][]int `json:"wanted"` // the pairs of columns that get a larger share

	// LabelWeight is the weight of a pair with the label that is not in Wanted (synth.Budget.Weights). It is 0, which
	// stands for 1, if there is no label, and in releases of earlier versions.
	LabelWeight int `json:"label_weight,omitempty"`

	Pairwise bool `json:"pairwise,omitempty"` // whether the plan has no rounds

	// Halves states whether the plan may measure columns a second time with half of their ρ. Earlier
	// versions did not do so.
	Halves bool `json:"halves,omitempty"`

	// Contrasts states whether, under add-remove, sums of contrasts between the categories of a column are
	// measured instead of counts. In earlier versions they were not.
	Contrasts bool `json:"contrasts,omitempty"`

	// Binned is the number of columns whose bins are measured (synth.Domain.Bins).
	Binned int `json:"binned,omitempty"`
}

const synthName = "synth"

// plan returns the plan with the parameters b for measuring a table with the domain d.
func (b budgetJSON) plan(d synth.Domain, r privacy.Relation) (*synth.Plan, error) {
	if b.LabelWeight < 0 {
		return nil, fmt.Errorf("the key \"label_weight\" is %d, but must not be negative", b.LabelWeight)
	}
	weights := make(map[[2]int]int)
	if last := len(d.Columns) - 1; b.Outcome && b.LabelWeight != 0 {
		for j := range last {
			weights[[2]int{j, last}] = b.LabelWeight
		}
	}
	for _, pair := range b.Wanted {
		if len(pair) != 2 {
			return nil, errors.New("each pair must have two columns")
		}
		weights[[2]int(pair)] = synth.WantedWeight
	}
	return synth.NewPlan(d, synth.Budget{Relation: r, Rho: b.Rho, Mu: b.Mu, Rows: b.Rows, Weights: weights, Pairwise: b.Pairwise, First: !b.Halves, Counts: !b.Contrasts})
}

// describe returns the description of the measurements, which the ledger stores.
func (p *PreparedSynthetic) describe() (json.RawMessage, error) {
	b := p.budget
	b.Name = synthName
	return json.Marshal(synthesisJSON{synthesisFormat, p.Guarantee, b})
}

// recomputeSynthesis computes the guarantee of a release from the description in a ledger, which describe wrote.
func recomputeSynthesis(description json.RawMessage) (privacy.Guarantee, error) {
	var j synthesisJSON
	if err := mechanism.Decode(description, &j); err != nil {
		return nil, err
	}
	if j.Guarantee == nil || j.Mechanism.Name != synthName {
		return nil, errors.New("the description must contain a guarantee, and a mechanism with the name \"synth\"")
	}
	d := synth.Domain{Outcome: j.Mechanism.Outcome}
	for _, size := range j.Mechanism.Sizes {
		d.Columns = append(d.Columns, synth.Column{Size: size}) // their order costs nothing
	}
	if n := j.Mechanism.Binned; n < 0 || n > len(d.Columns) {
		return nil, fmt.Errorf("the key \"binned\" is %d, but must be 0 to %d, the number of columns", n, len(d.Columns))
	}
	for _, c := range d.Columns[:j.Mechanism.Binned] { // which columns these are, and how many bins they have, costs nothing
		bins := make([]uint16, c.Size)
		for v := range bins {
			bins[v] = uint16(v)
		}
		d.Bins = append(d.Bins, bins)
	}
	p, err := j.Mechanism.plan(d, j.Guarantee.Relation)
	if err != nil {
		return nil, errors.New(model.Reason(err))
	}
	return p.Guarantee(), j.Guarantee.FollowsFrom(p.Guarantee())
}
