package release

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/profile"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/schema"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Profile requests the private choice of cuts for number and date columns and of values for category columns
// (package profile). It applies to the open columns of a schema, whose cuts or values are not stated yet. All fields
// are public, as in a Request.
type Profile struct {
	Name string // the name that errors use for the text; usually that of its file
	Text []byte // the open schema, in TOML

	Epsilon, Delta privacy.Decimal  // the privacy budget; δ may be 0 if no category column is open
	Relation       privacy.Relation // zero: privacy.ReplaceOne
	Rows           int64            // as in a Request
	Seed           *uint64          // as in a Request

	MostCategories int // the maximum number of values of a category column; 0 stands for UsualCategories
}

const (
	// UsualCategories is the default of Profile.MostCategories, the maximum number of categories that are chosen for
	// a column.
	UsualCategories = 30
	// MostCategories is the maximum value of Profile.MostCategories.
	MostCategories = profile.MostCategories
)

// PreparedProfile is a Profile request whose public parameters have been checked, ready to be released.
type PreparedProfile struct {
	Guarantee *privacy.Statement // nil if the release is not private
	Void      model.Void         // the reason if it is not

	Columns   []string // the names of the open attributes of numbers and dates
	Unranged  []string // those for which the schema states no least and no most number
	Cuts      int      // the maximum number of chosen cuts of each column; see profile.Column.Narrow for columns that are mostly 0
	RankError float64  // the expected rank error of a cut, in rows or persons; see profile.Mechanism

	Categories []string // the names of the open attributes of categories
	Kept       int64    // a value that this many rows or persons have is released with probability 0.95; see profile.Categories

	request *Profile
	open    *table.Schema
	// grid is a schema of the open columns. Number and date columns come first; their cuts are the edges of their grids.
	// Category columns follow; their only value is a placeholder.
	grid    *table.Schema
	places  []int // by column of grid, its index among the attributes of the open schema
	promise privacy.Guarantee
	columns []*profile.Column   // the number columns
	sizes   *profile.Magnitudes // nil if no number column is open
	cuts    *profile.Mechanism  // nil if no number column is open
	values  *profile.Categories // nil if no category column is open
	rho, mu privacy.Decimal     // the budget: one of them is positive, or none if the guarantee is pure
	failure privacy.Decimal     // the probability of releasing a value that only one person has
	profile table.Profile
}

// A Profiled is the result of the release of a Profile: the completed schema.
type Profiled struct {
	Text   []byte // the completed schema, in TOML
	Schema *table.Schema
	Cuts   []int // the number of cuts of each column of numbers
	Values []int // the number of released values of each column of categories
}

// otherName is the name of a category of a completed schema. In a number column it holds the values that are
// not numbers, and in a category column the values that are not released.
const otherName = "other"

// noValue is the only value of a category column for which no value was released. It is a placeholder in the completed
// schema, because an attribute must have a value.
const noValue = "no value reached the threshold"

