package synthetic

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/synth"
)

//go:embed page.html
var page string

var pageTemplate = report.Page(page, nil)

// WriteHTML writes a self-contained HTML page that describes a valid model. The page contains only facts from the
// model and the imprint, so it may be published with them. WriteHTML returns the error of the context or of the
// writer.
func (m *Model) WriteHTML(ctx context.Context, w io.Writer, d Drawing, i report.Imprint) error {
	e, err := m.Errors(ctx, d)
	if err != nil {
		return err
	}
	c := m.Card()
	p := struct {
		Card
		Head     string
		Facts    []string
		Note     string
		Promise  []string
		Formal   string
		Limits   string
		Measured [][]string
		Expected errorsPage
		Columns  []columnPage
		Pairs    template.HTML
		Drawn    []drawnPage
	}{Card: c, Head: head(c.Title, i), Facts: i.Lines(), Note: quote.Clean(i.Note), Promise: report.Promise("synthetic data", m.Guarantee, m.Void.Text(), m.Layout.Schema), Formal: c.guarantee, Limits: c.limits(), Measured: c.table(), Expected: errorsPage{e.classTable(), e.columnTable(), errorNotes, e.pairMap(m.Layout)}, Pairs: m.association()}
	for k := range m.Measured.Columns {
		p.Columns = append(p.Columns, m.columnPage(k))
	}
	for _, r := range m.Measured.Rounds {
		p.Drawn = append(p.Drawn, m.drawnPage(r))
	}
	return pageTemplate().Execute(w, p)
}

// head returns the title of the page: that of the imprint or, without one, a title that contains the name of the
// data. The name may be empty.
func head(name string, i report.Imprint) string {
	switch {
	case i.Title != "":
		return quote.Clean(i.Title)
	case name != "":
		return quote.Clean(name) + ": synthetic data"
	}
	return "Synthetic data"
}

// errorsPage holds the tables and the map for the section of the page about errors. The first row of each table
// contains its headings.
type errorsPage struct {
	Classes, Columns [][]string
	Notes            string
	Map              template.HTML
}

type columnPage struct {
	Name string
	Bars template.HTML
}

// mostBars is the maximum number of values in the chart of a column.
const mostBars = 40

func (m *Model) columnPage(k int) columnPage {
	a := &m.Layout.Flat.Attributes[m.Layout.free[k]]
	counts := m.Measured.Values(k)
	names := report.PlainCategories(a)
	most := 1.0
	for _, n := range counts {
		most = max(most, n)
	}
	const height, from, width = 18, 150, 250
	var b strings.Builder
	shown := min(len(names), mostBars)
	b.WriteString(report.SVGStart(from+width+70, height*(shown+1), 12, a.Name))
	for v := range shown {
		long := max(0, counts[v]) / most * width
		off := 2 * m.Measured.Columns[k].Deviation() / most * width
		y := v * height
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`, from-6, y+13, template.HTMLEscapeString(quote.Clean(shortened(names[v]))))
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%.1f" height="%d" class="bar" fill="#8aa"/>`, from, y+3, long, height-6)
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="currentColor"/>`, from+max(0, long-off), from+min(long+off, width+20), y+height/2, y+height/2)
		fmt.Fprintf(&b, `<text x="%.1f" y="%d">%.0f</text>`, from+min(long+off, width+25)+5, y+13, max(0, counts[v]))
	}
	if more := len(names) - shown; more > 0 {
		fmt.Fprintf(&b, `<text x="%d" y="%d">and %d more</text>`, from, shown*height+13, more)
	}
	b.WriteString("</svg>")
	return columnPage{a.Name, template.HTML(b.String())}
}

// shortened truncates a name to 20 characters.
func shortened(name string) string {
	const most = 20
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return name
}

// association draws a heat map of the association between each two columns of the records, measured by Cramér's V.
func (m *Model) association() template.HTML {
	const cell, from = 22, 150
	n, columns := len(m.Layout.Flat.Attributes), m.codes()
	var b strings.Builder
	b.WriteString(report.SVGStart(from+n*cell+10, from+n*cell, 12, "Association of pairs of columns"))
	for i := range n {
		name := template.HTMLEscapeString(quote.Clean(m.Layout.Flat.Attributes[i].Name))
		short := template.HTMLEscapeString(quote.Clean(shortened(m.Layout.Flat.Attributes[i].Name)))
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`, from-6, from+i*cell+15, short)
		fmt.Fprintf(&b, `<text transform="translate(%d %d) rotate(-90)">%s</text>`, from+i*cell+15, from-6, short)
		for j := range n {
			v := 1.0
			if i != j {
				v = cramer(columns[i], columns[j], m.Layout.Flat.Attributes[i].Len(), m.Layout.Flat.Attributes[j].Len())
			}
			grey := int(math.Round(255 * (1 - v)))
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="#%02x%02x%02x" stroke="#ddd"><title>%s, %s: %.2f</title></rect>`,
				from+j*cell, from+i*cell, cell, cell, grey, grey, grey, name, template.HTMLEscapeString(quote.Clean(m.Layout.Flat.Attributes[j].Name)), v)
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// cramer returns a bias-corrected Cramér's V of two columns: from χ² it subtracts the value that is expected for
// independent columns. The parameters sizeA and sizeB are the numbers of values of the columns.
func cramer(a, b []uint16, sizeA, sizeB int) float64 {
	counts, lines, rows := make([]float64, sizeA*sizeB), make([]float64, sizeA), make([]float64, sizeB)
	for i := range a {
		x, y := int(a[i]), int(b[i])
		counts[x*sizeB+y]++
		lines[x]++
		rows[y]++
	}
	usedA, usedB, square := 0, 0, 0.0
	for _, n := range lines {
		if n > 0 {
			usedA++
		}
	}
	for _, n := range rows {
		if n > 0 {
			usedB++
		}
	}
	if usedA < 2 || usedB < 2 {
		return 0
	}
	n := float64(len(a))
	for x, line := range lines {
		for y, row := range rows {
			if e := line * row / n; e > 0 {
				d := counts[x*sizeB+y] - e
				square += d * d / e
			}
		}
	}
	chance := float64((usedA - 1) * (usedB - 1))
	return math.Sqrt(min(1, max(0, square-chance)/(n*float64(min(usedA, usedB)-1))))
}

type drawnPage struct{ What, Count, Deviation string }

// drawnPage describes a conjunction that a round selected, with its noisy count and the standard deviation of the
// noise.
func (m *Model) drawnPage(r synth.Round) drawnPage {
	var tests []rule.Test
	for _, axis := range r.Measurement.Axes {
		c := rule.Condition{Attribute: m.Layout.free[axis.Column]}
		for v, cell := range axis.Cells {
			if cell == 1 {
				c.Accepts = append(c.Accepts, uint16(v))
			}
		}
		tests = append(tests, c.Test(m.Layout.Flat.Attributes))
	}
	counts := r.Measurement.Rows(m.Measured.Relation)
	return drawnPage{rule.Text(m.Layout.Flat.Attributes, tests...), fmt.Sprintf("%.0f", counts[len(counts)-1]), fmt.Sprintf("%.3g", math.Sqrt(r.Measurement.Variance()))}
}
