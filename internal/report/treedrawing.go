package report

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/risk"
)

// The drawing of a decision tree runs from left to right. Conditions are in boxes, with the branch "yes" above the
// branch "no", and leaves are in a column on the right. A leaf is shaded if its prediction differs from the first
// class. Texts are broken into lines. The drawing depends only on released values.

// The dimensions of the drawing of a tree, in units of its SVG view box. A unit is about one point if the page is
// wide enough for three conditions side by side.
const (
	boxWide, boxGap   = 130, 34 // the width of a condition's box, and the gap between the box and its branches
	leafWide, barWide = 176, 56
	lineHigh, padding = 13, 4
	lineLetters       = 18 // the maximum number of letters in a line of a condition's box
	leafLetters       = 24
	mostLines         = 6
)

// A placedBranch is a branch of a decision tree with its position in the drawing. The field column is the
// horizontal position, as the number of a column from the left. The remaining fields are vertical positions and
// heights.
type placedBranch struct {
	b       *branch
	lines   []string
	yes, no *placedBranch
	column  int
	top     float64 // the top of the area for the branch and all branches below it
	high    float64
	middle  float64
	box     float64 // the height of the branch's own box
}

// TreeDrawing draws the decision tree of a sheet, as inline SVG. It returns "" if the tree consists of one leaf,
// and for models other than trees.
func (s Sheet) TreeDrawing() template.HTML {
	if s.Rule == nil || s.tree == nil || s.tree.leaf() {
		return ""
	}
	d := s.measure(s.tree, 0)
	d.place(0)
	columns := d.columns()
	wide := columns*(boxWide+boxGap) + leafWide + 2
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 %d %.0f" width="%d" height="%.0f" role="img" font-size="11" fill="currentColor">`+"\n", wide, d.high+2, wide, d.high+2)
	fmt.Fprintf(&b, "<title>%s for %s</title>\n", svgText(s.Thing()), svgText(s.Label))
	d.draw(&b, columns)
	b.WriteString("</svg>\n")
	return template.HTML(b.String())
}

// measure breaks the texts of a branch into lines, and computes the heights of the branch and of the branches below
// it.
func (s Sheet) measure(b *branch, column int) *placedBranch {
	d := &placedBranch{b: b, column: column}
	if b.leaf() {
		d.lines = broken(s.Outcome(b.outcome), leafLetters)
		if b.risk != nil {
			if v := Reliable(*b.risk); v != nil {
				d.lines = append(d.lines, fmt.Sprintf("leaf %d: %s", b.number, percent(v, 1, 0)),
					fmt.Sprintf("%s to %s", percent(&b.risk.Least, 1, -1), percent(&b.risk.Most, 1, 1)))
			} else {
				d.lines = append(d.lines, fmt.Sprintf("leaf %d:", b.number), tooFew)
			}
		}
	} else {
		d.lines = broken(b.condition, lineLetters)
		d.yes, d.no = s.measure(b.yes, column+1), s.measure(b.no, column+1)
	}
	d.box = float64(len(d.lines)*lineHigh + 2*padding)
	d.high = d.box + 2*padding
	if d.yes != nil {
		d.high = max(d.high, d.yes.high+d.no.high)
	}
	return d
}

// place sets the vertical positions of the branch and of the branches below it. The parameter top is the upper edge
// of their area.
func (d *placedBranch) place(top float64) {
	d.top, d.middle = top, top+d.high/2
	if d.yes == nil {
		return
	}
	spare := (d.high - d.yes.high - d.no.high) / 2
	d.yes.place(top + spare)
	d.no.place(top + spare + d.yes.high)
	d.middle = (d.yes.middle + d.no.middle) / 2
	d.middle = min(max(d.middle, top+d.box/2+padding), top+d.high-d.box/2-padding)
}

