package web

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/url"
	"strconv"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A planPage compares the expected accuracy of a release for several values of ε, before any data is read.
type planPage struct {
	selection
	Schemas []string
	Kinds   []model.Kind
	Asked   planForm
	Plans   []plannedRow
	Unit    string // the unit of the rows, such as persons
	Release string // the address, below the base, of the form for the planned release
	Synth   []plannedSynthetic

	// The plan for the ε of the slider. One of the two fields is set if the slider was used.
	Model     *plannedRow
	Synthetic *plannedSynthetic
}

// planForm holds the inputs of the page on which a release is planned.
type planForm struct {
	Schema, Rows, Slider, Epsilons, Delta, Class, What, Relation string

	Total string // "" if ε and δ are for the release alone, and not for the profiles of the schema
}

// A plannedRow is the plan of a model for one ε.
type plannedRow struct {
	Epsilon  string
	Gets     string // the ε and δ of the release if Epsilon is for the profiles too
	Class    string
	Why      string // the reason why the class was chosen
	Mean     string // the bound on the mean excess, as a share of the rows
	Most     string // the bound on the excess in 95 of 100 runs, as a share of the rows
	Note     string // the statement of a mechanism that has no such bounds
	Risk     string // the error of the count from which a risk is computed
	Tenth    string // the error of the risk of a grade that has a tenth of the rows
	Evaluate string // the error of an estimated error rate
	Time     string
	Memory   string
	Meaning  string
	Caution  string
	Fault    string
	Example  string  // the address of the example, below the base
	spends   string  // the ε of the release
	Bar      float64 // the length of the bar, as a percentage of the longest one
}

// A plannedSynthetic is the plan of synthetic data for one ε.
type plannedSynthetic struct {
	Epsilon, Gets, Column, Bin, Pair, Error, Time, Memory, Meaning, Fault string
}

// mostEpsilons is the maximum number of values of ε that one plan compares.
const mostEpsilons = 20

// planForm returns the inputs of the page on which a release is planned, as the user submitted them.
func (q *request) planForm() planForm {
	trimmed := func(name string) string { return strings.TrimSpace(q.form.Get(name)) }
	return planForm{
		Schema: q.form.Get("schema"), Rows: trimmed("rows"), Slider: trimmed("slider"), Epsilons: trimmed("epsilon"),
		Delta: trimmed("delta"), Class: trimmed("class"), What: q.form.Get("what"), Relation: q.form.Get("relation"), Total: q.form.Get("total"),
	}
}

// release returns the address of the form for the planned release, relative to the base of the session. The address
// contains the values of the plan and the ε of the slider, with which the form is filled in.
func (a planForm) release() string {
	return "release?" + url.Values{
		"what": {a.What}, "schema": {a.Schema}, "rows": {a.Rows}, "epsilon": {a.Slider}, "delta": {a.Delta}, "class": {a.Class}, "total": {a.Total},
	}.Encode()
}

func showPlan(q *request) error {
	now := q.choice()
	asked := q.planForm()
	requested := asked.Schema != ""
	if asked.Schema == "" {
		asked.Schema = now.Schema
	}
	if asked.Slider == "" && asked.Epsilons == "" {
		asked.Epsilons = "0.3, 1, 3"
	}
	if asked.Delta == "" {
		asked.Delta = "1e-9"
	}
	if asked.What == "" {
		asked.What = "model"
	}
	names, err := q.list(schemaEnding)
	if err != nil {
		return err
	}
	content := planPage{selection: now, Schemas: names, Kinds: model.Kinds(), Asked: asked}
	p := page{Title: "Plan", Step: "plan"}
	if requested {
		if err := q.fillPlan(&content); err != nil {
			p.Error = inWords(err)
		}
	}
	p.Content = content
	return q.render("plan", p)
}

// plannedRequest returns a release request with the schema, the neighbour relation and the number of rows of a plan.
func (q *request) plannedRequest(a planForm) (release.Request, error) {
	s, err := q.domain(a.Schema)
	if err != nil {
		return release.Request{}, err
	}
	rows, err := rowsOf(a.Rows)
	if err != nil || rows == 0 {
		return release.Request{}, errors.Join(err, errNoRows)
	}
	r := release.Request{Schema: s, Relation: privacy.ReplaceOne, Rows: rows}
	if a.Relation == privacy.AddRemove.String() {
		r.Relation = privacy.AddRemove
	}
	return r, nil
}

// plannedEpsilon parses an ε that the user entered.
func plannedEpsilon(text string) (privacy.Decimal, error) {
	epsilon, err := privacy.ParseDecimal(text)
	if err != nil {
		return epsilon, fmt.Errorf("ε %w", err)
	}
	return epsilon, nil
}

