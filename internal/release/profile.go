package release

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/profile"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/schema"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Profile requests cuts for the open number columns of a schema (package profile). All fields are public, as in a
// Request.
type Profile struct {
	Name string // of the schema's text in errors; usually that of its file
	Text []byte // the open schema, in TOML

	Epsilon, Delta privacy.Decimal  // the privacy budget; δ may be 0
	Relation       privacy.Relation // zero: privacy.ReplaceOne
	Rows           int64            // as in a Request
	Seed           *uint64          // as in a Request
}

// PreparedProfile is a release of cuts whose public part has been checked and computed.
type PreparedProfile struct {
	Guarantee *privacy.Statement // nil if the release is not private
	Void      model.Void         // the reason if it is not

	Columns   []string // the names of the open attributes
	Cuts      int      // the maximum number of cuts of each column
	RankError float64  // the expected error of a cut in rank, in rows or persons; see profile.Mechanism

	request   *Profile
	open      *table.Schema
	grid      *table.Schema // of the open columns, with the edges of their grids as cuts
	places    []int         // of the columns among the attributes of the open schema
	mechanism *profile.Mechanism
	rho       privacy.Decimal // of the guarantee, 0 if it is pure
	profile   table.Profile
}

// A Profiled is a completed schema.
type Profiled struct {
	Text   []byte // in TOML
	Schema *table.Schema
	Cuts   []int // the number of cuts of each column
}

// gridOther is the category of values that are not numbers.
const gridOther = "other"

// Prepare checks the public part of the request and computes the guarantee.
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
	if !r.Delta.IsZero() {
		if p.rho, err = privacy.RhoWithin(r.Epsilon, r.Delta); err != nil {
			return nil, parameter.Errorf("{epsilon} %s and {delta} %s are too small for a release; use larger ones", r.Epsilon, r.Delta)
		}
	}
	g, err := promised(r.Epsilon, p.rho, s.Relation)
	if err != nil {
		return nil, err
	}
	levels, err := profile.Levels(len(p.places), r.Rows, g)
	if err != nil {
		return nil, err
	}
	if p.mechanism, err = profile.New(p.cells(), levels, r.Rows, g); err != nil {
		return nil, err
	}
	p.Cuts, p.RankError = 1<<levels-1, p.mechanism.RankError()
	p.profile = table.Profile{Columns: p.Columns, NotPrivate: true}
	if r.Seed != nil {
		p.Void = model.InsecureSeed
	} else {
		var name [16]byte
		rand.Read(name[:])
		p.profile = table.Profile{
			Columns: p.Columns, Epsilon: table.Decimal(r.Epsilon.String()), Delta: table.Decimal(r.Delta.String()),
			Relation: s.Relation.String(), Release: hex.EncodeToString(name[:]),
		}
		p.Guarantee = &privacy.Statement{Epsilon: r.Epsilon, Delta: r.Delta, Relation: s.Relation, Assumes: []privacy.Assumption{}}
	}
	first := make([][]int, len(p.places))
	for j := range first {
		first[j] = []int{1}
	}
	if _, err := p.complete(first); err != nil {
		return nil, fmt.Errorf("%s: %w", quote.Name(r.Name), err)
	}
	return p, nil
}

// promised returns the guarantee: pure if ρ is 0.
func promised(epsilon, rho privacy.Decimal, r privacy.Relation) (privacy.Guarantee, error) {
	if rho.IsZero() {
		return privacy.NewPure(r, epsilon)
	}
	return privacy.NewZCDP(r, rho.Rat())
}

// findOpen lists the open columns and sets the schema of their grids. It refuses open parts other than
// columns of numbers.
func (p *PreparedProfile) findOpen() error {
	if s := p.open; s.Person != nil && s.Person.Most == 0 {
		return errors.New(`[person] has most = "?"; write how many rows of a person count`)
	}
	if l := p.open.Label; l != nil && l.Open() {
		return errors.New("[label] is open; write its outcomes, from public knowledge")
	}
	grid := table.Schema{File: p.open.File, Person: p.open.Person, Profiles: p.open.Profiles}
	if f := &grid.File; !f.Headerless && len(f.Columns) == 0 { // refuse a file that lacks a column which later releases need
		if f.Columns = p.open.Columns(); p.open.Person != nil {
			f.Columns = append(f.Columns, p.open.Person.Column)
		}
	}
	for j := range p.open.Attributes {
		a := &p.open.Attributes[j]
		if !a.Open() {
			continue
		}
		if a.Kind != table.NumberKind {
			return fmt.Errorf("attribute %s has kind = %s and is open, but only numbers are completed from data; add values or groups from public knowledge, or delete the attribute", quote.Word(a.Name), quote.Word(a.Kind))
		}
		edges := profile.Grid(a)
		if len(edges) == 0 {
			return fmt.Errorf("attribute %s has only one number from its least to its most; delete the attribute, or correct its range", quote.Word(a.Name))
		}
		p.Columns, p.places = append(p.Columns, a.Name), append(p.places, j)
		grid.Attributes = append(grid.Attributes, table.Attribute{Name: a.Name, Column: a.Column, Cuts: edges, Other: gridOther, Spelling: a.Spelling})
	}
	if len(p.places) == 0 {
		return errors.New(`no column is open; sibyl schema profile chooses cuts of attributes that have kind = "number" and no cuts`)
	}
	var err error
	p.grid, err = table.NewSchema(grid)
	return err
}

