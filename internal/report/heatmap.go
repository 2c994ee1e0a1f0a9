package report

import (
	"fmt"
	"html/template"
	"strings"
)

// The errors of pairs of columns are drawn as a triangle of cells, in one of six shades. The scale
// of shades is fixed, so that small errors look small, and pages can be compared. The number of cells
// is that of pairs, so wider tables are not drawn.

// mapSteps are the L1 distances at which a darker shade begins. Half of an L1 distance is the
// fraction of rows that would have to change for both marginals to be equal.
var mapSteps = []float64{0.05, 0.1, 0.2, 0.4, 0.8}

// The dimensions of the map, in units of its view box.
const (
	mapCell, mapLabel = 16, 150
	mostMapped        = 100 // columns
	mapLetters        = 22
	mapLegend         = 360 // the width of the legend
)

// mapShades are the shades of the steps, the lightest for distances below all of them.
var mapShades = []string{"#ffffff", "#dbe7f1", "#a8c4dd", "#6d9ac2", "#33699b", "#0b2f52"}

// PairMap draws the L1 distances of all pairs of columns as inline SVG. It is empty if there are
// too many pairs or some were not compared.
func (c *Comparison) PairMap() template.HTML {
	columns := c.pair.Columns()
	d := len(columns)
	if d < 2 || d > mostMapped || len(c.pairs) < d*(d-1)/2 {
		return ""
	}
	var b strings.Builder
	side := mapLabel + (d-1)*mapCell
	wide, high := max(side, mapLegend), side+3*mapCell
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" font-size="11" fill="currentColor">`+"\n", wide, high, wide, high)
	b.WriteString("<title>Errors of pairs of columns, darker for larger errors</title>\n")
	for j := range columns {
		name := svgText(shortened(columns[j].Name, mapLetters))
		at := mapLabel + j*mapCell + mapCell - 4
		if j > 0 {
			fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", mapLabel-4, at-mapCell, name)
		}
		if j < d-1 {
			fmt.Fprintf(&b, `<text transform="translate(%d %d) rotate(-90)">%s</text>`+"\n", at, mapLabel-4, name)
		}
	}
	for _, m := range c.pairs {
		level := 0
		for level < len(mapSteps) && m.L1 >= mapSteps[level] {
			level++
		}
		x, y := mapLabel+m.Columns[0]*mapCell, mapLabel+(m.Columns[1]-1)*mapCell
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s" stroke="#888" stroke-width="0.5"><title>%s × %s: %s</title></rect>`+"\n",
			x, y, mapCell, mapCell, mapShades[level], svgText(columns[m.Columns[0]].Name), svgText(columns[m.Columns[1]].Name), fraction(m.L1))
	}
	for level, shade := range mapShades {
		name := "less"
		if level > 0 {
			name = fmt.Sprint(mapSteps[level-1])
		}
		x, y := level*mapLegend/len(mapShades), side+mapCell
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s" stroke="#888" stroke-width="0.5"/><text x="%d" y="%d">%s</text>`+"\n", x, y, mapCell, mapCell, shade, x+mapCell+4, y+mapCell-4, name)
	}
	b.WriteString("</svg>\n")
	return template.HTML(b.String())
}

// shortened truncates a text to a number of letters.
func shortened(text string, letters int) string {
	if runes := []rune(text); len(runes) > letters {
		return string(runes[:letters-1]) + "…"
	}
	return text
}
