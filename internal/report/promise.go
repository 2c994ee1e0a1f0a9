package report

import (
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/internal/profiles"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// strongFactor and moderateFactor are limits for e^ε. A page calls the protection strong if e^ε is at most
// strongFactor, and moderate if it is greater but at most moderateFactor.
const strongFactor, moderateFactor = 3, 20

// Promise describes the guarantee of a released object in plain words, for people who do not know differential
// privacy. It has the same parameters as the function Guarantee, which returns the exact statement.
func Promise(thing string, g *privacy.Statement, why string, s *table.Schema) []string {
	if g == nil {
		return []string{fmt.Sprintf("NOT PRIVATE. This %s protects nobody in the data. %s Do not publish it.", thing, why)}
	}
	total, private := profiles.Total(g, s)
	if total == nil {
		total = g
	}
	if !private {
		return []string{fmt.Sprintf("NOT PRIVATE. Some %s on this page come from private data, without any protection.", completions(s, allColumns(s)))}
	}
	with := ""
	if total != g {
		with = fmt.Sprintf(" This includes the release that chose %s.", completions(s, allColumns(s)))
	}
	epsilon, _ := total.Epsilon.Rat().Float64()
	times := math.Exp(epsilon)
	rest := ""
	if !total.Delta.IsZero() {
		rest = fmt.Sprintf(", apart from a probability of %s", total.Delta)
	}
	said := []string{
		fmt.Sprintf("This %s was made with random noise, to protect each person in the data. %s, any result would have been at most %s times as likely as it was%s.%s",
			thing, otherwise(total.Relation), plainFactor(epsilon), rest, with),
	}
	switch {
	case times <= strongFactor:
		said = append(said, "So a reader learns nearly the same about any person as if that person's data had not been used, whatever else the reader knows.")
	case times <= moderateFactor:
		said = append(said, "So a reader may learn a little more about a person than if that person's data had not been used.")
	default:
		said = append(said, "This protection is weak: a reader who already knows much could learn something about a person from that person's data.")
	}
	said = append(said, "The page describes people in general. That is its purpose: it can also be right about people whose data was never used.")
	if len(total.Assumes) > 0 {
		said = append(said, "The protection rests on an assumption, which the formal statement names.")
	}
	return said
}

// otherwise returns the first clause of a sentence about a neighbouring table, such as "Had one person's record
// been any other". The parameter r is the neighbour relation.
func otherwise(r privacy.Relation) string {
	data := map[bool]string{false: "record", true: "records"}[r.Persons() > 0]
	if r.Replaces() {
		return fmt.Sprintf("Had one person's %s been any other", data)
	}
	return fmt.Sprintf("Had one person's %s been left out, or one more person's %s been there", data, data)
}

// plainFactor formats the factor e^ε, rounded up to three digits or, if it is very large, to a power of ten.
func plainFactor(epsilon float64) string {
	f := math.Exp(epsilon)
	if f >= 1e6 {
		return fmt.Sprintf("10^%.0f", math.Ceil(epsilon/math.Ln10))
	}
	digits := 2 - math.Floor(math.Log10(f))
	unit := math.Pow(10, digits)
	return fmt.Sprintf("%.*f", max(0, int(digits)), math.Ceil(f*unit-1e-9)/unit)
}
