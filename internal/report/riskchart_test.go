package report_test

import (
	"encoding/xml"
	"io"
	"math/big"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/privacy"
)

// risksOf returns the assessment that follows from noisy counts. cells has two counts for each total,
// from the total first on.
func risksOf(t *testing.T, first int, cells ...int64) *risk.Assessment {
	t.Helper()
	var points []int
	for i := range len(cells) / 2 {
		points = append(points, first+i)
	}
	var noisy []*big.Int
	for _, n := range append(cells, 0) {
		noisy = append(noisy, big.NewInt(n))
	}
	epsilon := privacytest.Decimal(t, "0.2")
	c, err := risk.Noisy(risk.Totals(0, [][]int{points}, 1), noisy, epsilon, privacy.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	return c.Assess(risk.Rows, nil)
}

func TestRiskChart(t *testing.T) {
	risks := risksOf(t, -3, -4, 60, 3, 190, 40, 1500, 310, 2100, 290, 1900, 900, 1100, 700, 210, 60, -8)
	golden(t, "risk-chart.svg", string(report.RiskChart(risks, `"yes" <b>`+"\x1b")))
	var b strings.Builder
	rows, align := report.RiskTable(risks, nil, report.Heading{})
	if err := report.WriteTable(&b, rows, align); err != nil {
		t.Fatal(err)
	}
	golden(t, "risk-table.txt", b.String()+report.Pooled(risks.Risks)+"\n")
}

// The chart of any risks is well-formed and stays within its frame.
func TestRiskChartOfAnything(t *testing.T) {
	many := make([]int64, 2*risk.MostGrades)
	for i := range many {
		many[i] = int64(1000 + 100*i*(1-i%2))
	}
	for name, risks := range map[string]*risk.Assessment{
		"none": {}, "no rows": risksOf(t, 0, -5, 2), "many": risksOf(t, -30, many...), "one": risksOf(t, 0, 500, 500),
	} {
		chart := string(report.RiskChart(risks, "yes"))
		if strings.Contains(chart, "NaN") || strings.Contains(chart, "Inf") {
			t.Errorf("%s: %s", name, chart)
		}
		d := xml.NewDecoder(strings.NewReader(chart))
		columns := 0
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rect" {
				columns++
			}
		}
		known := 0
		for _, r := range risks.Risks {
			if report.Reliable(r.Shares[0]) != nil {
				known++
			}
		}
		if columns != known {
			t.Errorf("%s: %d columns for %d risks", name, columns, known)
		}
	}
}

func TestPooled(t *testing.T) {
	for want, risks := range map[string][]risk.Risk{
		"":                        {{}, {}},
		"too few rows":            {{Pooled: risk.Few}, {}},
		"estimates fell":          {{Pooled: risk.Order}},
		", or the estimates fell": {{Pooled: risk.Few}, {Pooled: risk.Order}},
	} {
		if got := report.Pooled(risks); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A sheet prints risks below the card, in its text and on its page.
func TestSheetWithRisks(t *testing.T) {
	schema := weather(t)
	schema.Attributes = schema.Attributes[:4]
	form := model.Scorecard{Points: model.Points{Least: -3, Most: 6}, Threshold: 1}
	space, err := form.Over(schema)
	if err != nil {
		t.Fatal(err)
	}
	card := scorecard.Card{Points: [][]int{{-1, 0, 1, 0}, {0, 0, 0}, {0, 0}, {2}}}
	scale := model.Grades(space, card).Scale
	var noisy []*big.Int
	for _, n := range []int64{12, 1890, 881, 902, 410, 95, -4} {
		noisy = append(noisy, big.NewInt(n))
	}
	epsilon := privacytest.Decimal(t, "0.2")
	counts, err := risk.Noisy(scale, noisy, epsilon, privacy.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	m := &model.Model{Schema: schema, Form: form, Hypothesis: card, Risks: counts}
	goldenSheet(t, "risks", m.Sheet())
	rules, err := risk.Rules([]bool{true, false})
	if err != nil {
		t.Fatal(err)
	}
	if counts, err = risk.Noisy(rules, noisy[2:], epsilon, privacy.ReplaceOne); err != nil {
		t.Fatal(err)
	}
	rows, _ := report.RiskTable(counts.Assess(risk.Rows, nil), nil, report.Heading{})
	if rows[0][0] != "rule" || rows[1][0] != "1" || rows[2][0] != "otherwise" {
		t.Errorf("%v", rows)
	}
}

// Ends of intervals are rounded outward, values to the nearest.
func TestRounded(t *testing.T) {
	for v, want := range map[float64][6]string{
		2. / 3:     {"66.66 %", "66.67 %", "66.67 %", "0.666", "0.667", "0.667"},
		1. / 3:     {"33.33 %", "33.33 %", "33.34 %", "0.333", "0.333", "0.334"},
		1:          {"100.00 %", "100.00 %", "100.00 %", "1.000", "1.000", "1.000"},
		0:          {"0.00 %", "0.00 %", "0.00 %", "0.000", "0.000", "0.000"},
		0.99999:    {"99.99 %", "100.00 %", "100.00 %", "0.999", "1.000", "1.000"},
		1. / 8:     {"12.50 %", "12.50 %", "12.50 %", "0.125", "0.125", "0.125"},
		0.00000001: {"0.00 %", "0.00 %", "0.01 %", "0.000", "0.000", "0.001"},
	} {
		got := [6]string{report.Percent(&v, -1), report.Percent(&v, 0), report.Percent(&v, 1), report.Decimal(&v, -1), report.Decimal(&v, 0), report.Decimal(&v, 1)}
		if got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
	if report.Percent(nil, 1) != "–" || report.Decimal(nil, 1) != "–" {
		t.Error("no share is no dash")
	}
	for v, want := range map[float64][3]string{
		0:        {"0.00 %", "0.00 %", "0.00 %"},
		.3456789: {"34.56 %", "34.57 %", "34.57 %"},
		.001:     {"0.10 %", "0.10 %", "0.10 %"},
		.0009876: {"0.098 %", "0.099 %", "0.099 %"},
		.0000408: {"0.0040 %", "0.0041 %", "0.0041 %"},
	} {
		if got := [3]string{report.SmallPercent(v, -1), report.SmallPercent(v, 0), report.SmallPercent(v, 1)}; got != want {
			t.Errorf("small percentage %v: %q, want %q", v, got, want)
		}
	}
}
