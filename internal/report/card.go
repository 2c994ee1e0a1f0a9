package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/rule"
)

// A Card describes a scorecard for human readers, in the words of its schema. An attribute whose categories all have
// the same points is folded: the card leaves it out, and adds these points to Start or subtracts them from Threshold.
// Folding changes no prediction.
type Card struct {
	Start     int `json:"start,omitempty"` // the initial total
	Threshold int `json:"threshold"`       // the least total that predicts Positive
	// Decision states the prediction, if it does not depend on the points: they only rank records. Otherwise it is
	// empty.
	Decision   []Sentence  `json:"decision,omitempty"`
	Attributes []Attribute `json:"attributes"`
	Bonus      *Bonus      `json:"bonus,omitempty"`  // nil if there is none
	Folded     []Folded    `json:"folded,omitempty"` // attributes whose points are all equal, but not 0
	Unused     []string    `json:"unused"`           // attributes whose points are all 0, and on which no bonus depends
	Totals     []Total     `json:"totals,omitempty"` // all possible totals, ascending; empty if there may be too many
	Note       string      `json:"note,omitempty"`   // the meaning of points

	rows   [][]string // ranges of totals with their predictions
	always string     // the constant prediction, or empty
	drawn  int        // the threshold before folding
}

// An Attribute is the section of a card for one attribute: its categories and their points.
type Attribute struct {
	Name   string  `json:"name"`
	Points []Entry `json:"points"`
	Lines  []Entry `json:"-"` // Points, but adjacent intervals with equal points share a line
}

// A Bonus is a number of points that is added to the total of the records that satisfy a formula. The sentence states
// the formula, or that these are the records with the positive prediction.
type Bonus struct {
	Points int `json:"points"`
	Sentence
}

// Folded is an attribute that a card leaves out because all its categories have the same points.
type Folded struct {
	Name   string `json:"name"`
	Points int    `json:"points"`
}

// An Entry is a line of a card: a category and its points.
type Entry struct {
	Category string `json:"category"`
	Points   int    `json:"points"`
}

// A Total is a possible total of points, with the prediction for records with this total.
type Total struct {
	Total      int    `json:"total"`
	Prediction string `json:"prediction"`
}

// newCard describes a rule that adds up points as a card. If the points are added to a constant, there may be too
// many possible totals to list, so the card describes ranges of totals.
func newCard(h Heading, w words, p rule.Points) *Card {
	c := &Card{Threshold: p.Threshold, Attributes: []Attribute{}, Unused: []string{}, drawn: p.Threshold - p.Start}
	c.layOut(h, w, p)
	if double := math.Round(p.Double); double > 1 {
		c.Note = fmt.Sprintf("%.0f more points mean about twice the odds.", double)
	}
	if p.Constant {
		c.addConstant(h, p)
		return c
	}
	totals := []int{p.Start}
	for _, term := range p.Terms() {
		totals = risk.Sums(totals, term)
	}
	for _, t := range totals {
		c.Totals = append(c.Totals, Total{t, h.Word(t >= c.Threshold)})
	}
	c.rows = runs(c.Totals)
	if first, last := totals[0] >= c.Threshold, totals[len(totals)-1] >= c.Threshold; first == last {
		c.always = h.Word(first)
	}
	return c
}

// addConstant describes the ranges of totals of a card whose points are added to a constant.
func (c *Card) addConstant(h Heading, p rule.Points) {
	c.Start = p.Start + c.offset()
	least, most := p.Span()
	for _, span := range [][2]int{{least, min(most, p.Threshold-1)}, {max(least, p.Threshold), most}} {
		if span[0] <= span[1] {
			c.rows = append(c.rows, []string{spanned(span[0], span[1]), quote.Clean(h.Word(span[0] >= p.Threshold))})
		}
	}
	if positive := least >= p.Threshold; positive == (most >= p.Threshold) {
		c.always = h.Word(positive)
	}
}

// layOut decides how the card shows each attribute:
//   - If the points of its categories differ, the attribute has a section of its own.
//   - If they are all equal, but not 0, it is folded (see Card).
//   - If they are all 0, it is listed as unused, unless the bonus depends on it.
//
// The bonus becomes the last section.
func (c *Card) layOut(h Heading, w words, p rule.Points) {
	read := rule.Attributes(p)
	for j := range w.attributes {
		switch least, most := slices.Min(p.Of[j]), slices.Max(p.Of[j]); {
		case least != most:
			c.Attributes = append(c.Attributes, w.block(j, p.Of[j]))
		case least != 0:
			c.Folded = append(c.Folded, Folded{w.name(j), least})
		case !slices.Contains(read, j):
			c.Unused = append(c.Unused, w.name(j))
		}
	}
	if p.If == nil {
		return
	}
	s := formula(w, p.If, true, 0)
	if p.BonusDecides() && p.Bonus > 0 {
		c.Decision = append(predict(h, s).Sentences, Sentence{Text: "The points only rank records with the same prediction."})
		s = Sentence{Text: "the prediction is " + h.Positive}
	}
	end := "."
	if len(s.Items) > 0 {
		end = ":"
	}
	s.Text = fmt.Sprintf("If %s, add a bonus of %s%s", strings.TrimSuffix(s.Text, ":"), Signed(p.Bonus), end)
	c.Bonus = &Bonus{p.Bonus, s}
}

