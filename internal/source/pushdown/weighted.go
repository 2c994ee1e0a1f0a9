package pushdown

import (
	"strings"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// Weighted returns statements that compute, for each category of the given attributes, the sum of the weights of
// its records. They are statements for marginals in which the units (see table.Counts) of each record are
// multiplied by the record's weight w.
func (r *Relation) Weighted(attributes []int, w table.Weights) []*Marginals {
	d, from := r.dialect, r.records()
	var codes, columns, points []string
	for j := range r.attributes {
		code := codeColumn(j)
		codes = append(codes, code)
		columns = append(columns, from.cell(j, identity(r.attributes[j].Len()))+" AS "+code)
	}
	for j, of := range w.Points {
		points = append(points, wide(d, Numbers(d, codeColumn(j), of)))
	}
	y := from.axis(table.Axis{Column: len(r.schema.Attributes), Size: r.schema.Outcomes()})
	columns, weight, all := append(columns, y+" AS y"), byOutcome(d, "t", w.Of), strings.Join(codes, ", ")+", y"
	if from.weight != "" {
		columns, all, weight = append(columns, from.weight), all+", "+from.weight, d.Apply("*", weight, from.weight)
	}
	of := "SELECT " + strings.Join(columns, ", ") + " FROM " + from.from + " WHERE " + from.inside()
	of = r.within(all+", "+added(d, points)+" AS t", of, "a")
	of = r.within(strings.Join(codes, ", ")+", "+wide(d, weight)+" AS w", of, "b")
	weighted := records{r, "(" + of + " " + d.Fence + ") AS t", "w"}
	axes := make([][]table.Axis, len(attributes))
	for i, j := range attributes {
		axes[i] = []table.Axis{{Column: j, Size: r.schema.Sizes()[j]}}
	}
	return weighted.marginals(axes)
}