// Prepare checks the public parameters of the request and computes its privacy guarantee.
func (r Profile) Prepare() (*PreparedProfile, error) {
	p := &PreparedProfile{request: &r}
	var err error
	if p.open, err = table.ParseOpenSchema(r.Name, bytes.NewReader(r.Text)); err != nil {
		return nil, err
	}
	if err := p.findOpen(); err != nil {
		return nil, fmt.Errorf("%s: %w", quote.Name(r.Name), err)
	}
	s := &mechanism.Setting{Schema: p.grid, Epsilon: r.Epsilon, Delta: r.Delta, Relation: r.Relation, Rows: r.Rows}
	if err := s.Promised(); err != nil {
		return nil, err
	}
	if err := adds(p.open, s.Relation); err != nil {
		return nil, err
	}
	if err := p.divide(s.Relation); err != nil {
		return nil, err
	}
	columns := p.names()
	p.profile = table.Profile{Columns: columns, NotPrivate: true}
	if r.Seed != nil {
		p.Void = model.InsecureSeed
	} else {
		var name [16]byte
		rand.Read(name[:])
		p.profile = table.Profile{
			Columns: columns, Epsilon: table.Decimal(r.Epsilon.String()), Delta: table.Decimal(r.Delta.String()),
			Relation: s.Relation.String(), Release: hex.EncodeToString(name[:]),
		}
		if err := p.stateLoss(); err != nil {
			return nil, err
		}
		if !p.failure.IsZero() {
			p.profile.Failure = table.Decimal(p.failure.String())
		}
		p.Guarantee = &privacy.Statement{Epsilon: r.Epsilon, Delta: r.Delta, Relation: s.Relation, Assumes: []privacy.Assumption{}}
		if err := p.Guarantee.RestOn(p.promise); err != nil {
			return nil, err
		}
	}
	first := make([][]int, len(p.Columns))
	for j := range first {
		first[j] = []int{1}
	}
	if _, err := p.complete(first, make([][]string, len(p.Categories))); err != nil {
		return nil, fmt.Errorf("%s: %w", quote.Name(r.Name), err)
	}
	return p, nil
}

// stateLoss sets the fields for ρ and μ² in p.profile, unless the guarantee is pure ε-differential privacy.
func (p *PreparedProfile) stateLoss() error {
	parts, err := privacy.Parts(p.promise)
	if err != nil {
		return err
	}
	rho, square, whole := new(big.Rat), new(big.Rat), true // whole is whether all parts have a μ
	for _, part := range parts {
		times := big.NewRat(part.Times, 1)
		switch g := part.Guarantee.(type) {
		case privacy.ZCDP:
			rho.Add(rho, g.Rho())
			whole = false
		case privacy.GDP:
			rho.Add(rho, new(big.Rat).Mul(times, g.Rho()))
			square.Add(square, new(big.Rat).Mul(times, g.Square()))
		}
	}
	if p.profile.Rho, err = lossText(rho); err != nil || !whole {
		return err
	}
	p.profile.MuSquared, err = lossText(square)
	return err
}

// lossText returns ρ or μ², rounded up, as a decimal, or "" for 0.
func lossText(loss *big.Rat) (table.Decimal, error) {
	if loss.Sign() == 0 {
		return "", nil
	}
	d, err := privacy.RoundUp(loss, lossDigits)
	return table.Decimal(d.String()), err
}

// lossDigits is the number of significant digits of ρ and μ² in a schema. It is enough for the exact square of a μ
// that privacy.MuWithin returns.
const lossDigits = 18

// divide divides the budget evenly among the open columns, and constructs the mechanisms that choose their cuts and
// values. If values of category columns are chosen, half of δ bounds the probability of releasing a value that only
// one row or person has.
func (p *PreparedProfile) divide(relation privacy.Relation) (err error) {
	r := p.request
	if r.Delta.IsZero() && len(p.Categories) > 0 {
		return parameter.Errorf("%s: attribute %s has kind = %s but no values; write values or groups from public knowledge, or state {delta}, such as 1e-9, to choose values from the data", quote.Name(r.Name), quote.Word(p.Categories[0]), quote.Word(table.CategoryKind))
	}
	if !r.Delta.IsZero() {
		concentrated := r.Delta
		if len(p.Categories) > 0 {
			half := r.Delta.Rat()
			if p.failure, err = privacy.RoundDown(half.Quo(half, big.NewRat(2, 1)), 9); err != nil {
				return err
			}
			concentrated = p.failure
		}
		if p.rho, err = privacy.RhoWithin(r.Epsilon, concentrated); err != nil {
			return mechanism.TooSmall(r.Epsilon, r.Delta)
		}
	}
	numbers, categories := len(p.Columns), len(p.Categories)
	if numbers > 0 {
		h, g, err := promisedCuts(r.Epsilon, p.rho, numbers, categories, relation)
		if err != nil {
			return err
		}
		if p.sizes, err = profile.NewMagnitudes(numbers, h); err != nil {
			return err
		}
		levels := profile.Levels(numbers, r.Rows, g)
		if p.cuts, err = profile.New(p.cells(), levels, r.Rows, g); err != nil {
			return err
		}
		p.Cuts, p.RankError = p.cuts.MostCuts(), p.cuts.RankError()
	}
	if categories > 0 {
		most := cmp.Or(r.MostCategories, UsualCategories)
		if most < 1 || most > MostCategories {
			return fmt.Errorf("the maximum number of categories, %d, is outside 1..%d", most, MostCategories)
		}
		share := shareOf(p.rho, categories, numbers+categories)
		if p.values, err = newCategories(categories, most, share, privacy.Decimal{}, p.failure, relation); err != nil {
			return mechanism.TooSmall(r.Epsilon, r.Delta)
		}
		if numbers == 0 {
			p.divideMu(most, relation)
		}
		p.Kept = p.values.Kept()
	}
	p.promise, err = together(p.sizes, p.cuts, p.values, true)
	return err
}