// offset returns the sum of the points of the folded attributes, which all records receive.
func (c *Card) offset() int {
	sum := 0
	for _, f := range c.Folded {
		sum += f.Points
	}
	return sum
}

// Fold returns a sentence which states the points that were folded (see Card). If they were subtracted from the
// threshold, it also states the threshold of the released card. Fold returns "" if no attribute was folded.
func (c *Card) Fold() string {
	if len(c.Folded) == 0 {
		return ""
	}
	var parts []string
	for _, f := range c.Folded {
		parts = append(parts, word(f.Name)+" "+Signed(f.Points))
	}
	into := "the start"
	if c.Totals != nil {
		into = fmt.Sprintf("the threshold (the released card has %s)", Signed(c.drawn))
	}
	return fmt.Sprintf("These points are the same for everyone and are included in %s: %s. All predictions stay the same.", into, strings.Join(parts, ", "))
}

// block returns the section of a card for the attribute with index j, given the points of its categories.
func (w words) block(j int, points []int) Attribute {
	b := Attribute{Name: w.name(j)}
	for code, category := range w.categories(j) {
		b.Points = append(b.Points, Entry{category, points[code]})
	}
	for first, end := 0, 0; first < len(points); first = end {
		end = first + 1
		for end <= len(w.attributes[j].Cuts) && points[end] == points[first] {
			end++
		}
		line := b.Points[first]
		if end-first > 1 {
			line.Category = w.interval(j, first, end-1)
		}
		b.Lines = append(b.Lines, line)
	}
	return b
}

// write writes the card as text, for use with pencil and paper.
func (c *Card) write(b *strings.Builder, label string) {
	for _, s := range c.Decision {
		s.write(b, "")
	}
	if c.Decision != nil {
		b.WriteByte('\n')
	}
	c.writeBlocks(b)
	fmt.Fprintf(b, "The threshold is %s. The total predicts:\n\n", Signed(c.Threshold))
	writeRows(b, append([][]string{{"possible total", quote.Clean(label)}}, c.Rows()...), "")
	if fold := c.Fold(); fold != "" {
		fmt.Fprintf(b, "\n%s\n", quote.Clean(fold))
	}
	if len(c.Unused) > 0 {
		fmt.Fprintf(b, "\n%s\n", quote.Clean(notUsed(c.Unused)))
	}
	if c.Note != "" {
		fmt.Fprintf(b, "\n%s\n", c.Note)
	}
}

// notUsed returns the sentence that lists the unused attributes. It ends with a single period, even if the last name
// ends with one.
func notUsed(names []string) string {
	return "Not used: " + strings.TrimSuffix(strings.Join(names, ", "), ".") + "."
}

// narrowest is the minimum width, in characters, of the column with the categories.
const narrowest = 14

func (c *Card) writeBlocks(b *strings.Builder) {
	if len(c.Attributes) == 0 && c.Bonus == nil {
		fmt.Fprintf(b, "There are no questions: every total is %s.\n\n", Signed(c.Start))
		return
	}
	if len(c.Attributes) > 0 {
		b.WriteString("In each block, find the line that applies. Add up the points.\n")
	}
	if c.Start != 0 {
		fmt.Fprintf(b, "Start with %s.\n", Signed(c.Start))
	}
	b.WriteByte('\n')
	width, digits := narrowest, 4
	for _, a := range c.Attributes {
		for _, e := range a.Lines {
			width = max(width, length(quote.Clean(e.Category)))
			digits = max(digits, length(Signed(e.Points)))
		}
	}
	for _, a := range c.Attributes {
		fmt.Fprintf(b, "  %s\n", quote.Clean(a.Name))
		for _, e := range a.Lines {
			fmt.Fprintf(b, "    %s  %*s\n", left(quote.Clean(e.Category), width), digits, Signed(e.Points))
		}
		b.WriteByte('\n')
	}
	if c.Bonus != nil {
		c.Bonus.write(b, "")
		b.WriteByte('\n')
	}
}

// Rows returns the table of totals and predictions. Consecutive totals with the same prediction share a row.
func (c *Card) Rows() [][]string { return c.rows }

// runs returns the rows of the table of totals: one row for each sequence of consecutive totals with the same
// prediction.
func runs(totals []Total) [][]string {
	var rows [][]string
	for i := 0; i < len(totals); {
		end := i + 1
		for end < len(totals) && totals[end].Prediction == totals[i].Prediction && totals[end].Total == totals[end-1].Total+1 {
			end++
		}
		rows = append(rows, []string{spanned(totals[i].Total, totals[end-1].Total), quote.Clean(totals[i].Prediction)})
		i = end
	}
	return rows
}

// spanned formats the range of totals from least to most, or a single total if both are equal.
func spanned(least, most int) string {
	if least == most {
		return Signed(least)
	}
	return Signed(least) + " to " + Signed(most)
}

// Signed formats a number of points with its sign, or 0 without a sign.
func Signed(v int) string {
	switch {
	case v > 0:
		return fmt.Sprintf("+%d", v)
	case v < 0:
		return fmt.Sprintf("−%d", -v)
	}
	return "0"
}
