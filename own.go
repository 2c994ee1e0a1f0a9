package sibyl

import (
	"context"
	"iter"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/privacy"
)

// LearnOwn releases a hypothesis of a class that the calling program implements, by the exponential mechanism. The
// sequence yields the rows with their labels. Each row must belong to a different person. The guarantee holds only if
// the class satisfies the contract of package class, which package class/classtest tests.
//
// LearnOwn returns the hypothesis and its guarantee. The guarantee is pure. With Settings.InsecureSeed it is nil.
// Errors are as for Learn.
func LearnOwn[X, H any](ctx context.Context, rows iter.Seq2[X, bool], c class.Class[X, H], set Settings) (H, *privacy.Statement, error) {
	var none H
	p, err := prepareOwn(c, &set)
	if err != nil {
		return none, nil, parameterError("class", err)
	}
	var data release.Examples[X]
	if rows != nil {
		data = func(ctx context.Context) (all []learn.Example[X], err error) {
			for x, label := range rows {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				all = append(all, learn.Example[X]{X: x, Label: label, Count: 1})
			}
			return all, nil
		}
	}
	h, err := p.Release(ctx, data, set.terms())
	if err != nil {
		return none, nil, releaseError(err)
	}
	return h, p.Guarantee, nil
}

// prepareOwn checks the settings and prepares the release.
func prepareOwn[X, H any](c class.Class[X, H], set *Settings) (*release.PreparedOwn[X, H], error) {
	if set.Mechanism != nil || set.Risk != "" || set.Total {
		return nil, parameter.Errorf("LearnOwn does not support {mechanism}, {risk} and {total}; leave them out")
	}
	epsilon, delta, err := set.budget()
	if err != nil {
		return nil, err
	}
	return release.Own[X, H]{
		Class: c, Costs: set.costs(), Epsilon: epsilon, Delta: delta, Relation: set.Relation, Rows: set.Rows, Seed: set.InsecureSeed,
	}.Prepare()
}