// divideMu replaces the budget ρ of a profile without number columns by a μ, if the counts of the category columns
// then have less noise. With number columns, a μ would give more noise, because choosing a cut consumes more of μ²
// than of ρ.
func (p *PreparedProfile) divideMu(most int, relation privacy.Relation) {
	mu, err := privacy.MuWithin(p.request.Epsilon, p.failure)
	if err != nil {
		return
	}
	values, err := newCategories(len(p.Categories), most, nil, mu, p.failure, relation)
	if err == nil && values.Variance().Cmp(p.values.Variance()) < 0 {
		p.values, p.rho, p.mu = values, privacy.Decimal{}, mu
	}
}

// newCategories returns the mechanism that chooses values of category columns. Its budget is μ if μ is positive, and
// otherwise ρ.
func newCategories(columns, most int, rho *big.Rat, mu, failure privacy.Decimal, r privacy.Relation) (*profile.Categories, error) {
	var budget privacy.GaussianBudget
	var err error
	if mu.IsZero() {
		budget, err = privacy.NewZCDP(r, rho)
	} else {
		budget, err = privacy.NewGaussianBudget(r, privacy.Decimal{}, mu)
	}
	if err != nil {
		return nil, err
	}
	return profile.NewCategories(columns, most, budget, failure)
}

// promisedCuts divides the budget of the number columns into two parts, and returns the guarantees of both: sizes for
// counting the numbers by magnitude, and cuts for choosing cuts. If ρ is 0, the budget is epsilon. Otherwise it is
// the share of ρ that belongs to the number columns.
func promisedCuts(epsilon, rho privacy.Decimal, numbers, categories int, r privacy.Relation) (sizes, cuts privacy.Guarantee, err error) {
	if rho.IsZero() {
		first, err := privacy.RoundDown(new(big.Rat).Mul(epsilon.Rat(), magnitudeShare), mostDigits)
		if err != nil {
			return nil, nil, err
		}
		rest, err := privacy.RoundDown(new(big.Rat).Sub(epsilon.Rat(), first.Rat()), mostDigits)
		if err != nil {
			return nil, nil, err
		}
		if sizes, err = privacy.NewPure(r, first); err == nil {
			cuts, err = privacy.NewPure(r, rest)
		}
		return sizes, cuts, err
	}
	share := shareOf(rho, numbers, numbers+categories)
	first := new(big.Rat).Mul(share, magnitudeShare)
	if sizes, err = privacy.NewZCDP(r, first); err == nil {
		cuts, err = privacy.NewZCDP(r, share.Sub(share, first))
	}
	return sizes, cuts, err
}

// mostDigits is the number of significant digits with which parts of ε are written, which is enough to write an
// eighth of any ε exactly.
const mostDigits = 100

// magnitudeShare is the fraction of the number columns' budget that is spent on counting the numbers by magnitude.
var magnitudeShare = big.NewRat(1, 8)

