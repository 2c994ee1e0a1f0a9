package model

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/sumscore"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A SumScore is the class (a Form) of sum scores, with its public parameters. A sum score is a scorecard on all
// attributes of a group of attributes with the same categories. It gives equal points to equal categories. The points
// are either in the range Points, or the numbers of the categories in ascending or descending order. The mechanism
// selects the points and the threshold.
type SumScore struct{ Points Points }

var sumScoreKind = Kind{
	Name: "sum-score", What: "a scorecard for attributes with the same categories, which have the same points in all of them", Selection: BySearch,
	Quicker: "fewer categories or points",
	New:     func() FormBuilder { return &sumScoreBuilder{NewSumScore()} }, read: readSumScore,
}

// NewSumScore returns the class of sum scores with default parameters.
func NewSumScore() SumScore { return SumScore{Points: signs} }

// Name returns "sum-score", the name of the class in commands and model files.
func (SumScore) Name() string { return sumScoreKind.Name }

// Noun returns "sum score", the noun for a hypothesis of the class in messages.
func (SumScore) Noun() report.Noun { return "sum score" }

// sumScoreBuilder collects the parameters of sum scores from flags. It implements FormBuilder.
type sumScoreBuilder struct{ SumScore }

// Parameters implements FormBuilder: it adds a flag for each parameter of the class to the flag set f.
func (a *sumScoreBuilder) Parameters(f *flag.FlagSet) { pointRange(f, &a.Points) }

// Form implements FormBuilder: it returns the class with the parameters that were set by flags, or an error if one
// is invalid.
func (a *sumScoreBuilder) Form(s *table.Schema) (Form, error) { return a.Complete(s) }

// Complete checks the parameters of the class. It returns f, or an error that names an invalid parameter.
func (f SumScore) Complete(*table.Schema) (Form, error) { return f, f.checkPoints() }

func (f SumScore) checkPoints() error {
	if err := f.Points.check("points"); err != nil {
		return err
	}
	if f.Points.width() < 2 {
		return parameter.Errorf("{points} %v has only one value, so all sums would be equal; give a range such as -1..1", &f.Points)
	}
	return nil
}

// leastAlike is the minimum number of attributes over which a sum score may sum.
const leastAlike = 3

// Alike returns the groups of at least three attributes that have the same categories, in the same order. The groups
// have the order of their first attributes. Attributes with only one category are left out.
func Alike(s *table.Schema) (groups [][]int) {
	numbers := map[string]int{}
	var all [][]int
	for j := range s.Attributes {
		if s.Attributes[j].Len() < 2 {
			continue
		}
		key := string(mustCompact(s.Attributes[j].Categories()))
		at, known := numbers[key]
		if !known {
			at = len(all)
			numbers[key] = at
			all = append(all, nil)
		}
		all[at] = append(all[at], j)
	}
	for _, g := range all {
		if len(g) >= leastAlike {
			groups = append(groups, g)
		}
	}
	return groups
}

// Groups returns the groups of attributes over which sum scores may sum: those that Alike returns, except groups with
// too many categories for the range of points.
func (f SumScore) Groups(s *table.Schema) (groups []sumscore.Group) {
	for _, g := range Alike(s) {
		if k := s.Attributes[g[0]].Len(); sumscore.Fits(k, f.Points.width()-1) {
			groups = append(groups, sumscore.Group{Attributes: g, Categories: k})
		}
	}
	return groups
}

// sumScores is the set (Space) of all sum scores over the attributes of a schema.
type sumScores struct {
	searched
	form SumScore
	sums *sumscore.Class
}

// Over implements Form: it returns the set of all hypotheses of the class over the attributes of the schema s, or
// an error if a parameter does not fit the schema.
func (f SumScore) Over(s *table.Schema) (Space, error) {
	if err := f.checkPoints(); err != nil {
		return nil, err
	}
	groups := f.Groups(s)
	if len(groups) == 0 {
		k := 2
		for sumscore.Fits(k+1, f.Points.width()-1) {
			k++
		}
		return nil, parameter.About("class", fmt.Errorf("a sum score needs at least %d attributes with the same categories, of which there may be at most %d for these points, and the schema has no such attributes; choose another class, or give the attributes the same categories", leastAlike, k))
	}
	c, err := sumscore.New(groups, f.Points.width()-1)
	if err != nil {
		return nil, noClass(err)
	}
	return sumScores{searched{f, s, class.Erase(c)}, f, c}, nil
}

// Enumeration implements Enumerated: it returns the class of sum scores with a partition function that is computed by
// enumerating all of them.
func (c sumScores) Enumeration() class.Summed[table.Record, any] {
	return erasedSum[sumscore.Score]{c.sums}
}

