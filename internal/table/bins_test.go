package table_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/internal/noisetest"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

const binnedSchema = `
[label]
column = "y"
positive = ["1"]
negative = ["0"]
[[attribute]]
column = "wage"
cuts = [0.5, 1000, 1001, 47000]
draw = "integer"
least = -400000
most = 2000000
other = "?"
[[attribute]]
column = "hours"
cuts = [20, 40]
draw = "integer"
least = 1
most = 99
[[attribute]]
column = "weight"
cuts = [50, 70.5]
draw = "uniform"
places = 1
least = 0
most = 400
[[attribute]]
column = "day"
format = "iso"
cuts = ["1990-01-01", "1990-01-05"]
draw = "day"
least = "1900-01-01"
most = "2020-12-31"
[[attribute]]
column = "single"
cuts = [1, 2]
draw = "integer"
least = 0
most = 2
[[attribute]]
column = "unlimited"
cuts = [20, 40]
[[rule]]
at_most = ["single", "hours"]
`

// The bins of an interval contain its numbers and no others, in increasing order. A value has a bin of the category that it
// has in the original schema. Attributes without numbers to divide are not changed.
func TestBinned(t *testing.T) {
	s := tabletest.Schema(t, binnedSchema)
	binned, values := s.Binned()
	if len(binned.Rules) > 0 || len(s.Rules) != 1 {
		t.Errorf("rules: %v", binned.Rules)
	}
	r := rand.New(rand.NewPCG(1, 3))
	for j := range s.Attributes {
		a, fine := &s.Attributes[j], &binned.Attributes[j]
		if j >= 4 {
			if values[j] != nil || !slices.Equal(a.Cuts, fine.Cuts) {
				t.Errorf("%s has bins of the categories %v", a.Name, values[j])
			}
			continue
		}
		if len(values[j]) != fine.Len() || !slices.IsSorted(values[j]) || int(slices.Max(values[j])) != a.Len()-1 || fine.Len() > 512 {
			t.Fatalf("%s: bins of the categories %v for %d categories", a.Name, values[j], fine.Len())
		}
		_, ranges, places := a.Written()
		_, bins, _ := fine.Written()
		for b, of := range bins {
			if v := values[j][b]; of[0] < ranges[v][0] || of[1] > ranges[v][1] || of[0] > of[1] || b > 0 && of[0] != bins[b-1][1]+1 {
				t.Errorf("%s: bin %v of the category %v", a.Name, of, ranges[v])
			}
		}
		if first, last := bins[0][0], bins[len(bins)-1][1]; first != ranges[0][0] || last != ranges[len(ranges)-1][1] {
			t.Errorf("%s: the bins begin with %d and end with %d", a.Name, first, last)
		}
		for range 500 {
			of := bins[r.IntN(len(bins))]
			x := of[0] + r.Int64N(of[1]-of[0]+1)
			text := strconv.FormatInt(x, 10)
			switch {
			case places == 1:
				text = strconv.FormatFloat(float64(x)/10, 'f', 1, 64)
			case a.IsDate():
				text = time.Unix(x*24*60*60, 0).UTC().Format(time.DateOnly)
			}
			v, ok := a.Code(text)
			b, fits := fine.Code(text)
			if !ok || !fits || int(values[j][b]) != v {
				t.Fatalf("%s: %s has bin %d of category %d, not of category %d", a.Name, text, b, values[j][b], v)
			}
		}
		if a.Other != "" {
			if b, _ := fine.Code("?"); int(values[j][b]) != a.Len()-1 {
				t.Errorf("%s: missing values are in bin %d", a.Name, b)
			}
		}
	}
}

// The limits, the first number of an interval and the round numbers of it are bins of their own, and so is each number of
// an interval of few numbers.
func TestSingleNumbers(t *testing.T) {
	binned, _ := tabletest.Schema(t, binnedSchema).Binned()
	single := func(j int) (numbers []int64) {
		_, bins, _ := binned.Attributes[j].Written()
		for _, of := range bins {
			if of[0] == of[1] {
				numbers = append(numbers, of[0])
			}
		}
		return numbers
	}
	wages := single(0)
	for _, x := range []int64{-400000, -100000, 0, 1, 10, 100, 500, 1000, 1001, 10000, 47000, 100000, 1000000, 2000000} {
		if !slices.Contains(wages, x) {
			t.Errorf("%d is no bin of its own: %v", x, wages)
		}
	}
	hours := single(1)
	for _, x := range []int64{1, 17, 40, 45, 95, 99} {
		if !slices.Contains(hours, x) {
			t.Errorf("%d is no bin of its own: %v", x, hours)
		}
	}
	if slices.Contains(wages, 1234) || slices.Contains(hours, 47) {
		t.Errorf("numbers that are not round are bins: %v, %v", wages, hours)
	}
	days := single(3)
	for _, date := range []string{"1900-01-01", "1989-01-01", "1990-01-01", "1990-01-02", "1991-01-01", "1992-01-01", "2020-12-31"} {
		if day, _ := binned.Attributes[3].ParseNumber(date); !slices.Contains(days, day.Rat().Num().Int64()) {
			t.Errorf("%s is no bin of its own", date)
		}
	}
}

// Model files contain counts of bins, so the bins of a schema must never change. An attribute of more than 114 intervals has
// none.
func TestBinsAreFixed(t *testing.T) {
	text := binnedSchema
	for _, intervals := range []int{2, 114, 115} {
		text += fmt.Sprintf("[[attribute]]\ncolumn = \"of %d\"\ndraw = \"integer\"\nleast = -100000\nmost = 100000\ncuts = [1", intervals)
		for i := 1; i < intervals-1; i++ {
			text += fmt.Sprint(", ", 100*i)
		}
		text += "]\n"
	}
	for _, a := range [][2]string{{"exact", "[32, 480]"}, {"one more", "[33, 482]"}} { // of the maximum numbers of bins
		text += fmt.Sprintf("[[attribute]]\ncolumn = %q\ndraw = \"integer\"\nleast = 0\nmost = 100000000000000000\ncuts = %s\n", a[0], a[1])
	}
	for _, a := range [][2]string{{"years", "[2020-01-01, 2021-06-15, 2022-01-02]"}, {"months", "[2023-03-01, 2023-12-31]"}} {
		text += fmt.Sprintf("[[attribute]]\ncolumn = %q\nformat = \"iso\"\ndraw = \"day\"\nleast = 2019-02-01\nmost = 2025-01-01\ncuts = %s\n", a[0], a[1])
	}
	binned, values := tabletest.Schema(t, text).Binned()
	var all strings.Builder
	for j, a := range binned.Attributes {
		fmt.Fprintf(&all, "%s: %v\ncategories %v\n", a.Name, a.CutTexts(), values[j])
	}
	noisetest.Golden(t, "bins.txt", all.String())
}
