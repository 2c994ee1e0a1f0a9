package report

import (
	"fmt"
	"html/template"
	"strings"
)

// The errors of pairs of columns are drawn as a triangle of cells, from white for no error to
// black for the largest L1 distance, which the drawing states. The number of cells is that of
// pairs, so wider tables are not drawn.

// The dimensions of the map, in units of its view box.
const (
	mapCell, mapLabel = 16, 150
	mostMapped        = 100 // columns
	mapLetters        = 22
)

// PairMap draws the L1 distances of all pairs of columns as inline SVG. It is empty if there are
// too many pairs or some were not compared.
func (c *Comparison) PairMap() template.HTML {
	columns := c.pair.Columns()
	d := len(columns)
	if d < 2 || d > mostMapped || len(c.pairs) < d*(d-1)/2 {
		return ""
	}
	greatest := 0.
	for _, m := range c.pairs {
		greatest = max(greatest, m.L1)
	}
	var b strings.Builder
	side := mapLabel + (d-1)*mapCell
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="100%%" style="max-width:%dpx" role="img" font-family="system-ui, sans-serif" font-size="11" fill="#000">`+"\n", side, side, side)
	fmt.Fprintf(&b, "<title>Errors of pairs of columns, white for 0, black for %s</title>\n", fraction(greatest))
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
		shade := 255
		if greatest > 0 {
			shade -= int(255 * m.L1 / greatest)
		}
		x, y := mapLabel+m.Columns[0]*mapCell, mapLabel+(m.Columns[1]-1)*mapCell
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="rgb(%d,%d,%d)" stroke="#bbb" stroke-width="0.5"><title>%s × %s: %s</title></rect>`+"\n",
			x, y, mapCell, mapCell, shade, shade, shade, svgText(columns[m.Columns[0]].Name), svgText(columns[m.Columns[1]].Name), fraction(m.L1))
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