// An Enumerated space has a class that is small enough to compute its partition function as a sum over all
// hypotheses.
type Enumerated interface {
	Space
	// Enumeration returns the class that Sampling returns, with a partition function that is computed by
	// enumeration.
	Enumeration() class.Summed[table.Record, any]
}

// erasedSum converts the partition function of a class with hypotheses of type H to one with hypotheses of type any.
type erasedSum[H any] struct{ of class.Summed[table.Record, H] }

func (c erasedSum[H]) Sum(ctx context.Context, p class.Problem[table.Record], bound func(k int64) class.Upper) (class.Mass[any], error) {
	m, err := c.of.Sum(ctx, p, bound)
	if err != nil {
		return nil, err
	}
	return class.MapMass(m, 0, func(h H) any { return h }), nil
}

func (c erasedSum[H]) SumWork(records int64) int64 { return c.of.SumWork(records) }

// MostGrades returns an upper bound on the number of different totals that records can have under one sum score. The
// grade of a record is its total.
func (c sumScores) MostGrades() (risk.Kind, int) {
	return risk.Total, min(c.sums.MostSum()+1, risk.MostGrades)
}

// shift returns the number to add to the points of a sum score, whose minimum is 0, so that they lie in the form's
// range of points. It returns 0 if they already lie in the range, or if no shift moves them into it.
func (c sumScores) shift(h sumscore.Score) int {
	most := slices.Max(h.Points)
	if most >= c.form.Points.width() {
		return 0
	}
	return max(c.form.Points.Least, min(0, c.form.Points.Most-most))
}

func (c sumScores) rule(h any) rule.Body {
	score := h.(sumscore.Score)
	shift, sizes := c.shift(score), c.schema.Sizes()
	p := rule.Points{Of: make([][]int, len(sizes)), Threshold: score.Threshold}
	for j, n := range sizes {
		p.Of[j] = make([]int, n)
	}
	for _, j := range c.sums.Groups()[score.Group].Attributes {
		for category, v := range score.Points {
			p.Of[j][category] = v + shift
		}
		p.Threshold += shift
	}
	return p
}

type sumScoreJSON struct {
	Attributes []string `json:"attributes"` // the names of all attributes of the group
	Points     []int    `json:"points"`     // of the categories, in the order of the schema
	Threshold  int      `json:"threshold"`
}

// write returns the JSON form of a sum score. Its points are those of the rule by which the score predicts.
func (c sumScores) write(h any) any {
	score := h.(sumscore.Score)
	own := c.sums.Groups()[score.Group].Attributes
	body := c.rule(h).(rule.Points)
	j := sumScoreJSON{Points: body.Of[own[0]], Threshold: body.Threshold}
	for _, at := range own {
		j.Attributes = append(j.Attributes, c.schema.Attributes[at].Name)
	}
	return j
}

func (c sumScores) read(text json.RawMessage) (any, error) {
	var j sumScoreJSON
	if err := strict(text, &j); err != nil {
		return nil, fmt.Errorf("the sum score is malformed: %w", err)
	}
	group := slices.IndexFunc(c.sums.Groups(), func(g sumscore.Group) bool {
		return slices.EqualFunc(g.Attributes, j.Attributes, func(at int, name string) bool { return c.schema.Attributes[at].Name == name })
	})
	if group < 0 {
		return nil, errors.New("the attributes of the sum score must be all attributes of the schema that have the same categories as the first")
	}
	if len(j.Points) != c.sums.Groups()[group].Categories {
		return nil, fmt.Errorf("the sum score has points for %d categories, but its attributes have %d", len(j.Points), c.sums.Groups()[group].Categories)
	}
	h := sumscore.Score{Group: group, Threshold: j.Threshold}
	least := slices.Min(j.Points)
	for _, v := range j.Points {
		h.Points = append(h.Points, v-least)
	}
	h.Threshold -= least * len(j.Attributes)
	if c.shift(h) != least {
		return nil, errors.New("the points of the sum score are not in the range of its class")
	}
	return h, nil
}

type sumScoreClassJSON struct {
	Name   string `json:"name"`
	Points []int  `json:"points"` // the least and the greatest points
}

func (f SumScore) parameters() any {
	return sumScoreClassJSON{f.Name(), []int{f.Points.Least, f.Points.Most}}
}

func readSumScore(text json.RawMessage) (Form, error) {
	var j sumScoreClassJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	if len(j.Points) != 2 {
		return nil, errors.New("the key \"points\" must be a list of two numbers, the least and the greatest points")
	}
	return SumScore{Points{j.Points[0], j.Points[1]}}, nil
}
