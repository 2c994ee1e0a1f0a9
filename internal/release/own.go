package release

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// An Own requests the release of a hypothesis by the exponential mechanism, from a class that the calling
// program implements. All fields are public, as in a Request.
type Own[X, H any] struct {
	Class          class.Class[X, H]
	Costs          learn.Loss
	Epsilon, Delta privacy.Decimal  // the privacy budget; δ must be 0
	Relation       privacy.Relation // zero: privacy.ReplaceOne
	Rows           int64            // as in a Request
	Seed           *uint64          // as in a Request
}

// A PreparedOwn is an Own request whose public parameters have been checked, ready to be released.
type PreparedOwn[X, H any] struct {
	Guarantee *privacy.Statement // nil if the release is not private
	Void      model.Void         // the reason if it is not

	request   Own[X, H]
	mechanism *learn.Exponential[X, H]
}

// Examples is a function that opens a table and returns its rows.
type Examples[X any] func(context.Context) ([]learn.Example[X], error)

// Ready returns an error if the function is nil.
func (e Examples[X]) Ready(context.Context, *table.Schema, table.Queries) error {
	if e == nil {
		return errors.New("the rows are nil; pass a sequence, which may be empty")
	}
	return nil
}

// Prepare checks the public parameters of the request and computes its privacy guarantee.
func (r Own[X, H]) Prepare() (*PreparedOwn[X, H], error) {
	if r.Class == nil {
		return nil, parameter.Errorf("{class} is missing; pass a class")
	}
	s := mechanism.Setting{Delta: r.Delta}
	if err := errors.Join(s.Pure(), mechanism.CheckEpsilon(r.Epsilon)); err != nil {
		return nil, err
	}
	if err := CheckCosts(r.Costs); err != nil {
		return nil, err
	}
	if r.Rows < 0 || r.Rows > learn.MostRows {
		return nil, parameter.Errorf("{rows} %d is outside 0..%d", r.Rows, int64(learn.MostRows))
	}
	if r.Relation == 0 {
		r.Relation = privacy.ReplaceOne
	}
	if r.Relation.Persons() > 0 {
		return nil, parameter.Errorf("{relation} %v is not supported, because each row must belong to a different person", r.Relation)
	}
	p := &PreparedOwn[X, H]{request: r}
	var err error
	if p.mechanism, err = learn.NewExponential(r.Class, r.Epsilon, r.Relation, r.Costs); err != nil {
		return nil, err
	}
	if r.Seed != nil {
		p.Void = model.InsecureSeed
		return p, nil
	}
	p.Guarantee, err = privacy.State(p.mechanism.Guarantee())
	return p, err
}

// Release reads the rows and releases a hypothesis of the class.
func (p *PreparedOwn[X, H]) Release(ctx context.Context, rows Examples[X], t Terms) (H, error) {
	return take(ctx, t, pipeline[[]learn.Example[X], H]{
		promise: p.mechanism.Guarantee(), describe: p.describe, void: p.Void, data: rows,
		open: func(ctx context.Context) ([]learn.Example[X], func(), error) {
			d, err := rows(ctx)
			return d, nil, err
		},
		admit: func(d []learn.Example[X]) error {
			if n := int64(len(d)); p.request.Relation.Replaces() && p.request.Rows > 0 && n != p.request.Rows {
				return parameter.Errorf("{rows} is %d, but the data has %d rows; state the right number, or leave {rows} out", p.request.Rows, n)
			}
			return nil
		},
		draw: func(ctx context.Context, d []learn.Example[X]) (H, [][]byte, error) {
			h, err := p.mechanism.Release(ctx, d, p.coins())
			return h, [][]byte{fmt.Appendf(nil, "%+v", h)}, err
		},
	})
}

func (p *PreparedOwn[X, H]) coins() noise.Coins { return coins(p.request.Seed) }

// ownFormat is the name and version of the format in which a ledger describes the release of an Own request.
const ownFormat = "sibyl-own/1"

type ownJSON struct {
	Format    string             `json:"format"`
	Guarantee *privacy.Statement `json:"guarantee"`
	Class     string             `json:"class"`
	Mechanism ownMechanismJSON   `json:"mechanism"`
}

type ownMechanismJSON struct {
	Name string               `json:"name"`
	Loss mechanism.LossRecord `json:"loss"`
	Rate string               `json:"rate"` // λ, an exact fraction such as "1/4"
}

// describe returns the description of the release of a hypothesis from the program's own class, which the
// ledger stores.
func (p *PreparedOwn[X, H]) describe() (json.RawMessage, error) {
	m := ownMechanismJSON{mechanism.ExponentialName, mechanism.LossRecord(p.mechanism.Loss()), p.mechanism.Rate().RatString()}
	return json.Marshal(ownJSON{ownFormat, p.Guarantee, p.request.Class.String(), m})
}

// recomputeOwn computes the guarantee of a release from the description in a ledger, which describe wrote.
func recomputeOwn(description json.RawMessage) (privacy.Guarantee, error) {
	var j ownJSON
	if err := mechanism.Decode(description, &j); err != nil {
		return nil, err
	}
	if j.Guarantee == nil || j.Mechanism.Name != mechanism.ExponentialName {
		return nil, errors.New("the description must state a guarantee, and its mechanism must be the exponential mechanism")
	}
	m, err := learn.NewExponential[any, any](nil, j.Guarantee.Epsilon, j.Guarantee.Relation, learn.Loss(j.Mechanism.Loss))
	if err != nil {
		return nil, errors.New(model.Reason(err))
	}
	if rate := m.Rate().RatString(); rate != j.Mechanism.Rate {
		return nil, fmt.Errorf("the rate is %.60s, but the stated guarantee requires %s", j.Mechanism.Rate, rate)
	}
	return m.Guarantee(), mechanism.States(m.Guarantee(), j.Guarantee)
}
