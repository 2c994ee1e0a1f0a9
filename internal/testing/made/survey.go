package made

import (
	"fmt"
	"math/rand/v2"
)

// Survey returns a table that resembles a customer survey, with 35 columns: an id, 18 numeric columns, 15
// categorical columns and a label. One categorical column has many rare values. The label depends on four of the
// columns.
func Survey() Table {
	t := Table{coins: *rand.NewPCG(5, 6), group: 1_000_000, kinds: 4}
	t.columns = append(t.columns, column{name: "id", plain: true, draw: func(_ *rand.Rand, row, _ int) int { return row }})
	t.columns = append(t.columns, column{name: "age", plain: true, draw: func(r *rand.Rand, _, kind int) int { return 18 + r.IntN(35) + 35*(kind%2) }})
	t.columns = append(t.columns, column{name: "income", plain: true, draw: func(r *rand.Rand, _, kind int) int { return 12_000 + 20_000*(kind/2) + r.IntN(25_000) }})
	for j := range 16 {
		t.columns = append(t.columns, column{name: fmt.Sprint("score_", j+1), plain: true, draw: among(0, 100)})
	}
	towns := append([]string{"Bonn", "Kiel", "Ulm"}, numbered("village ", 500)...)
	t.columns = append(t.columns, column{name: "town", texts: towns, draw: func(r *rand.Rand, _, _ int) int {
		if r.IntN(5) > 0 {
			return r.IntN(3)
		}
		return 3 + r.IntN(500)
	}})
	for j := range 14 {
		t.columns = append(t.columns, column{name: fmt.Sprint("answer_", j+1), texts: []string{"never", "sometimes", "often"}, draw: among(0, 2)})
	}
	t.columns = append(t.columns, label("bought", []string{"no", "yes"}, func(r *rand.Rand, _, kind int) int {
		if r.IntN(4) < kind {
			return 1
		}
		return 0
	}))
	return t
}
