package synthetic

import (
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/synth"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Card summarizes a release of synthetic data for its users. It contains only public facts.
type Card struct {
	Title   string  `json:"title,omitempty"`
	Rows    int64   `json:"rows"`           // number of rows or persons of the table
	About   bool    `json:"rows_estimated"` // whether Rows is a noisy estimate
	Columns int     `json:"columns"`
	Filled  int     `json:"functions"` // number of columns that are functions of others by rules, and so not measured
	Rho     string  `json:"rho"`       // exact ρ of all measurements, a fraction
	Parts   []Spent `json:"measured"`

	Unit      string `json:"-"` // "rows" or "persons"
	guarantee string
	rounds    bool // whether conjunctions were measured
}

// Spent describes all measurements of one kind, such as the counts of columns, and their share of the privacy
// budget.
type Spent struct {
	What      string  `json:"what"`
	Times     int     `json:"times"` // number of measurements
	Share     float64 `json:"share_of_rho"`
	Least     float64 `json:"least_noise_of_a_count,omitempty"` // minimum standard deviation if it differs from the maximum, otherwise 0
	Deviation float64 `json:"noise_of_a_count"`                 // maximum standard deviation; 0 if nothing is counted
}

// Card returns the card of the model, which must be valid.
func (m *Model) Card() Card {
	c := Card{
		Title: m.Layout.Schema.Name, Rows: m.Rows, About: !m.Measured.Relation.Replaces(),
		Columns: len(m.Layout.Flat.Attributes), Filled: len(m.Layout.Flat.Attributes) - len(m.Layout.free),
		Unit: m.Layout.Schema.Unit(2), guarantee: report.Guarantee("synthetic data", m.Guarantee, m.Void.Text(), m.Layout.Schema),
	}
	rho := m.Measured.Rho()
	c.Rho = rho.RatString()
	share := func(of *big.Rat) float64 {
		f, _ := new(big.Rat).Quo(of, rho).Float64()
		return f
	}
	counted := func(what string, price *big.Rat, deviations []float64) {
		if len(deviations) == 0 {
			return
		}
		least, most := slices.Min(deviations), slices.Max(deviations)
		if least == most {
			least = 0
		}
		c.Parts = append(c.Parts, Spent{what, len(deviations), share(price), least, most})
	}
	relation := m.Measured.Relation
	of := func(x synth.Measurement, price *big.Rat, deviations []float64) []float64 {
		price.Add(price, x.Cost(relation).Rho)
		return append(deviations, x.Deviation())
	}
	columns, bins, pairs, drawn, rounds := new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat)
	var ofColumns, ofBins, ofPairs, ofRounds []float64
	if x := m.Measured.Number; x != nil {
		counted("number of "+c.Unit, x.Cost(relation).Rho, []float64{x.Deviation()})
	}
	for _, x := range m.Measured.Columns {
		ofColumns = of(x, columns, ofColumns)
	}
	for _, x := range m.Measured.Bins {
		if x.Counts != nil {
			ofBins = of(x, bins, ofBins)
		}
	}
	for _, x := range m.Measured.Pairs {
		ofPairs = of(x, pairs, ofPairs)
	}
	for _, x := range m.Measured.Rounds {
		drawn.Add(drawn, privacy.RangeRho(x.Epsilon))
		ofRounds = of(x.Measurement, rounds, ofRounds)
	}
	counted("columns", columns, ofColumns)
	counted("bins within intervals of columns", bins, ofBins)
	counted("pairs of columns", pairs, ofPairs)
	if c.rounds = len(ofRounds) > 0; c.rounds {
		c.Parts = append(c.Parts, Spent{"selections of conjunctions with a large error", len(ofRounds), share(drawn), 0, 0})
	}
	counted("counts of the selected conjunctions", rounds, ofRounds)
	return c
}

// Write writes the card as text.
func (c Card) Write(w io.Writer) error {
	var b strings.Builder
	if c.Title != "" {
		fmt.Fprintf(&b, "%s\n\n", quote.Clean(c.Title))
	}
	about := ""
	if c.About {
		about = "about "
	}
	fmt.Fprintf(&b, "Synthetic data of %d columns, made from %s%d %s.\n", c.Columns, about, c.Rows, c.Unit)
	if c.Filled > 0 {
		fmt.Fprintf(&b, "Columns that are functions of others by public rules were not measured (%d).\n", c.Filled)
	}
	b.WriteString("\n")
	if err := report.WriteTable(&b, c.table(), "lrrr"); err != nil {
		return err
	}
	fmt.Fprintf(&b, "\n%s\n%s", c.limits(), c.guarantee)
	_, err := io.WriteString(w, b.String())
	return err
}

// table returns a table of text that lists the measurements, headings first.
func (c Card) table() [][]string {
	rows := [][]string{{"measured", "number", "share of ρ", "noise of a count"}}
	for _, p := range c.Parts {
		noise := ""
		if p.Deviation > 0 {
			noise = fmt.Sprintf("± %.3g", p.Deviation)
		}
		if least := fmt.Sprintf("± %.3g", p.Least); p.Least > 0 && least != noise {
			noise = least + " to " + noise
		}
		rows = append(rows, []string{p.What, fmt.Sprint(p.Times), report.Percent(&p.Share, 0), noise})
	}
	return rows
}

// limits returns a note to the users of the data about its limits.
func (c Card) limits() string {
	measured := "single columns and pairs of columns"
	if c.rounds {
		measured = "single columns, pairs of columns and a few conjunctions"
	}
	return "The release measured " + measured + ". The data\n" + resembles
}

const resembles = `resembles the table in these, and in other statistics only as far as these determine them.
No row belongs to a person. The errors of counts are about as large as the noise above for
any count, so small counts are unreliable. Standard errors that programs compute from the
rows do not include the noise.
`
