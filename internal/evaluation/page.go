package evaluation

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
)

//go:embed page.html
var page string

var pageTemplate = report.Page(page, nil)

// A pageTable is a table on a page, with the title Head. Its first row contains the headings of the columns.
type pageTable struct {
	Head string
	Rows [][]string
}

// WriteHTML writes a private evaluation as a self-contained HTML page. Everything on the page follows from the
// released counts, the model and the imprint i, so it may be published if these may.
func (e *Evaluation) WriteHTML(w io.Writer, i report.Imprint) error {
	a := e.Assessment
	p := struct {
		Head, Lead, Note       string
		Facts                  []string
		Estimates              [][]string
		Tables                 []pageTable
		ROC, Calibration       template.HTML
		Area, Validity, Formal string
		Promise                []string
	}{
		Head: e.head(i), Lead: e.lead(), Note: quote.Clean(i.Note), Facts: i.Lines(), Estimates: e.estimates(),
		Validity: e.validity(), Formal: e.formal(),
		Promise: report.Promise("evaluation", e.Guarantee, e.Void.Text(), e.Schema),
	}
	for _, s := range e.sections() {
		if s.rows == nil {
			continue
		}
		head := strings.TrimSuffix(s.head, ":")
		switch {
		case head == "" && len(p.Tables) == 0:
			head = "Predictions and labels"
		case head == "":
			head = "Each " + plainLabel(e.Heading.Label)
		}
		p.Tables = append(p.Tables, pageTable{head, s.rows})
	}
	if len(a.Thresholds) > 3 {
		p.ROC, p.Area = report.ROCChart(a), report.Area(a)
	}
	if e.Stated != nil && a.Outcomes() == 2 {
		p.Calibration = report.CalibrationChart(a.Calibration(e.Stated))
	}
	return pageTemplate().Execute(w, p)
}

// head returns the title of the page that shows the evaluation.
func (e *Evaluation) head(i report.Imprint) string {
	switch {
	case i.Title != "":
		return quote.Clean(i.Title)
	case e.Heading.Title != "":
		return "Evaluation: " + quote.Clean(e.Heading.Title)
	}
	return "Evaluation of a " + e.thing
}

// lead returns the first sentences of the page. They name the model and the label, and state the number of
// rows if that number is public.
func (e *Evaluation) lead() string {
	on := ""
	if e.Rows != nil {
		on = fmt.Sprintf(" on a table of %v %s", e.Rows, e.Assessment.Counted())
	}
	return fmt.Sprintf("How well the %s predicts %s%s. The numbers are estimates, with noise that protects people; each has an interval.", e.thing, plainLabel(e.Heading.Label), on)
}

func plainLabel(label string) string { return quote.Clean(strings.ReplaceAll(label, "_", " ")) }