// shareOf returns the share of ρ for some of the columns, if ρ is divided evenly among all columns. The parameters
// some and all are numbers of columns.
func shareOf(rho privacy.Decimal, some, all int) *big.Rat {
	share := big.NewRat(int64(some), int64(all))
	return share.Mul(share, rho.Rat())
}

// A profiler is a mechanism that chooses cuts or values. The method Gaussian returns the same guarantee in a form
// that has a μ², if possible.
type profiler interface {
	Guarantee() privacy.Guarantee
	Gaussian() privacy.Guarantee
}

// together returns the joint guarantee of the mechanisms of a profile, of which those that are not used are nil. If
// all guarantees are pure, so is the joint guarantee, with the sum of their ε. The parameter squares says whether the
// joint guarantee has a μ² in addition to a ρ; in earlier versions it had only a ρ.
func together(sizes *profile.Magnitudes, cuts *profile.Mechanism, values *profile.Categories, squares bool) (privacy.Guarantee, error) {
	var all []privacy.Guarantee
	add := func(m profiler) {
		if squares {
			all = append(all, m.Gaussian())
		} else {
			all = append(all, m.Guarantee())
		}
	}
	if cuts != nil {
		add(sizes)
		add(cuts)
	}
	if values != nil {
		add(values)
	}
	sum := new(big.Rat)
	for _, g := range all {
		pure, ok := g.(privacy.Pure)
		if !ok {
			return privacy.Compose(all...)
		}
		sum.Add(sum, pure.Epsilon().Rat())
	}
	epsilon, err := privacy.RoundUp(sum, mostDigits)
	if err != nil {
		return nil, err
	}
	return privacy.NewPure(all[0].Relation(), epsilon)
}

// findOpen finds the open columns and sets p.grid. It returns an error if any other part of the schema is open.
func (p *PreparedProfile) findOpen() error {
	if s := p.open; s.Person != nil && s.Person.Most == 0 {
		return errors.New(`[person] has most = "?"; write the maximum number of rows counted per person`)
	}
	if l := p.open.Label; l != nil && l.Open() {
		return errors.New("[label] has no outcomes; write them from public knowledge")
	}
	grid := table.Schema{File: p.open.File, Person: p.open.Person, Profiles: p.open.Profiles}
	if f := &grid.File; !f.Headerless && len(f.Columns) == 0 { // refuse a file that lacks a column which later releases need
		if f.Columns = p.open.Columns(); p.open.Person != nil {
			f.Columns = append(f.Columns, p.open.Person.Column)
		}
	}
	var categories []int
	for j := range p.open.Attributes {
		a := &p.open.Attributes[j]
		if !a.Open() {
			continue
		}
		if a.Kind == table.CategoryKind {
			if err := p.unruled(a.Name); err != nil {
				return err
			}
			p.Categories, categories = append(p.Categories, a.Name), append(categories, j)
			continue
		}
		if a.Kind != table.NumberKind && (!a.IsDate() || a.Least == "") {
			remedy := "add values or groups"
			switch {
			case a.IsDate():
				remedy = `add cuts, or draw = "day" with the range least and most,`
			case a.Kind == table.DateKind:
				remedy = `add format, such as "d.m.y", and cuts, or draw = "day" with the range least and most, all`
			}
			return fmt.Errorf("attribute %s has kind = %s; a profile chooses cuts or values only for numbers, categories and dates with a range; %s from public knowledge, write another kind, or delete the attribute", quote.Word(a.Name), quote.Word(a.Kind), remedy)
		}
		if a.Least == "" {
			p.Unranged = append(p.Unranged, a.Name)
		}
		column := profile.NewColumn(a)
		edges := column.Edges()
		if len(edges) == 0 {
			return fmt.Errorf("attribute %s has the same value in the keys \"least\" and \"most\"; correct this range, or delete the attribute", quote.Word(a.Name))
		}
		p.columns, p.Columns, p.places = append(p.columns, column), append(p.Columns, a.Name), append(p.places, j)
		grid.Attributes = append(grid.Attributes, table.Attribute{Name: a.Name, Column: a.Column, Cuts: edges, Dates: a.Dates, Other: otherName, Spelling: a.Spelling})
	}
	for _, j := range categories {
		a := &p.open.Attributes[j]
		placeholder := noValue
		for placeholder == a.Other || slices.Contains(a.Missing, placeholder) {
			placeholder += "."
		}
		p.places = append(p.places, j)
		grid.Attributes = append(grid.Attributes, table.Attribute{Name: a.Name, Column: a.Column, Values: []string{placeholder}, Other: cmp.Or(a.Other, otherName), Spelling: a.Spelling})
	}
	if len(p.places) == 0 {
		return errors.New(`no column is open; sibyl schema profile completes attributes that have kind = "number", "category" or "date" and no cuts, values or groups`)
	}
	var err error
	p.grid, err = table.NewSchema(grid)
	return err
}

