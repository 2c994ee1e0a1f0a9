package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math/big"
	"strings"
	"sync"
	"time"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

var (
	//go:embed sheet.html
	sheetHTML string

	//go:embed parts.html
	partsHTML string
)

// PageStyle is the CSS style sheet of all pages.
//
//go:embed page.css
var PageStyle string

// Page returns a function that returns the HTML template of a page. The parameter text is the source of the
// template. Besides the given functions, the template may use:
//   - the function clean, which is quote.Clean
//   - the function style, which returns PageStyle
//   - the template "imprint", for the fields Facts and Note
//   - the template "privacy", for the fields Promise and Formal
//   - the template "table", for rows of cells, the first of which contains the headings
//
// The template is parsed when it is first used, because most commands write no page.
func Page(text string, functions template.FuncMap) func() *template.Template {
	return sync.OnceValue(func() *template.Template {
		page := template.New("page").Funcs(functions).Funcs(template.FuncMap{
			"clean": quote.Clean,
			"style": func() template.CSS { return template.CSS(PageStyle) },
		})
		return template.Must(template.Must(page.Parse(partsHTML)).Parse(text))
	})
}

var sheetTemplate = Page(sheetHTML, template.FuncMap{
	"signed":  Signed,
	"notUsed": notUsed,
})

// An Imprint holds what the publisher of a page adds to it. All fields may be empty.
type Imprint struct {
	Title   string // replaces the name of the schema
	Contact string // who is responsible for the page: a name, an address or both
	Date    time.Time
	Note    string // a paragraph at the beginning
}

// Lines returns the contact and the date of the imprint, each as a line of text.
func (i Imprint) Lines() (lines []string) {
	if !i.Date.IsZero() {
		lines = append(lines, "Date: "+i.Date.Format(dateForm))
	}
	if i.Contact != "" {
		lines = append(lines, "Contact: "+quote.Clean(i.Contact))
	}
	return lines
}

// A sheetPage holds the data for the template of a model's page.
type sheetPage struct {
	Sheet
	Head, Lead string
	Facts      []string
	Note       string
	Promise    []string
	Formal     string
	Calculator *calculator
	Drawing    template.HTML // the drawing of a decision tree
	Chart      template.HTML
	RiskTitle  string
	RiskHeads  []string
	Risks      [][]string
	Notes      []string
	Script     template.JS
	ScriptHash string
}

// WriteHTML writes the sheet as a self-contained HTML page, which may be published and printed. The page contains a
// calculator, and describes the guarantee g. If g is nil, the page says that there is no guarantee, and why. The
// page depends only on the released model and the imprint.
func (s Sheet) WriteHTML(w io.Writer, g *privacy.Statement, why string, i Imprint) error {
	s = s.inPlainWords()
	p := sheetPage{
		Sheet: s, Head: s.head(i), Lead: s.lead(), Note: quote.Clean(i.Note),
		Promise: Promise(s.Thing(), g, why, s.schema), Formal: Guarantee(s.Thing(), g, why, s.schema),
		Calculator: newCalculator(s), Drawing: s.TreeDrawing(),
		Script: template.JS(CalculatorScript), ScriptHash: ScriptHash(),
	}
	if people := s.people(); people != "" {
		p.Facts = append(p.Facts, people)
	}
	p.Facts = append(p.Facts, i.Lines()...)
	if a := s.Assessment(); a != nil && len(a.Risks) > 0 {
		p.RiskTitle, p.RiskHeads, p.Risks, p.Notes = s.riskTitle(), s.plainRiskHeads(), s.plainRisks(), s.plainNotes()
	}
	if s.Binary != nil && len(s.Binary.Risks) > 0 {
		p.Chart = RiskChart(s.Binary, s.event())
	}
	return sheetTemplate().Execute(w, p)
}

// inPlainWords returns the sheet in plain words, for readers of pages who do not know the notation of schemas.
func (s Sheet) inPlainWords() Sheet {
	s.Heading = plainHeading(s.Heading, s.schema)
	s.Body = newBody(s.Heading, s.schema, s.of, words{s.schema.Attributes, true})
	s.Always = s.same()
	a := s.Assessment()
	s.State(a)
	return s
}

// head returns the title of the page: the title in the imprint, the name of the schema, or, if there is neither, the
// noun for the model, as in "A scorecard".
func (s Sheet) head(i Imprint) string {
	switch {
	case i.Title != "":
		return quote.Clean(i.Title)
	case s.Title != "":
		return quote.Clean(s.Title)
	}
	return "A " + s.Thing()
}

