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

// LearnOwn releases a hypothesis of a class of one's own by the exponential mechanism, from rows
// with their labels, each of one person. Package class says what a class must do, and package
// class/classtest tests it: the guarantee holds only for a class that passes. The statement is the
// guarantee, which is pure, or nil with an InsecureSeed. Errors are as of Learn.
func LearnOwn[X, H any](ctx context.Context, rows iter.Seq2[X, bool], c class.Class[X, H], set Settings) (H, *privacy.Statement, error) {
	var none H
	p, err := own(c, &set)
	if err != nil {
		return none, nil, wrong("class", err)
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
		return none, nil, told(err)
	}
	return h, p.Guarantee, nil
}

// own returns the release that is asked for.
func own[X, H any](c class.Class[X, H], set *Settings) (*release.PreparedOwn[X, H], error) {
	if set.Mechanism != nil || set.Risk != "" {
		return nil, parameter.Errorf("a class of one's own has no use for {mechanism} or {risk}; leave them out")
	}
	epsilon, delta, err := set.budget()
	if err != nil {
		return nil, err
	}
	return release.Own[X, H]{
		Class: c, Costs: set.costs(), Epsilon: epsilon, Delta: delta, Relation: set.Relation, Rows: set.Rows, Seed: set.InsecureSeed,
	}.Prepare()
}