// cells returns the number of cells of each grid.
func (p *PreparedProfile) cells() []int {
	var all []int
	for j := range p.grid.Attributes {
		all = append(all, len(p.grid.Attributes[j].Cuts)+1)
	}
	return all
}

// complete returns the text of the schema with the edges of the grids as cuts.
func (p *PreparedProfile) complete(edges [][]int) ([]byte, error) {
	cuts := make(map[int][]table.Decimal)
	for j, all := range edges {
		for _, e := range all {
			cuts[p.places[j]] = append(cuts[p.places[j]], p.grid.Attributes[j].Cuts[e-1])
		}
	}
	return schema.Complete(p.request.Text, p.open, cuts, p.profile)
}

// Asks returns the queries of the release.
func (p *PreparedProfile) Asks() table.Asks { return p.mechanism.Asks() }

// Release opens the data and publishes the text of the completed schema.
func (p *PreparedProfile) Release(ctx context.Context, d Data, t Terms) (*Profiled, error) {
	return take(ctx, t, pipeline[table.Counts, *Profiled]{
		promise: p.mechanism.Guarantee(), void: p.Void, data: d, schema: p.grid, asks: p.Asks(), describe: p.describe,
		open: opensCounts(d, p.grid),
		admit: func(data table.Counts) error {
			return admit(data, p.grid, p.mechanism.Guarantee().Relation(), p.request.Rows, t.Log)
		},
		draw: func(ctx context.Context, data table.Counts) (*Profiled, [][]byte, error) {
			edges, err := p.mechanism.Release(ctx, data, coins(p.request.Seed))
			if err != nil {
				return nil, nil, err
			}
			text, err := p.complete(edges)
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
			return out, [][]byte{text}, nil
		},
	})
}

// profileFormat is the name and version of the description that an account stores for a profile.
const profileFormat = "sibyl-profile/1"

type profileJSON struct {
	Format    string               `json:"format"`
	Guarantee *privacy.Statement   `json:"guarantee"`
	Release   string               `json:"release"`
	Mechanism profileMechanismJSON `json:"mechanism"`
}

type profileMechanismJSON struct {
	Name   string          `json:"name"`
	Cells  []int           `json:"cells"`
	Levels int             `json:"levels"`
	Rho    privacy.Decimal `json:"rho"` // 0 if the guarantee is pure
}

const profileName = "profile"

// describe returns the description of the release for the account.
func (p *PreparedProfile) describe() (json.RawMessage, error) {
	m := profileMechanismJSON{profileName, p.cells(), p.mechanism.Levels(), p.rho}
	return json.Marshal(profileJSON{profileFormat, p.Guarantee, p.profile.Release, m})
}

// recomputeProfile is Recompute for profiles.
func recomputeProfile(description json.RawMessage) (privacy.Guarantee, error) {
	var j profileJSON
	if err := mechanism.Decode(description, &j); err != nil {
		return nil, err
	}
	if j.Guarantee == nil || j.Mechanism.Name != profileName {
		return nil, errors.New("the description must state a guarantee and a profile")
	}
	g, err := promised(j.Guarantee.Epsilon, j.Mechanism.Rho, j.Guarantee.Relation)
	if err == nil {
		_, err = profile.New(j.Mechanism.Cells, j.Mechanism.Levels, 0, g)
	}
	if err != nil {
		return nil, errors.New(model.Reason(err))
	}
	return g, j.Guarantee.FollowsFrom(g)
}

// Domain returns the schema of the open columns before the release. Its cuts are the edges of their public grids.
func (p *PreparedProfile) Domain() *table.Schema { return p.grid }