// unruled returns an error if a rule of the schema names the attribute. The rule could refer to values that will not
// be released.
func (p *PreparedProfile) unruled(name string) error {
	for _, r := range p.open.Rules {
		named := append(append([]string{r.Function}, r.AtMost...), r.Of...)
		for _, g := range r.Forbid {
			named = append(named, g.Name)
		}
		if slices.Contains(named, name) {
			return fmt.Errorf("a [[rule]] names attribute %s, which has no values yet; write its values from public knowledge, or delete the rule", quote.Word(name))
		}
	}
	return nil
}

// names returns the names of the open columns in the order of the schema.
func (p *PreparedProfile) names() (all []string) {
	places := slices.Clone(p.places)
	slices.Sort(places)
	for _, j := range places {
		all = append(all, p.open.Attributes[j].Name)
	}
	return all
}

// cells returns the number of cells of the grid of each number column.
func (p *PreparedProfile) cells() []int {
	var all []int
	for j := range p.Columns {
		all = append(all, len(p.grid.Attributes[j].Cuts)+1)
	}
	return all
}

// complete returns the text of the schema, completed by cuts at the given edges of the grids and by the given values.
func (p *PreparedProfile) complete(edges [][]int, values [][]string) ([]byte, error) {
	domains := make(map[int]schema.Domain)
	for j, all := range edges {
		var d schema.Domain
		for _, e := range all {
			d.Cuts = append(d.Cuts, p.grid.Attributes[j].Cuts[e-1])
		}
		domains[p.places[j]] = d
	}
	for j, released := range values {
		a := &p.grid.Attributes[len(p.Columns)+j]
		if len(released) == 0 {
			released = a.Values
		}
		domains[p.places[len(p.Columns)+j]] = schema.Domain{Values: released, Other: a.Other}
	}
	return schema.Complete(p.request.Text, p.open, domains, p.profile)
}

// Queries returns the queries that the release sends to the data.
func (p *PreparedProfile) Queries() table.Queries {
	if p.values != nil {
		return table.Queries{Records: true}
	}
	return p.cuts.Queries()
}

// A countedTexts is data that answers queries for counts. It also holds, for some columns, the number of rows (in
// weights, see table.Weight) with each text.
type countedTexts struct {
	table.Counts
	units []map[string]int64
}

// opensTexts returns a function that opens the data for queries of counts, and counts the occurrences of each text in
// the category columns.
func (p *PreparedProfile) opensTexts(d Data) func(context.Context) (countedTexts, func(), error) {
	if p.values == nil {
		return func(ctx context.Context) (countedTexts, func(), error) {
			counts, done, err := opensCounts(d, p.grid, p.Queries())(ctx)
			return countedTexts{counts, nil}, done, err
		}
	}
	var attributes []int
	for j := range p.Categories {
		attributes = append(attributes, len(p.Columns)+j)
	}
	return func(ctx context.Context) (countedTexts, func(), error) {
		of, ok := d.(texted)
		if !ok {
			return countedTexts{}, nil, errors.New("a profile chooses categories from the texts of columns, but this data source has no texts; use another source")
		}
		texts, err := of.Texts(ctx, p.grid, attributes)
		if err != nil {
			return countedTexts{}, nil, err
		}
		return countedTexts{texts.Table, texts.Units}, nil, nil
	}
}

