// Package everytest collects small test cases of every class over records of categories. Tests use
// them for properties that all classes must have.
package everytest

import (
	"maps"
	"slices"
	"sync"

	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction/conjunctiontest"
	"github.com/sibyl-dp/sibyl/internal/class/declist/declisttest"
	"github.com/sibyl-dp/sibyl/internal/class/parity/paritytest"
	"github.com/sibyl-dp/sibyl/internal/class/readonce/readoncetest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/class/sparse/sparsetest"
	"github.com/sibyl-dp/sibyl/internal/class/sumscore/sumscoretest"
	"github.com/sibyl-dp/sibyl/internal/papers/explicit/explicittest"
	"github.com/sibyl-dp/sibyl/internal/papers/labelling/labellingtest"
)

// A Case holds a small class of any kind, and records for which the class can predict.
type Case = classtest.Case[[]uint16, any]

// A kind provides the test cases of one package of classes: fixed cases by name, and random cases.
type kind struct {
	fixed  func() map[string]Case
	random func(draw classtest.Draw, most int) Case
}

func of[H any](fixed func() map[string]classtest.Case[[]uint16, H], random func(classtest.Draw, int) classtest.Case[[]uint16, H]) kind {
	return kind{
		func() map[string]Case {
			out := map[string]Case{}
			for name, c := range fixed() {
				out[name] = classtest.Erase(c)
			}
			return out
		},
		func(draw classtest.Draw, most int) Case { return classtest.Erase(random(draw, most)) },
	}
}

var kinds = map[string]kind{
	"scorecard":   of(scorecardtest.Fixed, scorecardtest.Random),
	"conjunction": of(conjunctiontest.Fixed, conjunctiontest.Random),
	"declist":     of(declisttest.Fixed, declisttest.Random),
	"parity":      of(paritytest.Fixed, paritytest.Random),
	"explicit":    of(explicittest.Fixed, explicittest.Random),
	"labelling":   of(labellingtest.Fixed, labellingtest.Random),
	"readonce": of(readoncetest.Fixed, func(draw classtest.Draw, _ int) readoncetest.Case {
		return readoncetest.Random(draw)
	}),
	"sparse":    of(sparsetest.Fixed, sparsetest.Random),
	"sumscore":  of(sumscoretest.Fixed, sumscoretest.Random),
	"coded":     of(codedFixed, codedRandom),
	"tabulated": of(tabulatedFixed, tabulatedRandom),
	"union":     of(unionFixed, unionRandom),
}

// Names returns the names of all kinds of classes, such as "scorecard", in sorted order.
func Names() []string { return slices.Sorted(maps.Keys(kinds)) }

// Fixed returns the fixed cases of all classes, by names such as
// "scorecard/signs".
func Fixed() map[string]Case { return maps.Clone(fixed()) }

// fixed returns the fixed test cases of all classes. It creates them only once, since some take long to create.
var fixed = sync.OnceValue(func() map[string]Case {
	out := map[string]Case{}
	for of, k := range kinds {
		for name, c := range k.fixed() {
			out[of+"/"+name] = c
		}
	}
	return out
})

// Random returns a random class of the named kind with about at most the given number of
// hypotheses, the parameter most.
func Random(name string, draw classtest.Draw, most int) Case { return kinds[name].random(draw, most) }
