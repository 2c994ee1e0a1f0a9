package everytest

import (
	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/coded"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction/conjunctiontest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/class/tabulated"
	"github.com/sibyl-dp/sibyl/internal/class/union"
)

type (
	card    = classtest.Case[[]uint16, scorecard.Card]
	formula = classtest.Case[[]uint16, conjunction.Formula]
	choice  = classtest.Case[[]uint16, union.Choice[any]]
)

// codedAt returns the case c with another separator, in which the bits of any two scorecards differ
// in at least h positions.
func codedAt(c card, h int) card {
	with, err := coded.New(c.Class, h)
	if err != nil {
		panic(err)
	}
	return card{Class: with.(class.Enumerable[[]uint16, scorecard.Card]), Domain: c.Domain}
}

func codedFixed() map[string]card {
	cards := scorecardtest.Fixed()
	return map[string]card{
		"signs, as few bits as there are": codedAt(cards["signs"], 1),
		"signs":                           codedAt(cards["signs"], 2),
		"lists":                           codedAt(cards["lists"], 3),
	}
}

func codedRandom(draw classtest.Draw, most int) card {
	return codedAt(scorecardtest.Random(draw, most), draw(1, 4))
}

// tabled returns the case c with another search tree: the one that package tabulated builds from
// the table of all costs.
func tabled(c formula) formula {
	table, err := tabulated.New(c.Class.(class.Tabular[[]uint16, conjunction.Formula]))
	if err != nil {
		panic(err)
	}
	return formula{Class: table, Domain: c.Domain}
}

func tabulatedFixed() map[string]formula {
	out := map[string]formula{}
	for name, c := range conjunctiontest.Fixed() {
		out[name] = tabled(c)
	}
	return out
}

func tabulatedRandom(draw classtest.Draw, most int) formula {
	return tabled(conjunctiontest.Random(draw, most))
}

// joined returns a case with the union of the classes of several cases, which must have the same
// records. Hypotheses of all classes but the first have the given penalty.
func joined(first Case, penalty int64, others ...Case) choice {
	members := []union.Member[[]uint16, any]{{Class: first.Class}}
	for _, c := range others {
		members = append(members, union.Member[[]uint16, any]{Class: c.Class, Penalty: penalty})
	}
	c, err := union.New(members...)
	if err != nil {
		panic(err)
	}
	return choice{Class: c.(class.Enumerable[[]uint16, union.Choice[any]]), Domain: first.Domain}
}

// negated returns the case c with negated predictions.
func negated(c Case) Case {
	return Case{Class: class.Negate(c.Class).(class.Enumerable[[]uint16, any]), Domain: c.Domain}
}

func unionFixed() map[string]choice {
	cards := classtest.Erase(scorecardtest.Fixed()["signs"])
	formulas := classtest.Erase(conjunctiontest.Fixed()["cells of marginals"])
	return map[string]choice{
		"cards and their negations": joined(cards, 0, negated(cards)),
		"cards and formulas":        joined(cards, 2, formulas, negated(formulas)),
	}
}

// unionRandom returns the union of a random class and its negation. In half of the cases, the union
// also contains the class with an error-correcting separator.
func unionRandom(draw classtest.Draw, most int) choice {
	c := scorecardtest.Random(draw, max(most/3, 256))
	erased := classtest.Erase(c)
	if draw(0, 1) == 0 {
		return joined(erased, int64(draw(0, 3)), negated(erased))
	}
	return joined(erased, int64(draw(0, 3)), classtest.Erase(codedAt(c, 2)), negated(erased))
}