// lead returns the first sentence of the page, which states what the model predicts.
func (s Sheet) lead() string {
	outcomes := s.Outcomes
	if outcomes == nil {
		outcomes = []string{s.Positive, s.Negative}
	}
	said := choice(outcomes, "or")
	if strings.Contains(strings.Join(outcomes, ""), " or ") {
		said = strings.Join(outcomes, "; or ")
	}
	return quote.Clean(fmt.Sprintf("This %s predicts %s: %s.", s.Thing(), plainWord(s.Label), said))
}

// people returns a sentence with the estimated number of people from whose data the model was learned. The estimate
// is computed from the noisy counts of the risks. If the model states no risks, people returns "".
func (s Sheet) people() string {
	a := s.Assessment()
	if a == nil || a.Inside.Value.Sign() <= 0 {
		return ""
	}
	return fmt.Sprintf("Learned from the data of about %s people.", plainCount(a.Inside.Value))
}

// plainCount rounds an estimated number to two significant digits.
func plainCount(n *big.Int) string {
	unit := big.NewInt(1)
	for ten := big.NewInt(10); new(big.Int).Quo(n, unit).Cmp(big.NewInt(100)) >= 0; {
		unit.Mul(unit, ten)
	}
	half := new(big.Int).Quo(unit, big.NewInt(2))
	rounded := half.Add(half, n)
	rounded.Quo(rounded, unit).Mul(rounded, unit)
	return plainNumber(table.Decimal(rounded.String()))
}

// event returns a clause that describes the positive outcome, such as "back is yes".
func (s Sheet) event() string {
	if s.schema.Label.AtLeast != "" {
		return s.Positive // includes the name of the label
	}
	return plainWord(s.Label) + " is " + s.Positive
}

// riskTitle returns the heading of the table of risks.
func (s Sheet) riskTitle() string {
	if s.Multiclass != nil {
		return fmt.Sprintf("Risk of each outcome, by %s", s.Multiclass.Kind)
	}
	return fmt.Sprintf("Risk that %s, by %s", s.event(), s.Binary.Kind)
}

// plainNotes returns the sentences below the table of risks.
func (s Sheet) plainNotes() (notes []string) {
	a := s.Assessment()
	note := func(when bool, text string) {
		if when {
			notes = append(notes, text)
		}
	}
	few, order, unknown := false, false, false
	for _, r := range a.Risks {
		few, order = few || r.Pooled == risk.Few, order || r.Pooled == risk.Order
		for _, share := range r.Shares {
			unknown = unknown || Reliable(share) == nil
		}
	}
	note(few, "Neighbouring totals share one risk where too few people had them.")
	note(order, "Neighbouring totals also share one risk where the estimates fell while the total rose.")
	note(unknown, "A risk is not stated where its interval would be wider than 50 percentage points.")
	if a.AUC != nil && a.AUC.Value != nil && Reliable(*a.AUC) != nil {
		what := "the higher " + string(a.Kind)
		if a.Kind == risk.Leaf {
			what = "the leaf of higher risk"
		}
		note(true, fmt.Sprintf("Of two people, one with this outcome and one without, the former has %s with a probability of %s (between %s and %s; equal ones count half).",
			what, percent(a.AUC.Value, 0, 0), percent(&a.AUC.Least, 0, -1), percent(&a.AUC.Most, 0, 1)))
	}
	return append(notes, fmt.Sprintf("The intervals hold together with a probability of %.0f %%. They cover the noise that protects people, and are about the people from whose data the %s was learned. Other people may differ.", 100*risk.Confidence, s.Thing()))
}

// plainRiskHeads returns the headings of the table that plainRisks returns.
func (s Sheet) plainRiskHeads() []string {
	a := s.Assessment()
	heads := []string{string(a.Kind)}
	if s.Multiclass != nil {
		heads = append(heads, s.Outcomes...)
	} else {
		heads = append(heads, "risk")
	}
	return append(heads, "people, about")
}

// plainRisks returns the rows of the table of risks. Each row is for one grade, or for several grades with a common
// risk.
func (s Sheet) plainRisks() (rows [][]string) {
	a := s.Assessment()
	for _, r := range a.Risks {
		row := []string{graded(a, r.Least, r.Most)}
		for _, share := range r.Shares {
			row = append(row, plainShare(share))
		}
		rows = append(rows, append(row, plainNumber(table.Decimal(r.Rows.String()))))
	}
	return rows
}
