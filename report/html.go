package report

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
)

//go:embed card.html
var page string

var pageTemplate = template.Must(template.New("card").Funcs(template.FuncMap{
	"signed": signed,
	"clean":  clean,
	"join":   func(words []string) string { return strings.Join(words, ", ") },
}).Parse(page))

// WriteHTML writes the card as a page to print, with what Guarantee says of it.
// The page is complete in itself.
func (c Card) WriteHTML(w io.Writer, guarantee string) error {
	return pageTemplate.Execute(w, struct {
		Card
		Rows      [][]string
		Guarantee string
	}{c, c.totalRows()[1:], guarantee})
}
