package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/compare"
	"github.com/sibyl-dp/sibyl/internal/quote"
)

// A Comparison is a report on the differences between a private table and a synthetic one. It is for the curator
// only: no part of it is differentially private.
type Comparison struct {
	Title      string           `json:"title"`     // the schema's name, or empty
	Class      string           `json:"class"`     // the class of the query
	MaxError   float64          `json:"max_error"` // the difference between the tables in the share of rows that satisfy the query
	Certified  bool             `json:"certified"` // whether it is proved that no other query of the class has a larger error
	Order      int              `json:"order"`     // the maximum number of columns in the queries that the proof covers
	Query      Query            `json:"query"`
	Satisfied  Sides            `json:"satisfied"` // the numbers of rows that satisfy the query
	Rows       Sides            `json:"rows"`      // the numbers of rows inside the domain
	Outside    Sides            `json:"outside"`   // the numbers of rows outside the domain, which are left out
	Errors     []MarginalErrors `json:"errors"`
	Prediction *Prediction      `json:"prediction,omitempty"`
	Numbers    *ComparedNumbers `json:"numbers,omitempty"`

	shares [2]float64 // the shares of rows that satisfy the query
	pair   *compare.Pair
	pairs  []compare.Marginal // the marginals of two columns
}

// Sides holds a number of rows for each of the two tables. If the schema has a [person] section, Real is a number
// of persons.
type Sides struct {
	Real      int64 `json:"real"`
	Synthetic int64 `json:"synthetic"`
}

// MarginalErrors summarizes the distances between the two tables on several marginals, each of which has Order
// columns.
type MarginalErrors struct {
	Order     int               `json:"order"`
	Marginals int               `json:"marginals"` // the number of compared marginals
	Of        int64             `json:"of"`
	MeanL1    float64           `json:"mean_l1"`
	MaxL1     float64           `json:"max_l1"`
	MaxCell   float64           `json:"max_cell"`
	Worst     []QueryConditions `json:"max_cell_conditions"`
}

// A Prediction states how well two logistic regressions, trained on the real and on the synthetic table, predict a
// column of the real table.
type Prediction struct {
	Column    string `json:"column"`
	Synthetic Test   `json:"trained_on_synthetic"`
	Real      Test   `json:"trained_on_real"`
}

// A Test states how well a logistic regression predicts the rows of the real table.
type Test struct {
	AUC      float64 `json:"auc"`
	Accuracy float64 `json:"accuracy"`
}

// NewComparison returns the report on the comparison of two tables. The parameter class is the name of a class of
// queries, and w is the query on which the tables differ most, among the queries of this class that the search
// evaluated. The parameter errors holds the distances between the marginals, by number of columns.
func NewComparison(title string, p *compare.Pair, class string, w compare.Worst, errors []compare.OrderErrors) *Comparison {
	c := &Comparison{
		Title: title, Class: class, MaxError: w.Error, Certified: w.Certified, Order: w.Order,
		Query: NewQuery(p.Columns(), w.Query), Errors: []MarginalErrors{}, pair: p,
	}
	rows, shares := p.Satisfied(w)
	c.Satisfied, c.shares = Sides{rows[0], rows[1]}, shares
	c.Rows.Real, c.Rows.Synthetic = p.Rows()
	c.Outside.Real, c.Outside.Synthetic = p.Nulls()
	for _, e := range errors {
		of := MarginalErrors{Order: e.Order, Marginals: len(e.Marginals), Of: e.Of, MeanL1: e.MeanL1, MaxCell: e.Worst.Cell, Worst: NewQuery(p.Columns(), e.Worst.Worst.Rule()).Conditions}
		for _, m := range e.Marginals {
			of.MaxL1 = max(of.MaxL1, m.L1)
		}
		c.Errors = append(c.Errors, of)
		if e.Order == 2 {
			c.pairs = e.Marginals
		}
	}
	return c
}

// Predict adds the results of predicting a column to the report.
func (c *Comparison) Predict(l compare.Learned) {
	c.Prediction = &Prediction{c.pair.Columns()[l.Column].Name, Test(l.Synthetic), Test(l.Real)}
}