// Release opens the data and publishes the text of the completed schema.
func (p *PreparedProfile) Release(ctx context.Context, d Data, t Terms) (*Profiled, error) {
	return take(ctx, t, pipeline[countedTexts, *Profiled]{
		promise: p.promise, void: p.Void, data: d, schema: p.grid, queries: stating(p.Queries(), p.promise.Relation(), p.request.Rows), describe: p.describe,
		open: p.opensTexts(d),
		admit: func(data countedTexts) error {
			return admit(data.Counts, p.grid, p.promise.Relation(), p.request.Rows, t.Log)
		},
		draw: func(ctx context.Context, data countedTexts) (*Profiled, [][]byte, error) {
			var edges [][]int
			var values [][]string
			var err error
			random := coins(p.request.Seed)
			if p.cuts != nil {
				if edges, err = p.edges(ctx, data.Counts, random); err != nil {
					return nil, nil, err
				}
			}
			if p.values != nil {
				if values, err = p.values.Release(ctx, data.units, random); err != nil {
					return nil, nil, err
				}
			}
			text, err := p.complete(edges, values)
			if err != nil {
				return nil, nil, err
			}
			completed, err := table.ParseSchema(p.request.Name, bytes.NewReader(text))
			if err != nil {
				return nil, nil, err
			}
			out := &Profiled{Text: text, Schema: completed}
			for _, e := range edges {
				out.Cuts = append(out.Cuts, len(e))
			}
			for _, v := range values {
				out.Values = append(out.Values, len(v))
			}
			return out, [][]byte{text}, nil
		},
	})
}

// edges selects the cuts of each number column among the edges of its grid, and returns their indices. If the counts
// by magnitude already determine the cuts of a column, it needs no further budget, and the other columns share its
// part.
func (p *PreparedProfile) edges(ctx context.Context, d table.Counts, random noise.Coins) ([][]int, error) {
	counts, err := p.sizes.Release(ctx, d, p.columns, random)
	if err != nil {
		return nil, err
	}
	edges := make([][]int, len(p.columns))
	units := p.request.Rows * table.Weight(p.promise.Relation().Persons())
	var from []profile.Candidates
	for j, c := range p.columns {
		n := c.Narrow(j, counts[j], p.sizes.Heavy(), units)
		if edges[j] = n.Cuts; n.From != nil {
			from = append(from, *n.From)
		}
	}
	chosen, err := p.cuts.Release(ctx, d, from, random)
	if err != nil {
		return nil, err
	}
	for i, c := range from {
		edges[c.Column] = append(edges[c.Column], chosen[i]...)
		slices.Sort(edges[c.Column])
	}
	return edges, nil
}

// profileFormat is the name and version of the format in which a ledger describes the release of a profile.
const profileFormat = "sibyl-profile/1"

type profileJSON struct {
	Format    string               `json:"format"`
	Guarantee *privacy.Statement   `json:"guarantee"`
	Release   string               `json:"release"`
	Mechanism profileMechanismJSON `json:"mechanism"`
}

type profileMechanismJSON struct {
	Name       string          `json:"name"`
	Cells      *[]int          `json:"cells"` // null without number columns in earlier versions
	Levels     int             `json:"levels"`
	Rho        privacy.Decimal `json:"rho"` // 0 if the guarantee is pure, or the budget is a μ
	Mu         privacy.Decimal `json:"mu,omitzero"`
	Squares    bool            `json:"squares,omitempty"` // whether the guarantee has a μ²; earlier versions did not state it
	Categories *categoriesJSON `json:"categories,omitempty"`
}

