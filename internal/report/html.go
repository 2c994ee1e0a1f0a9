package report

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
	"sync"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

//go:embed sheet.html
var page string

// pageTemplate is parsed on first use, since most commands write no page.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("sheet").Funcs(template.FuncMap{
		"signed": signed,
		"clean":  quote.Clean,
		"join":   func(words []string) string { return strings.Join(words, ", ") },
	}).Parse(page))
})

// WriteHTML writes the sheet as a self-contained page for printing, with the text of Guarantee.
func (s Sheet) WriteHTML(w io.Writer, guarantee string) error {
	page := struct {
		Sheet
		Guarantee string
		Drawing   template.HTML // of a decision tree
		Chart     template.HTML
		Risks     [][]string // heads first
		Notes     []string
	}{Sheet: s, Guarantee: guarantee, Drawing: s.TreeDrawing()}
	if page.Risks, _ = s.riskRows(); page.Risks != nil {
		page.Notes = s.notes()
	}
	if s.Binary != nil {
		page.Chart = RiskChart(s.Binary, s.Positive)
	}
	return pageTemplate().Execute(w, page)
}