// Certificate returns a sentence which states the queries that were proved to have no greater difference than the
// one in the report.
func (c *Comparison) Certificate() string {
	of, columns := "column", "one"
	if c.Query.Holds == "odd" {
		of = "condition"
	}
	if c.Order > 1 {
		of, columns = of+"s", fmt.Sprintf("at most %d", c.Order)
	}
	switch {
	case c.Certified:
		return fmt.Sprintf("Certified: a checker proved that no %s of %s %s has a greater error.", c.Class, columns, of)
	case c.Order == 0:
		return "Not certified: the search ended at its limit on steps, so others may have a greater error."
	}
	return fmt.Sprintf("Not certified: the search ended at its limit on steps. A checker proved that no %s of %s %s has a greater error; those of more may.", c.Class, columns, of)
}

// Shares returns a sentence which states the share of rows of each table that satisfy the query.
func (c *Comparison) Shares() string {
	of := "real rows and %s of the synthetic ones."
	if c.pair.Persons() {
		of = "real persons and %s of the synthetic rows."
	}
	return fmt.Sprintf("These are %s of the "+of, percent(&c.shares[0], 3, 0), percent(&c.shares[1], 3, 0))
}

// Compared returns a sentence which states how many rows of each table are compared, and how many are left out.
func (c *Comparison) Compared() string {
	compared, outside := "%d real rows and %d synthetic ones are compared", "%d real and %d synthetic rows"
	if c.pair.Persons() {
		compared, outside = "%d real persons and %d synthetic rows, each of which is a person, are compared", "%d real persons and %d synthetic rows"
	}
	text := fmt.Sprintf(compared, c.Rows.Real, c.Rows.Synthetic)
	if o := c.Outside; o.Real+o.Synthetic > 0 {
		text += fmt.Sprintf("; "+outside+" outside the schema's domain are left out", o.Real, o.Synthetic)
	}
	return text + "."
}

// Table returns a table of the distances between marginals, one row for each number of columns. The first row
// contains the headings.
func (c *Comparison) Table() [][]string {
	rows := [][]string{{"columns", "marginals", "mean L1", "greatest L1", "greatest cell", "where"}}
	for _, e := range c.Errors {
		marginals := fmt.Sprintf("all %d", e.Marginals)
		if int64(e.Marginals) < e.Of {
			marginals = fmt.Sprintf("%d of %d", e.Marginals, e.Of)
		}
		var cell []string
		for _, condition := range e.Worst {
			cell = append(cell, condition.text)
		}
		rows = append(rows, []string{fmt.Sprint(e.Order), marginals, fraction(e.MeanL1), fraction(e.MaxL1), fraction(e.MaxCell), strings.Join(cell, "; ")})
	}
	return rows
}

// fraction formats a share or a distance with four decimals.
func fraction(v float64) string { return fmt.Sprintf("%.4f", v) }

// Predicted returns a table with the results of predicting a column. The first row contains the headings.
// Predicted returns nil if there are no results.
func (c *Comparison) Predicted() [][]string {
	if c.Prediction == nil {
		return nil
	}
	rows := [][]string{{"trained on", "AUC", "accuracy"}}
	for i, t := range []Test{c.Prediction.Synthetic, c.Prediction.Real} {
		rows = append(rows, []string{[]string{"the synthetic rows", "the real rows"}[i], fraction(t.AUC), fraction(t.Accuracy)})
	}
	return rows
}

// Write writes the report as plain text.
func (c *Comparison) Write(w io.Writer) error {
	var b strings.Builder
	if c.Title != "" {
		b.WriteString(quote.Clean(c.Title) + "\n\n")
	}
	fmt.Fprintf(&b, "%s\n\nThe worst %s has an error of %s. It holds ", c.Compared(), c.Class, fraction(c.MaxError))
	c.Query.Sentence().write(&b, "")
	fmt.Fprintf(&b, "%s\n%s\n\nErrors of marginals:\n\n", c.Shares(), c.Certificate())
	writeRows(&b, c.Table(), "lrrrrl")
	if rows := c.Predicted(); rows != nil {
		fmt.Fprintf(&b, "\nA logistic regression that predicts %s, tested on the real rows:\n\n", quote.Clean(c.Prediction.Column))
		writeRows(&b, rows, "lrr")
	}
	if rows := c.NumberTable(); rows != nil {
		b.WriteString("\nNumbers of the real and the synthetic rows:\n\n")
		writeRows(&b, rows, "lrrrrrr")
	}
	for _, note := range c.NumberNotes() {
		b.WriteString("\n")
		wrap(&b, note)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
