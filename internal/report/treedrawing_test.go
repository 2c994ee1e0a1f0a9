package report_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A box is a rectangle of a drawing.
type box struct{ left, top, wide, high float64 }

// boxesOf returns the boxes of a drawing that have a border, with the view box first, and the number
// of texts. It fails if the drawing is not XML.
func boxesOf(t *testing.T, drawing string) (boxes []box, texts int) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(drawing))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return boxes, texts
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		of := map[string]string{}
		for _, a := range e.Attr {
			of[a.Name.Local] = a.Value
		}
		number := func(name string) float64 {
			v, err := strconv.ParseFloat(of[name], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		switch {
		case e.Name.Local == "svg":
			var b box
			if _, err := fmt.Sscan(of["viewBox"], &b.left, &b.top, &b.wide, &b.high); err != nil {
				t.Fatal(err)
			}
			boxes = append(boxes, b)
		case e.Name.Local == "rect" && of["stroke"] != "":
			boxes = append(boxes, box{number("x"), number("y"), number("width"), number("height")})
		case e.Name.Local == "text":
			texts++
		}
	}
}

// A drawing is well-formed for any names. It has a box for each question and each leaf, all boxes are
// inside the drawing, and none overlap. Without risks, adjacent leaves with the same prediction are
// merged. With risks, each leaf has a bar.
func TestTreeDrawing(t *testing.T) {
	schema := weather(t)
	r := rand.New(rand.NewPCG(11, 12))
	most := 0
	for range heavy.Pick(12, 60) {
		depth := 1 + r.IntN(dectree.MostDepth)
		var grow func(depth int) *dectree.Tree
		grow = func(depth int) *dectree.Tree {
			if depth == 0 || r.IntN(5) == 0 {
				return &dectree.Tree{Outcome: r.IntN(2)}
			}
			return &dectree.Tree{Test: r.IntN(13), Yes: grow(depth - 1), No: grow(depth - 1)}
		}
		m := &model.Model{Schema: schema, Form: model.DecisionTree{Depth: depth}, Hypothesis: grow(depth)}
		grading, err := m.Grades()
		if err != nil {
			t.Fatal(err)
		}
		cells := make([]*big.Int, grading.Scale.Cells())
		for i := range cells {
			cells[i] = big.NewInt(r.Int64N(300) - 20)
		}
		epsilon := privacytest.Decimal(t, "0.5")
		risks, err := risk.Noisy(grading.Scale, cells, epsilon, privacy.AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		for _, m.Risks = range []*risk.Counts{nil, risks} {
			sheet := m.Sheet()
			drawing := string(sheet.TreeDrawing())
			leaves, err := sheet.Rules()
			if err != nil {
				t.Fatal(err)
			}
			if drawing == "" {
				if len(leaves) > 1 && sheet.Always == "" {
					t.Fatalf("%d leaves are not drawn", len(leaves))
				}
				continue
			}
			boxes, texts := boxesOf(t, drawing)
			view := boxes[0]
			boxes = boxes[1:]
			if m.Risks != nil && len(boxes) != 2*len(leaves)-1 || len(boxes) > 2*len(leaves)-1 || len(boxes)%2 == 0 || texts < len(boxes) {
				t.Fatalf("%d boxes, %d leaves, %d texts", len(boxes), len(leaves), texts)
			}
			if unknown := strings.Count(drawing, "too few people"); m.Risks != nil && strings.Count(drawing, "stroke-width") != len(leaves)-unknown {
				t.Fatalf("%d of %d leaves have a bar, and %d too few people", strings.Count(drawing, "stroke-width"), len(leaves), unknown)
			}
			most = max(most, len(boxes))
			for i, b := range boxes {
				if b.left < view.left || b.top < view.top || b.left+b.wide > view.left+view.wide || b.top+b.high > view.top+view.high {
					t.Fatalf("box %+v is outside %+v", b, view)
				}
				for _, c := range boxes[:i] {
					if b.left < c.left+c.wide && c.left < b.left+b.wide && b.top < c.top+c.high && c.top < b.top+b.high {
						t.Fatalf("box %+v is over %+v", b, c)
					}
				}
			}
		}
	}
	if most < 30 {
		t.Errorf("at most %d boxes were drawn", most)
	}
}
