package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"sync"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

//go:embed comparison.html
var comparisonPage string

// comparisonTemplate is parsed on first use, because most commands write no page.
var comparisonTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("comparison").Funcs(template.FuncMap{
		"clean":    quote.Clean,
		"fraction": fraction,
		"style":    func() template.CSS { return template.CSS(PageStyle) },
	}).Parse(comparisonPage))
})

// WriteHTML writes the comparison as a self-contained page, marked as not private.
func (c *Comparison) WriteHTML(w io.Writer) error { return comparisonTemplate().Execute(w, c) }

// Undrawn states that not all columns have a chart. It returns "" if all have one.
func (c *Comparison) Undrawn() string {
	if d := len(c.pair.Columns()); d > mostCharts {
		return fmt.Sprintf("Of %d columns, the %d of the greatest distance are drawn.", d, mostCharts)
	}
	return ""
}