// columns returns the number of columns that the conditions occupy, which is the maximum number of conditions on a
// path to a leaf.
func (d *placedBranch) columns() int {
	if d.yes == nil {
		return 0
	}
	return 1 + max(d.yes.columns(), d.no.columns())
}

// left returns the position of the left edge of the branch's box. The parameter columns is the number of columns
// that conditions occupy in the drawing.
func (d *placedBranch) left(columns int) int {
	if d.yes == nil {
		return columns * (boxWide + boxGap)
	}
	return d.column * (boxWide + boxGap)
}

// draw draws the branch and the branches below it as SVG.
func (d *placedBranch) draw(b *strings.Builder, columns int) {
	left, wide, round, fill, class := d.left(columns), boxWide, 0, "#fff", "no"
	if d.yes == nil {
		wide, round = leafWide, 6
		if d.b.outcome > 0 {
			fill, class = "#ddd", "yes"
		}
	}
	for i, next := range []*placedBranch{d.yes, d.no} {
		if next == nil {
			continue
		}
		from, to := left+boxWide, next.left(columns)
		fmt.Fprintf(b, `<path d="M%d %.1fH%dV%.1fH%d" stroke="currentColor" fill="none"/>`+"\n", from, d.middle, from+8, next.middle, to)
		fmt.Fprintf(b, `<text x="%d" y="%.1f" font-size="9">%s</text>`+"\n", from+11, next.middle-3, []string{"yes", "no"}[i])
		next.draw(b, columns)
	}
	fmt.Fprintf(b, `<rect class="%s" x="%d" y="%.1f" width="%d" height="%.1f" rx="%d" fill="%s" stroke="currentColor"/>`+"\n", class, left, d.middle-d.box/2, wide, d.box, round, fill)
	for i, text := range d.lines {
		fmt.Fprintf(b, `<text x="%d" y="%.1f">%s</text>`+"\n", left+5, d.middle-d.box/2+padding+float64(i+1)*lineHigh-3, template.HTMLEscapeString(text))
	}
	if r := d.b.risk; r != nil && Reliable(*r) != nil {
		d.bar(b, float64(left+wide-barWide-6), *r)
	}
}

// bar draws the risk of a leaf as a bar, and its interval as a stroke, within a frame that represents the range
// from 0 to 1.
func (d *placedBranch) bar(b *strings.Builder, left float64, r risk.Share) {
	top := d.middle + d.box/2 - padding - lineHigh*1.5 - 4
	fmt.Fprintf(b, `<rect class="bar" x="%.1f" y="%.1f" width="%.1f" height="8" fill="#888"/>`+"\n", left, top, *r.Value*barWide)
	fmt.Fprintf(b, `<path d="M%.1f %.1fh%dv8h-%dzM%.1f %.1fH%.1f" stroke="currentColor" stroke-width="0.7" fill="none"/>`+"\n",
		left, top, barWide, barWide, left+r.Least*barWide, top+4, left+r.Most*barWide)
}

// broken breaks a text into lines, at spaces if possible, that have at most the given number of letters. The text
// is truncated after mostLines lines.
func broken(text string, letters int) []string {
	var lines []string
	rest := []rune(quote.Clean(text))
	for len(lines) < mostLines {
		end := fitting(rest, letters)
		if end == len(rest) {
			return append(lines, string(rest))
		}
		at, next := end, end
		for i := end; i > 0; i-- {
			if rest[i] == ' ' {
				at, next = i, i+1
				break
			}
		}
		lines, rest = append(lines, string(rest[:at])), rest[next:]
	}
	last := []rune(lines[mostLines-1])
	lines[mostLines-1] = string(last[:fitting(last, letters-1)]) + "…"
	return lines
}

// fitting returns the number of characters at the beginning of the text that fit into a line of the given number of
// letters. A wide character takes the space of two letters.
func fitting(text []rune, letters int) int {
	for i, r := range text {
		letters--
		if r >= 0x1100 {
			letters--
		}
		if letters < 0 {
			return i
		}
	}
	return len(text)
}
