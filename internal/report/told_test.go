package report_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// nothing matches an estimate beside an interval that contains all possible values.
var nothing = regexp.MustCompile(`[0-9] (% )?\(0\.0+( %)? to (100\.0+ %|1\.0+)\)`)

// An estimate whose interval contains all possible shares is replaced by a dash.
func TestTold(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	dashes, numbers := 0, 0
	for i := 0; i < 200; i += heavy.Pick(6, 1) {
		cells := make([]int64, 8)
		for j := range cells {
			cells[j] = int64(float64(i*i) / 20 * (random.NormFloat64() + 1))
		}
		a := risksOf(t, 0, cells...)
		texts := []string{report.Area(a)}
		for _, row := range report.ThresholdRows(a)[1:] {
			texts = append(texts, row[1:]...)
		}
		for _, text := range texts {
			switch {
			case nothing.MatchString(text):
				t.Errorf("%d, %v: %s", i, cells, text)
			case strings.Contains(text, "–"):
				dashes++
			default:
				numbers++
			}
		}
	}
	if dashes == 0 || numbers == 0 {
		t.Errorf("%d dashes, %d numbers", dashes, numbers)
	}
}
