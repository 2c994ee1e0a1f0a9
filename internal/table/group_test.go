package table

import "testing"

// Each set of columns is in exactly one group.
func TestGroups(t *testing.T) {
	var of [][]Axis
	var all []int
	for b := range 40 {
		for a := range b {
			all, of = append(all, len(of)), append(of, []Axis{{Column: a, Size: 200}, {Column: b, Size: 200}})
		}
	}
	seen := make([]int, len(of))
	for _, g := range group(of, all) {
		n := 0
		for _, m := range g {
			seen[m]++
			n += Cells(of[m])
		}
		if n > groupCells || len(g) == 0 {
			t.Errorf("a group of %d sub-tables has %d cells", len(g), n)
		}
	}
	for m, n := range seen {
		if n != 1 {
			t.Errorf("sub-table %d is counted %d times", m, n)
		}
	}
}