func (q *request) fillPlan(c *planPage) error {
	r, err := q.plannedRequest(c.Asked)
	if err != nil {
		return err
	}
	c.Unit, c.Release = r.Schema.Unit(2), c.Asked.release()
	delta := privacy.Decimal{}
	if c.Asked.What == "synthetic" {
		if delta, err = privacy.ParseDecimal(c.Asked.Delta); err != nil {
			return fmt.Errorf("δ %w", err)
		}
	}
	plan := func(text string) (*plannedRow, *plannedSynthetic, error) {
		of := r
		if of.Epsilon, err = plannedEpsilon(text); err != nil {
			return nil, nil, err
		}
		if c.Asked.What == "synthetic" {
			row := planSynthetic(release.Synthetic{Schema: of.Schema, Epsilon: of.Epsilon, Delta: delta, Total: c.Asked.Total != "", Relation: of.Relation, Rows: of.Rows})
			return nil, &row, nil
		}
		if c.Asked.Total != "" {
			withProfiles(&of)
		}
		row := planModel(of, c.Asked.Class)
		if row.Fault == "" {
			row.Example = c.Asked.example(row.spends)
		}
		return &row, nil, nil
	}
	if c.Asked.Slider != "" {
		if c.Model, c.Synthetic, err = plan(c.Asked.Slider); err != nil {
			return err
		}
	}
	epsilons := strings.FieldsFunc(c.Asked.Epsilons, func(r rune) bool { return r == ',' || r == ' ' || r == ';' })
	if len(epsilons) > mostEpsilons || len(epsilons) == 0 && c.Asked.Slider == "" {
		return fmt.Errorf("write 1 to %d values of ε, such as 0.3, 1, 3", mostEpsilons)
	}
	for _, text := range epsilons {
		model, data, err := plan(text)
		switch {
		case err != nil:
			return err
		case model != nil:
			c.Plans = append(c.Plans, *model)
		default:
			c.Synth = append(c.Synth, *data)
		}
	}
	widest := 0.0
	for _, p := range c.Plans {
		widest = max(widest, p.Bar)
	}
	for i := range c.Plans {
		if widest > 0 {
			c.Plans[i].Bar *= 100 / widest
		}
	}
	return nil
}

var errNoRows = errors.New("write the approximate number of rows of the table (of persons, if a person may have several rows); this number is public")

// rowsOf parses a number of rows that the user entered. It returns 0 for an empty text.
func rowsOf(text string) (int64, error) {
	if text = strings.NewReplacer(",", "", " ", "", "’", "", "'", "").Replace(text); text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, errors.New("the number of rows must be a whole number above 0")
	}
	return n, nil
}

// planModel plans the release of a model for one ε, and returns the corresponding row of the page's table. If the
// plan fails, the row contains the error (Fault), because plans for other values of ε may succeed.
func planModel(r release.Request, class string) (row plannedRow) {
	row.Epsilon, row.Meaning = r.Epsilon.String(), report.Meaning(r.Epsilon, r.Delta, r.Relation)
	if err := fillModel(&row, r, class); err != nil {
		row.Fault = inWords(err)
	}
	return row
}

func fillModel(row *plannedRow, r release.Request, class string) error {
	choice, err := nameClass(&r, class)
	if err != nil {
		return err
	}
	p, err := r.Plan(nil, false)
	if err != nil {
		return err
	}
	row.Class, row.Caution = class, p.Caution()
	bound := p.Usual()
	if taken := choice.Taken(); taken != nil {
		row.Class, row.Why = taken.Class, taken.Why
		if taken.Bound != nil {
			bound = *taken.Bound
		}
	}
	row.Note = bound.Said
	if e := bound.Excess; e != nil {
		row.Mean, row.Most, row.Bar = share(e.MeanFraction), share(e.MostFraction), e.MostFraction
	}
	if p.RiskWithin != nil {
		// The risk is estimated from noisy counts. For a grade with n rows, its error is at most the error of a count
		// divided by n.
		row.Risk, row.Tenth = "± "+p.RiskWithin.String(), "± "+share(10*ofRows(p.RiskWithin, r.Rows))
	}
	row.Evaluate = "± " + share(ofRows(p.ErrorsWithin, r.Rows))
	prepared, err := r.Prepare()
	if err != nil {
		return err
	}
	row.spends = prepared.Guarantee.Epsilon.String()
	if r.Total {
		row.Gets = gets(prepared.Guarantee)
	}
	if e := prepared.Effort; e != nil {
		row.Time, row.Memory = e.Time(), mechanism.Size(e.Bytes)
	}
	return nil
}

// gets formats the ε and δ of a release. A plan shows them if the user entered a total budget, because the release
// then gets only the part that the profiles of the schema leave.
func gets(g *privacy.Statement) string { return fmt.Sprintf("ε = %s, δ = %s", g.Epsilon, g.Delta) }

// ofRows returns n divided by the number of rows.
func ofRows(n *big.Int, rows int64) float64 {
	share, _ := new(big.Rat).SetFrac(n, big.NewInt(rows)).Float64()
	return share
}

// share formats a fraction as a percentage, rounded up.
func share(x float64) string {
	switch {
	case x >= 1:
		return "no bound"
	case x >= 0.1:
		return fmt.Sprintf("%.0f %%", math.Ceil(100*x))
	}
	return fmt.Sprintf("%.2g %%", math.Ceil(1000*x)/10)
}

// nameClass sets the class of a request to the given one. If this is empty, it chooses the class by public facts and
// returns the candidates that it considered.
func nameClass(r *release.Request, class string) (release.Choice, error) {
	if class == "" {
		return r.Choose()
	}
	return nil, r.Name(class)
}

func planSynthetic(r release.Synthetic) (row plannedSynthetic) {
	row.Epsilon, row.Meaning = r.Epsilon.String(), report.Meaning(r.Epsilon, r.Delta, r.Relation)
	p, err := r.Prepare()
	if err != nil {
		row.Fault = inWords(err)
		return row
	}
	if r.Total {
		row.Gets = gets(p.Guarantee)
	}
	work := p.Plan.Work(r.Rows)
	row.Column = fmt.Sprintf("± %.3g", p.Plan.ColumnDeviation())
	if p.Plan.Domain.Bins != nil {
		row.Bin = fmt.Sprintf("± %.3g", p.Plan.BinDeviation())
	}
	if len(p.Plan.Pairs) > 0 {
		worst := 0.0
		for i := range p.Plan.Pairs {
			worst = max(worst, p.Plan.Deviation(i))
		}
		row.Pair, row.Error = fmt.Sprintf("± %.3g", worst), fmt.Sprintf("%.2g", p.Plan.PairError(r.Rows))
	}
	row.Time, row.Memory = mechanism.Seconds(work.Seconds), mechanism.Size(work.Bytes)
	return row
}
