package report_test

import (
	"encoding/xml"
	"io"
	"math/big"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/report"
	"github.com/sibyl-dp/sibyl/risk"
)

// risksOf returns the risks of noisy counts for the rows, one total from the first on for
// each pair.
func risksOf(t *testing.T, first int, cells ...int64) []risk.Risk {
	t.Helper()
	var points []int
	for i := range len(cells) / 2 {
		points = append(points, first+i)
	}
	var noisy []*big.Int
	for _, n := range append(cells, 0) {
		noisy = append(noisy, big.NewInt(n))
	}
	epsilon, err := privacy.ParseDecimal("0.2")
	if err != nil {
		t.Fatal(err)
	}
	c, err := risk.Noisy(risk.Totals(0, [][]int{points}, 1), noisy, epsilon, privacy.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	return c.Assess(risk.Rows, nil).Risks
}

func TestRiskChart(t *testing.T) {
	risks := risksOf(t, -3, -4, 60, 3, 190, 40, 1500, 310, 2100, 290, 1900, 900, 1100, 700, 210, 60, -8)
	golden(t, "risk-chart.svg", string(report.RiskChart(risks, 1, `"yes" <b>`+"\x1b")))
	var b strings.Builder
	if err := report.WriteTable(&b, report.RiskRows(risks, 1), report.RiskAlign); err != nil {
		t.Fatal(err)
	}
	golden(t, "risk-table.txt", b.String()+report.Pooled(risks)+"\n")
}

// Any risks make a well-formed picture that stays within its frame.
func TestRiskChartOfAnything(t *testing.T) {
	many := make([]int64, 2*risk.MostGrades)
	for i := range many {
		many[i] = int64(1000 + 100*i*(1-i%2))
	}
	for name, risks := range map[string][]risk.Risk{
		"none": nil, "no rows": risksOf(t, 0, -5, 2), "many": risksOf(t, -30, many...), "one": risksOf(t, 0, 500, 500),
	} {
		chart := string(report.RiskChart(risks, 0, "yes"))
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
		for _, r := range risks {
			if r.Risk.Value != nil {
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
		"":              {{}, {}},
		"too few rows":  {{Pooled: risk.Few}, {}},
		"a higher one":  {{Pooled: risk.Order}},
		", or a higher": {{Pooled: risk.Few}, {Pooled: risk.Order}},
	} {
		if got := report.Pooled(risks); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