type categoriesJSON struct {
	Columns   int             `json:"columns"`
	Most      int             `json:"most"`
	Delta     privacy.Decimal `json:"delta"`
	Variance  string          `json:"variance"`
	Threshold int64           `json:"threshold"`
}

const profileName = "profile"

// describe returns the description of the release of a profile, which the ledger stores.
func (p *PreparedProfile) describe() (json.RawMessage, error) {
	m := profileMechanismJSON{Name: profileName, Cells: &[]int{}, Rho: p.rho, Mu: p.mu, Squares: !p.request.Delta.IsZero()}
	if p.cuts != nil {
		*m.Cells, m.Levels = p.cells(), p.cuts.Levels()
	}
	if p.values != nil {
		m.Categories = &categoriesJSON{len(p.Categories), cmp.Or(p.request.MostCategories, UsualCategories), p.failure, p.values.Variance().String(), p.values.Threshold()}
	}
	return json.Marshal(profileJSON{profileFormat, p.Guarantee, p.profile.Release, m})
}

// recomputeProfile computes the guarantee of a release from the description in a ledger, which describe wrote.
func recomputeProfile(description json.RawMessage) (privacy.Guarantee, error) {
	var j profileJSON
	if err := mechanism.Decode(description, &j); err != nil {
		return nil, err
	}
	if j.Guarantee == nil || j.Mechanism.Name != profileName {
		return nil, errors.New("the description must state a guarantee, and its mechanism must be a profile")
	}
	g, err := j.Mechanism.guarantee(j.Guarantee)
	if err != nil {
		return nil, errors.New(model.Reason(err))
	}
	return g, j.Guarantee.FollowsFrom(g)
}

// guarantee computes the guarantee of the mechanism that the description states. The parameter stated is the
// guarantee in the description.
func (m *profileMechanismJSON) guarantee(stated *privacy.Statement) (privacy.Guarantee, error) {
	var cells []int
	if m.Cells != nil {
		cells = *m.Cells
	}
	numbers, categories := len(cells), 0
	if m.Categories != nil {
		if categories = m.Categories.Columns; categories < 1 {
			return nil, fmt.Errorf("profile: the key \"columns\" of \"categories\" is %d, but must be at least 1; leave \"categories\" out if there are no such columns", categories)
		}
	}
	if !m.Mu.IsZero() && (numbers > 0 || categories == 0 || !m.Rho.IsZero()) {
		return nil, errors.New("profile: the description may have the key \"mu\" only if all columns are of categories and the key \"rho\" is missing")
	}
	var sizes *profile.Magnitudes
	var cuts *profile.Mechanism
	if numbers > 0 || categories == 0 {
		h, g, err := promisedCuts(stated.Epsilon, m.Rho, numbers, categories, stated.Relation)
		if err != nil {
			return nil, err
		}
		if sizes, err = profile.NewMagnitudes(numbers, h); err != nil {
			return nil, err
		}
		if cuts, err = profile.New(cells, m.Levels, 0, g); err != nil {
			return nil, err
		}
	}
	if categories == 0 {
		return together(sizes, cuts, nil, m.Squares)
	}
	c := m.Categories
	values, err := newCategories(categories, c.Most, shareOf(m.Rho, categories, numbers+categories), m.Mu, c.Delta, stated.Relation)
	if err != nil {
		return nil, err
	}
	if values.Variance().String() != c.Variance || values.Threshold() != c.Threshold {
		return nil, errors.New("profile: the key \"variance\" or \"threshold\" of \"categories\" does not have the value that the guarantee requires")
	}
	return together(sizes, cuts, values, m.Squares)
}

// Domain returns the schema with which the release counts the open columns, before their cuts and values are chosen.
// In it, number columns have all edges of their public grids as cuts, and category columns have a placeholder.
func (p *PreparedProfile) Domain() *table.Schema { return p.grid }
