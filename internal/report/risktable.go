package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/risk"
)

// Tables of risks by grade. They depend only on released values. The ends of intervals are rounded outward.

// RiskTable returns a table of the risks in the assessment a. The first row contains the headings. If stated is not
// nil, it is the assessment that a model states, and the table also has its risks for comparison. The result align is
// the alignment of the columns for WriteTable. If there are no risks, rows is nil.
func RiskTable(a, stated *risk.Assessment, h Heading) (rows [][]string, align string) {
	switch {
	case a.Outcomes() > 2:
		return outcomeRows(a, stated, h), "llrrrrr"
	case stated != nil:
		return calibrationRows(a, a.Calibration(stated)), RiskAlign
	}
	return riskRows(a), RiskAlign
}

// riskRows returns the table of risks for a label with two classes.
func riskRows(a *risk.Assessment) [][]string {
	rows := [][]string{append([]string{string(a.Kind), "risk"}, ends(a, nil)...)}
	for _, r := range a.Risks {
		rows = append(rows, append([]string{graded(a, r.Least, r.Most), estimate(r.Shares[0])}, ends(a, &r)...))
	}
	return rows
}

// outcomeRows returns the table of risks for a label with more than two classes. If stated is not nil, it is the
// assessment that the model states, and the table also has its risks for comparison.
func outcomeRows(a, stated *risk.Assessment, h Heading) [][]string {
	if len(a.Risks) == 0 {
		return nil
	}
	heads := []string{string(a.Kind), h.Label}
	if stated != nil {
		heads = append(heads, "stated", "found")
	} else {
		heads = append(heads, "risk")
	}
	if !a.Exact() {
		heads = append(heads, "at least", "at most")
	}
	rows := [][]string{append(heads, counted(a.Counted(), a.Exact()))}
	for i, of := range a.Risks {
		for o, s := range of.Shares {
			row := []string{"", h.Outcomes[o]}
			if stated != nil {
				row = append(row, percent(stated.Risks[i].Shares[o].Value, 1, 0))
			}
			row = append(row, estimate(s))
			if !a.Exact() {
				row = append(row, percent(&s.Least, 1, -1), percent(&s.Most, 1, 1))
			}
			if o == 0 {
				row[0] = fmt.Sprint(of.Least)
				row = append(row, of.Rows.String())
			} else {
				row = append(row, "")
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// counted returns the heading for a column of counts, such as "rows". If exact is false, the heading says that the
// counts are estimates.
func counted(what string, exact bool) string {
	if exact {
		return what
	}
	return what + ", about"
}

// mostWide is the maximum width of an interval whose estimate is printed: half of the range from 0 to 1. In a wider
// interval, noise or sampling error dominates, so the estimate would be meaningless.
const mostWide = 0.5

// Reliable returns the estimate of a share, or nil if its interval is so wide (wider than mostWide) that the estimate
// would be meaningless.
func Reliable(s risk.Share) *float64 {
	if s.Most-s.Least > mostWide {
		return nil
	}
	return s.Value
}

// tooFew is printed instead of the estimate of a risk if its interval is too wide.
const tooFew = "too few people to say"

// estimate formats the estimate of a risk, or states that it is unknown.
func estimate(s risk.Share) string {
	v := Reliable(s)
	if v == nil {
		return tooFew
	}
	return percent(v, 1, 0)
}

// within formats the estimate of a share, followed by its interval.
func within(s risk.Share) string {
	return fmt.Sprintf("%s (%s to %s)", percent(Reliable(s), 1, 0), percent(&s.Least, 1, -1), percent(&s.Most, 1, 1))
}

// estimated formats the estimate of a risk and its interval, or states that the risk is unknown.
func estimated(s risk.Share) string {
	if Reliable(s) == nil {
		return "unknown (" + tooFew + ")"
	}
	return within(s)
}

// plainShare formats a risk and its interval for readers of pages, or states that the risk is unknown. It uses whole
// percentages unless the interval is narrow.
func plainShare(s risk.Share) string {
	v := Reliable(s)
	if v == nil {
		return tooFew
	}
	digits := 0
	if s.Most-s.Least < 0.05 {
		digits = 1
	}
	if s.Least == s.Most {
		return percent(v, digits, 0)
	}
	return fmt.Sprintf("%s (between %s and %s)", percent(v, digits, 0), percent(&s.Least, digits, -1), percent(&s.Most, digits, 1))
}

// calibrationRows returns, for a label with two classes, a table that compares the risks that a model states with
// those found on a table.
func calibrationRows(a *risk.Assessment, of []risk.Calibration) [][]string {
	rows := [][]string{append([]string{string(a.Kind), "stated", "found"}, ends(a, nil)...)}
	for i, c := range of {
		name := "all"
		if i < len(of)-1 {
			name = graded(a, c.Least, c.Most)
		}
		rows = append(rows, append([]string{name, percent(c.Stated, 1, 0), estimate(c.Shares[0])}, ends(a, &c.Risk)...))
	}
	return rows
}

// ends returns the last cells in the row of a risk: the bounds of its interval, and the number of rows. If the counts
// are exact, the bounds are left out. If r is nil, ends returns the headings of these cells.
func ends(a *risk.Assessment, r *risk.Risk) []string {
	switch {
	case r == nil && a.Exact():
		return []string{counted(a.Counted(), true)}
	case r == nil:
		return []string{"at least", "at most", counted(a.Counted(), false)}
	case a.Exact():
		return []string{r.Rows.String()}
	}
	return []string{percent(&r.Shares[0].Least, 1, -1), percent(&r.Shares[0].Most, 1, 1), r.Rows.String()}
}

// ThresholdRows returns a table that shows the effect of each possible decision threshold. For a scorecard, a
// threshold is a total, and records with at least this total are predicted as 1. For a tree, a threshold is a leaf,
// and records in this leaf, or in a leaf with a higher risk, are predicted as 1. Thresholds that predict 1 for all
// rows or for none are left out. ThresholdRows returns nil if no thresholds remain. The table is written by
// WriteTable with the alignment RiskAlign.
func ThresholdRows(a *risk.Assessment) [][]string {
	if a.Kind != risk.Total && a.Kind != risk.Leaf || len(a.Thresholds) < 4 {
		return nil
	}
	rows := [][]string{{"from " + string(a.Kind), "sensitivity", "specificity", "errors"}}
	for _, t := range a.Thresholds[1 : len(a.Thresholds)-1] {
		name := graded(a, t.At, t.At)
		if t.Own {
			name += " (own)"
		}
		row := []string{name}
		for _, s := range []risk.Share{t.Sensitivity, t.Specificity, t.Errors} {
			cell := percent(s.Value, 1, 0)
			if !a.Exact() {
				cell = within(s)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return rows
}

// RiskAlign is the alignment, for WriteTable, of the columns in tables of risks and tables of thresholds, if the
// label has two classes.
const RiskAlign = "lrrrrr"

// graded formats a range of grades, such as the totals from 3 to 5.
func graded(a *risk.Assessment, least, most int) string {
	switch a.Kind {
	case risk.Rule:
		if least == a.Risks[len(a.Risks)-1].Most {
			return "otherwise"
		}
		return fmt.Sprint(least + 1)
	case risk.Prediction, risk.Leaf:
		if least == most {
			return fmt.Sprint(least)
		}
		return fmt.Sprintf("%d to %d", least, most)
	}
	return spanned(least, most)
}

// Pooled returns a sentence which explains why several totals have a common risk, or "" if each total has a risk of
// its own.
func Pooled(of []risk.Risk) string {
	few, order := false, false
	for _, r := range of {
		few = few || r.Pooled == risk.Few
		order = order || r.Pooled == risk.Order
	}
	const share = "Several totals share one risk if "
	const fewRows, falling = "they have too few rows for the noise", "the estimates fell with the total"
	switch {
	case few && order:
		return share + fewRows + ", or " + falling + "."
	case few:
		return share + fewRows + "."
	case order:
		return share + falling + "."
	}
	return ""
}

// Area describes the area under the ROC curve (AUC), which states how well the grades of a model rank people. It
// returns "" if the grades have no order.
func Area(a *risk.Assessment) string {
	if a.AUC == nil || a.AUC.Value == nil {
		return ""
	}
	if Reliable(*a.AUC) == nil {
		return "AUC –: the noise is too large for so few " + a.Counted() + "."
	}
	one := strings.TrimSuffix(a.Counted(), "s")
	higher := "has a higher " + string(a.Kind)
	if a.Kind == risk.Leaf {
		higher = "is at a leaf of higher risk"
	}
	return fmt.Sprintf("AUC %s (%s to %s): the probability that a positive %s %s than a negative %s.", Decimal(a.AUC.Value, 0), Decimal(&a.AUC.Least, -1), Decimal(&a.AUC.Most, 1), one, higher, one)
}

// Validity returns sentences which state for whom the intervals of risks hold: only for the rows or persons from
// which the model was learned.
func (s Sheet) Validity() string {
	return fmt.Sprintf("All intervals hold together with a probability of %.0f %%. They are for the %s from which the %s was learned; to assess it for other people, evaluate it on their table.", 100*risk.Confidence, s.Assessment().Counted(), s.Thing())
}

// RiskHead returns the heading of the table of risks.
func (s Sheet) RiskHead() string {
	if s.Multiclass != nil {
		return fmt.Sprintf("The risk of each outcome, by %s:", s.Multiclass.Kind)
	}
	return fmt.Sprintf("The risk of %s, by %s:", s.Positive, s.Binary.Kind)
}

// notes returns the sentences below the table of risks.
func (s Sheet) notes() (notes []string) {
	if s.Multiclass != nil {
		return []string{s.Validity()}
	}
	for _, note := range []string{Pooled(s.Binary.Risks), Area(s.Binary), s.Validity()} {
		if note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}

// riskRows returns the table of risks, and the alignment of its columns. The table is nil if there are no risks.
func (s Sheet) riskRows() (rows [][]string, align string) {
	a := s.Assessment()
	if a == nil {
		return nil, ""
	}
	return RiskTable(a, nil, s.Heading)
}

// writeRisks writes the table of risks and the sentences below it, if there are any risks.
func (s Sheet) writeRisks(b *strings.Builder) {
	rows, align := s.riskRows()
	if rows == nil {
		return
	}
	fmt.Fprintf(b, "\n%s\n\n", quote.Clean(s.RiskHead()))
	writeRows(b, rows, align)
	b.WriteByte('\n')
	for _, note := range s.notes() {
		b.WriteString(note + "\n")
	}
}

// Percent formats a share as a percentage with two decimals. It rounds down if direction is negative, up if direction
// is positive, and to the nearest value if direction is 0. If v is nil, the result is a dash.
func Percent(v *float64, direction int) string { return percent(v, 2, direction) }

// SmallPercent is like Percent, but formats a share below 0.1 % with two significant digits.
func SmallPercent(v float64, direction int) string {
	digits := 2
	if 0 < v && v < .001 {
		digits = -1 - int(math.Floor(math.Log10(v)))
	}
	return percent(&v, digits, direction)
}

func percent(v *float64, digits, direction int) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.*f %%", digits, 100*rounded(*v, digits+2, direction))
}

// Decimal formats a share as a number with three decimals, rounded in the given direction as by Percent. If v is nil,
// the result is a dash.
func Decimal(v *float64, direction int) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f", rounded(*v, 3, direction))
}

// rounded rounds v to the given number of decimals: down if direction is negative, up if it is positive, and to the
// nearest value if it is 0.
func rounded(v float64, digits, direction int) float64 {
	unit := math.Pow10(digits)
	switch v *= unit; {
	case direction < 0:
		return math.Floor(v) / unit
	case direction > 0:
		return math.Ceil(v) / unit
	}
	return math.Round(v) / unit
}
