package model

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/coded"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Scorecards and halfspaces are cards: they add up points and compare the total with a threshold.

// MostPoint is the maximum absolute value of the points that one category may have.
const MostPoint = 100

// signs is the default range of the points of a category: -1, 0 and 1.
var signs = Points{-1, 1}

// mostWork is the maximum amount of work for counting the hypotheses of a class of cards (see work). At the maximum,
// counting takes about 1 GB of memory and half a minute. The work is the sum, over all attributes, of the cube of the
// number of possible points. For an attribute whose points must be monotone, the cube is counted once for each
// category.
const mostWork = 1 << 22

func (p Points) width() int { return p.Most - p.Least + 1 }

// work returns the cube of the number of possible points. Summed over the attributes, it estimates the work of counting
// the hypotheses of a class of cards.
func (p Points) work() int64 { w := int64(p.width()); return w * w * w }

// check returns an error if the range of points is empty or not within -MostPoint..MostPoint. The parameter name is
// what the error calls the points, such as "weights".
func (p Points) check(name string) error {
	if p.Least > p.Most || p.Least < -MostPoint || p.Most > MostPoint {
		return parameter.About("points", fmt.Errorf("the range of %s %d..%d must not be empty, and must be within -%d..%d", name, p.Least, p.Most, MostPoint, MostPoint))
	}
	return nil
}

// cardParameters adds the flags for the parameters that scorecards and halfspaces share to the flag set f.
func cardParameters(f *flag.FlagSet, points *Points, threshold, most, norm *int, charge *int64, separated *int) {
	pointRange(f, points)
	least(f, threshold)
	attributes(f, most, "the maximum number `K` of attributes that the model uses; 0 means no limit")
	f.IntVar(norm, "norm", 0, "the maximum `R` of the sum of the squares of all points of the model; 0 means no limit")
	penalty(f, charge, "attribute that the model uses")
	distance(f, separated)
}

// pointRange adds the flag "points", the range of the points of a category, to the flag set f.
func pointRange(f *flag.FlagSet, points *Points) {
	f.Var(points, "points", "the `range` of the integer points that a category can have")
}

// least adds the flag "threshold", the smallest total for which a card predicts 1, to the flag set f.
func least(f *flag.FlagSet, threshold *int) {
	f.IntVar(threshold, "threshold", *threshold, "the model predicts positive if the total of a record's points is at least `T`")
}

// attributes adds the flag "attributes", the maximum number of attributes that a hypothesis uses, to the flag set f.
// The parameter usage is its help text.
func attributes(f *flag.FlagSet, most *int, usage string) {
	f.IntVar(most, "attributes", 0, usage)
}

// distance adds the flag "distance" to the flag set f. It sets the minimum Hamming distance of the separator (see
// Separated): the minimum number of public records on which any two hypotheses predict differently.
func distance(f *flag.FlagSet, d *int) {
	f.IntVar(d, "distance", 0, "for rspm, opdisc and prsma, which encode each hypothesis in bits and add noise to the cost of each bit: the minimum number `H` of bits in which two hypotheses differ; 0 means an encoding without a minimum")
}

// checkCards returns an error if a parameter that scorecards and halfspaces share is invalid.
func checkCards(most, norm int, penalty int64, distance int) error {
	err := errors.Join(
		negative("attributes", most, "a number of attributes, or 0 for no limit"),
		negative("norm", norm, "a number, or 0 for no limit"),
		negative("distance", distance, "a number of bits"),
	)
	if err == nil && norm > 0 && (penalty != 0 || most != 0) {
		err = parameter.Errorf("{norm} cannot be combined with {penalty} or {attributes}; leave {norm} out, or leave the others out")
	}
	return err
}

// cards is the set (Space) of the scorecards or halfspaces of a class over the attributes of a schema. A card predicts
// by adding up points.
type cards struct {
	searched
	plain     *scorecard.Class // the class with its natural separator
	distance  int              // the minimum Hamming distance of the separator; 0 for the natural separator
	threshold int
}

// newCards returns the space of a class of scorecards or halfspaces (cards). A distance of 0 selects the natural
// separator, which package scorecard defines. With any other distance, the separator is an error-correcting code, so
// that any two cards differ in at least this number of bits.
func newCards(form Form, s *table.Schema, distance int, attributes []scorecard.Attribute, o scorecard.Options) (Space, error) {
	if o.Most > len(s.Attributes) {
		return nil, parameter.About("attributes", fmt.Errorf("the maximum number of attributes in a model is %d, but the schema has only %d attributes; use a smaller maximum", o.Most, len(s.Attributes)))
	}
	c, err := scorecard.New(attributes, o)
	if err != nil {
		return nil, noClass(err)
	}
	space := cards{searched{form, s, class.Erase(c)}, c, distance, o.Threshold}
	if distance != 0 {
		with, err := coded.New(c, distance)
		if err != nil {
			return nil, noClass(err)
		}
		space.class = class.Erase(with)
	}
	return space, nil
}

// Cards returns the class with its natural separator, which package scorecard defines, and with hypotheses of type
// scorecard.Card instead of any.
func (c cards) Cards() *scorecard.Class { return c.plain }

// Distance implements Separated: it returns the minimum Hamming distance of the separator, or 0 for the natural
// separator, which package scorecard defines.
func (c cards) Distance() int { return c.distance }

// Slow reports whether verifying a certificate of the minimum cost takes about ten times as long as for other classes.
// This is the case for cards with a limit on the sum of squared points.
func (c cards) Slow() bool { return c.plain.Options().Norm > 0 }

func (c cards) rule(h any) rule.Body {
	return rule.Points{Of: h.(scorecard.Card).Points, Threshold: c.threshold}
}

// MostGrades returns an upper bound on the number of different totals that records can have with one card of the class.
// The grade of a record is its total.
func (c cards) MostGrades() (risk.Kind, int) {
	var spans []int
	for _, a := range c.plain.Attributes() {
		var levels []int
		for category := range a.Categories() {
			levels = append(levels, a.Levels(category)...)
		}
		spans = append(spans, slices.Max(levels)-slices.Min(levels))
	}
	slices.Sort(spans)
	if most := c.plain.Options().Most; most > 0 {
		spans = spans[len(spans)-most:]
	}
	totals := 1
	for _, span := range spans {
		totals += span
	}
	return risk.Total, min(totals, risk.MostGrades)
}

func (c cards) read(text json.RawMessage) (any, error) {
	points, err := rule.ReadPoints(c.schema, text, string(c.form.Noun())+" is")
	return scorecard.Card{Points: points}, err
}
