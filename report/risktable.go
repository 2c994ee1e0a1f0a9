package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/risk"
)

// Risks are laid out by grade, as tables. All of it is a function of what was released.
// Ends of intervals are rounded outward.

// RiskRows returns the rows of a table of the risks, its heads first, for WriteTable with
// RiskAlign.
func RiskRows(a *risk.Assessment) [][]string {
	rows := [][]string{{string(a.Kind), "risk", "at least", "at most", "rows, about"}}
	for _, r := range a.Risks {
		rows = append(rows, []string{graded(a, r.Least, r.Most), percent(r.Risk.Value, 1, 0), percent(&r.Risk.Least, 1, -1), percent(&r.Risk.Most, 1, 1), r.Rows.String()})
	}
	return rows
}

// CalibrationRows returns the rows of a table of risks that were stated and those found,
// for WriteTable with RiskAlign.
func CalibrationRows(a *risk.Assessment, of []risk.Calibration) [][]string {
	rows := [][]string{{string(a.Kind), "stated", "found", "at least", "at most", "rows, about"}}
	for i, c := range of {
		name := "all"
		if i < len(of)-1 {
			name = graded(a, c.Least, c.Most)
		}
		rows = append(rows, []string{name, percent(c.Stated, 1, 0), percent(c.Risk.Risk.Value, 1, 0), percent(&c.Risk.Risk.Least, 1, -1), percent(&c.Risk.Risk.Most, 1, 1), c.Rows.String()})
	}
	return rows
}

// ThresholdRows returns the rows of a table of what predicting 1 from each total on does,
// but for all and for none, for WriteTable with RiskAlign; nil where there is no choice.
func ThresholdRows(a *risk.Assessment) [][]string {
	if a.Kind != risk.Total || len(a.Thresholds) < 4 {
		return nil
	}
	rows := [][]string{{"from total", "sensitivity", "specificity", "errors"}}
	for _, t := range a.Thresholds[1 : len(a.Thresholds)-1] {
		name := signed(t.At)
		if t.Own {
			name += " (own)"
		}
		rows = append(rows, []string{name, Interval(t.Sensitivity), Interval(t.Specificity), Interval(t.Errors)})
	}
	return rows
}

// RiskAlign is how the columns of these tables are aligned.
const RiskAlign = "lrrrrr"

// graded names the grades from a least to a greatest one.
func graded(a *risk.Assessment, least, most int) string {
	switch a.Kind {
	case risk.Rule:
		if least == a.Risks[len(a.Risks)-1].Most {
			return "otherwise"
		}
		return fmt.Sprint(least + 1)
	case risk.Prediction:
		if least == most {
			return fmt.Sprint(least)
		}
		return fmt.Sprintf("%d to %d", least, most)
	}
	return spanned(least, most)
}

// Pooled says why totals share a risk, or nothing where none do.
func Pooled(of []risk.Risk) string {
	few, order := false, false
	for _, r := range of {
		few = few || r.Pooled == risk.Few
		order = order || r.Pooled == risk.Order
	}
	const share = "Totals share a risk where "
	const fewRows, falling = "there are too few rows to tell theirs apart from noise", "a higher one seemed to have a lower risk"
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

// Area says how well grades rank, or nothing where they have no order.
func Area(a *risk.Assessment) string {
	if a.AUC == nil || a.AUC.Value == nil {
		return ""
	}
	return fmt.Sprintf("AUC %.3f (%s): of two rows, one of either label, the positive one has the higher %s so often.", *a.AUC.Value, Thousandths(*a.AUC), a.Kind)
}

// Thousandths writes the interval of a share.
func Thousandths(s risk.Share) string {
	return fmt.Sprintf("%.3f to %.3f", math.Floor(1000*s.Least)/1000, math.Ceil(1000*s.Most)/1000)
}

// Validity says what the intervals of risks hold for, of a thing that was learned from the
// rows that were counted.
func (s Sheet) Validity() string {
	return fmt.Sprintf("All intervals hold at once with a probability of %.0f %%. They are for the rows that the %s was learned from; for other people, evaluate it on a table of theirs.", 100*risk.Confidence, s.Thing())
}

// RiskHead says what the risks are of.
func (s Sheet) RiskHead() string {
	return fmt.Sprintf("The risk of %s, by %s:", s.Positive, s.Assessment.Kind)
}

// notes are what is said below the risks.
func (s Sheet) notes() (notes []string) {
	for _, note := range []string{Pooled(s.Assessment.Risks), Area(s.Assessment), s.Validity()} {
		if note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}

// writeRisks writes the risks, where there are some.
func (s Sheet) writeRisks(b *strings.Builder) {
	if s.Assessment == nil {
		return
	}
	fmt.Fprintf(b, "\n%s\n\n", quote.Clean(s.RiskHead()))
	writeRows(b, RiskRows(s.Assessment), RiskAlign)
	b.WriteByte('\n')
	for _, note := range s.notes() {
		b.WriteString(note + "\n")
	}
}

// Interval writes a share with its interval in tenths of a per cent.
func Interval(s risk.Share) string {
	return fmt.Sprintf("%s (%s to %s)", percent(s.Value, 1, 0), percent(&s.Least, 1, -1), percent(&s.Most, 1, 1))
}

// Percent writes a share in hundredths of a per cent, rounded down for a negative
// direction, up for a positive one, else to the nearest; a dash where there is none.
func Percent(v *float64, direction int) string { return percent(v, 2, direction) }

func percent(v *float64, digits, direction int) string {
	if v == nil {
		return "–"
	}
	unit := math.Pow10(digits + 2)
	n := math.Round(unit * *v)
	switch {
	case direction < 0:
		n = math.Floor(unit * *v)
	case direction > 0:
		n = math.Ceil(unit * *v)
	}
	return fmt.Sprintf("%.*f %%", digits, n/unit*100)
}
