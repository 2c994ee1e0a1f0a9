package report

import (
	"fmt"
	"html/template"
	"strings"
)

// The errors of pairs of columns are drawn as a triangle of cells in six shades. The thresholds of the shades are
// fixed, so that small errors look small and pages can be compared. The number of cells grows quadratically with the
// number of columns, so tables with many columns have no map.

// mapSteps are the distances at which the shades of the map of pairs change. A cell is one shade darker for each of
// these thresholds that the L1 distance of its two marginals reaches. Half of an L1 distance is the fraction of rows
// that would have to change to make the marginals equal.
var mapSteps = []float64{0.05, 0.1, 0.2, 0.4, 0.8}

// The dimensions of the map of pairs, in units of its SVG view box.
const (
	mapCell, mapLabel = 16, 150
	mostMapped        = 100 // the maximum number of columns
	mapLetters        = 22
	mapLegend         = 360 // the width of the legend
)

// mapShades are the shades of the map's cells, from light to dark. The first is for distances below all mapSteps.
var mapShades = []string{"#ffffff", "#dbe7f1", "#a8c4dd", "#6d9ac2", "#33699b", "#0b2f52"}

// mapDot is the color of dots on the map, which is legible on all shades.
const mapDot = "#b3541e"

// A PairMap is a drawing of a triangle of cells, one for each pair of columns. The shade of a cell represents a value
// of the pair.
type PairMap struct {
	Title   string
	Columns []string
	Steps   []float64 // the values from which on a darker shade is used; at most one fewer than there are shades
	Names   []string  // the names of the steps
	Cells   []MapCell
}

// A MapCell is a cell of a PairMap. It represents the value of a pair of columns.
type MapCell struct {
	Columns [2]int // two different indices of columns
	Value   float64
	Text    string // the value as text
	Dotted  bool
}

// Drawable reports whether a page has enough space for a map of the pairs of this number of columns.
func Drawable(columns int) bool { return columns >= 2 && columns <= mostMapped }

// SVG returns the map as an inline SVG drawing.
func (m *PairMap) SVG() template.HTML {
	var b strings.Builder
	d := len(m.Columns)
	side := mapLabel + (d-1)*mapCell
	wide, high := max(side, mapLegend), side+3*mapCell
	b.WriteString(SVGStart(wide, high, 11, m.Title))
	for j, name := range m.Columns {
		name = svgText(shortened(name, mapLetters))
		at := mapLabel + j*mapCell + mapCell - 4
		if j > 0 {
			fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", mapLabel-4, at-mapCell, name)
		}
		if j < d-1 {
			fmt.Fprintf(&b, `<text transform="translate(%d %d) rotate(-90)">%s</text>`+"\n", at, mapLabel-4, name)
		}
	}
	for _, c := range m.Cells {
		level := 0
		for level < len(m.Steps) && c.Value >= m.Steps[level] {
			level++
		}
		first, second := min(c.Columns[0], c.Columns[1]), max(c.Columns[0], c.Columns[1])
		x, y := mapLabel+first*mapCell, mapLabel+(second-1)*mapCell
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s" stroke="#888" stroke-width="0.5"><title>%s × %s: %s</title></rect>`+"\n",
			x, y, mapCell, mapCell, mapShades[level], svgText(m.Columns[first]), svgText(m.Columns[second]), svgText(c.Text))
		if c.Dotted {
			fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="2.5" fill="%s" stroke="#fff" stroke-width="0.5" pointer-events="none"/>`+"\n", x+mapCell/2, y+mapCell/2, mapDot)
		}
	}
	for level, shade := range mapShades[:len(m.Steps)+1] {
		name := "less"
		if level > 0 {
			name = m.Names[level-1]
		}
		x, y := level*mapLegend/len(mapShades), side+mapCell
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s" stroke="#888" stroke-width="0.5"/><text x="%d" y="%d">%s</text>`+"\n", x, y, mapCell, mapCell, shade, x+mapCell+4, y+mapCell-4, svgText(name))
	}
	b.WriteString("</svg>\n")
	return template.HTML(b.String())
}

// PairMap draws the L1 distances of the marginals of all pairs of columns, as inline SVG. It returns "" if there are
// too many pairs, or if some pairs were not compared.
func (c *Comparison) PairMap() template.HTML {
	columns := c.pair.Columns()
	d := len(columns)
	if !Drawable(d) || len(c.pairs) < d*(d-1)/2 {
		return ""
	}
	m := PairMap{Title: "Errors of pairs of columns, darker for larger errors", Steps: mapSteps}
	for _, a := range columns {
		m.Columns = append(m.Columns, a.Name)
	}
	for _, step := range mapSteps {
		m.Names = append(m.Names, fmt.Sprint(step))
	}
	for _, of := range c.pairs {
		m.Cells = append(m.Cells, MapCell{Columns: [2]int(of.Columns), Value: of.L1, Text: fraction(of.L1)})
	}
	return m.SVG()
}

// shortened returns a text, truncated to at most the given number of letters.
func shortened(text string, letters int) string {
	if runes := []rune(text); len(runes) > letters {
		return string(runes[:letters-1]) + "…"
	}
	return text
}
