package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
)

//go:embed comparison.html
var comparisonPage string

var comparisonTemplate = Page(comparisonPage, template.FuncMap{"fraction": fraction})

// WriteHTML writes the report as a self-contained HTML page, marked as not private.
func (c *Comparison) WriteHTML(w io.Writer) error { return comparisonTemplate().Execute(w, c) }

// Undrawn returns a sentence which states how many of the columns have a chart, or "" if all
// columns have one.
func (c *Comparison) Undrawn() string {
	if d := len(c.pair.Columns()); d > mostCharts {
		return fmt.Sprintf("Of %d columns, the %d of the greatest distance are drawn.", d, mostCharts)
	}
	return ""
}
