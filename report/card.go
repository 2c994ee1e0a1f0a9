package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/class/scorecard"
	"github.com/sibyl-dp/sibyl/table"
)

// A Card is a scorecard in the words of its schema.
type Card struct {
	Threshold  int         `json:"threshold"` // the least total that predicts Positive
	Attributes []Attribute `json:"attributes"`
	Unused     []string    `json:"unused"` // attributes whose points are all 0
	Totals     []Total     `json:"totals"` // every possible one, ascending
}

// An Attribute is one block of a card.
type Attribute struct {
	Name   string  `json:"name"`
	Points []Entry `json:"points"`
}

// Constant tells whether every category has the same points.
func (a Attribute) Constant() bool {
	for _, e := range a.Points {
		if e.Points != a.Points[0].Points {
			return false
		}
	}
	return true
}

// anything stands for all categories of a constant attribute.
const anything = "whatever it is"

// An Entry is a line of a block.
type Entry struct {
	Category string `json:"category"`
	Points   int    `json:"points"`
}

// A Total is a possible sum of points and what it predicts.
type Total struct {
	Total      int    `json:"total"`
	Prediction string `json:"prediction"`
}

// newCard lays out a card.
func newCard(h Heading, s *table.Schema, threshold int, card scorecard.Card) *Card {
	c := &Card{Threshold: threshold, Attributes: []Attribute{}, Unused: []string{}}
	totals := []int{0}
	for j := range s.Attributes {
		a := &s.Attributes[j]
		if !card.Used(j) {
			c.Unused = append(c.Unused, a.Name)
			continue
		}
		c.Attributes = append(c.Attributes, block(a, card.Points[j]))
		totals = sums(totals, card.Points[j])
	}
	for _, t := range totals {
		prediction := h.Negative
		if t >= threshold {
			prediction = h.Positive
		}
		c.Totals = append(c.Totals, Total{t, prediction})
	}
	return c
}

func block(a *table.Attribute, points []int) Attribute {
	b := Attribute{Name: a.Name}
	for code, category := range a.Categories() {
		b.Points = append(b.Points, Entry{category, points[code]})
	}
	return b
}

// sums returns the distinct sums of a member of each list, ascending.
func sums(a, b []int) []int {
	b = slices.Clone(b)
	slices.Sort(b)
	b = slices.Compact(b)
	out := make([]int, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			out = append(out, x+y)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// write writes the card for a person with a pencil.
func (c *Card) write(b *strings.Builder, label string) {
	c.writeBlocks(b)
	fmt.Fprintf(b, "The threshold is %s. The total predicts:\n\n", signed(c.Threshold))
	writeRows(b, append([][]string{{"possible total", clean(label)}}, c.Rows()...), "")
	if len(c.Unused) > 0 {
		fmt.Fprintf(b, "\nNot used: %s.\n", clean(strings.Join(c.Unused, ", ")))
	}
}

func (c *Card) writeBlocks(b *strings.Builder) {
	if len(c.Attributes) == 0 {
		b.WriteString("Nothing is asked: every total is 0.\n\n")
		return
	}
	b.WriteString("In each block, find the line that applies. Add up the points.\n\n")
	width := length(anything)
	for _, a := range c.Attributes {
		for _, e := range a.Points {
			width = max(width, length(clean(e.Category)))
		}
	}
	for _, a := range c.Attributes {
		fmt.Fprintf(b, "  %s\n", clean(a.Name))
		if a.Constant() {
			fmt.Fprintf(b, "    %s  %4s\n", left(anything, width), signed(a.Points[0].Points))
		} else {
			for _, e := range a.Points {
				fmt.Fprintf(b, "    %s  %4s\n", left(clean(e.Category), width), signed(e.Points))
			}
		}
		b.WriteByte('\n')
	}
}

// Rows lists the possible totals and what they predict, runs of them as one row.
func (c *Card) Rows() [][]string {
	var rows [][]string
	for i := 0; i < len(c.Totals); {
		end := i + 1
		for end < len(c.Totals) && c.Totals[end].Prediction == c.Totals[i].Prediction && c.Totals[end].Total == c.Totals[end-1].Total+1 {
			end++
		}
		text := signed(c.Totals[i].Total)
		if end > i+1 {
			text += " to " + signed(c.Totals[end-1].Total)
		}
		rows = append(rows, []string{text, clean(c.Totals[i].Prediction)})
		i = end
	}
	return rows
}

// signed writes a number of points.
func signed(v int) string {
	switch {
	case v > 0:
		return fmt.Sprintf("+%d", v)
	case v < 0:
		return fmt.Sprintf("−%d", -v)
	}
	return "0"
}
