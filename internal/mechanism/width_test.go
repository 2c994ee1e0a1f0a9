package mechanism

import (
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A wide class fits into memory for at most this number of records.
type wide int64

func (wide) String() string { return "a wide class" }
func (wide) Size() *big.Int { return big.NewInt(1) }
func (w wide) Layout(records int64) class.Layout {
	return class.Layout{Cells: class.MostCells + records - int64(w)}
}

// MostRows finds the greatest number of rows for which a class fits. It refuses larger tables, and
// classes that fit for no number of rows.
func TestMostRows(t *testing.T) {
	s := &table.Schema{Attributes: []table.Attribute{{Name: "x", Column: "x"}, {Name: "y", Column: "y"}}}
	for c := range 1 << 10 {
		for j := range s.Attributes {
			s.Attributes[j].Values = append(s.Attributes[j].Values, string(rune('a'+c)))
		}
	}
	for _, fit := range []int64{1, 2, 3, 1000, 12345} {
		for stated, ok := range map[int64]bool{0: true, 1: true, fit: true, fit + 1: false} {
			if got, err := MostRows(wide(fit), s, stated); ok != (err == nil) || ok && got != fit {
				t.Errorf("a class that fits over %d rows, %d stated: %d, %v", fit, stated, got, err)
			}
		}
	}
	for _, none := range []int64{0, -1, -100} {
		if got, err := MostRows(wide(none), s, 0); err == nil {
			t.Errorf("a class that fits over no row fits over %d", got)
		}
	}
	if got, err := MostRows(wide(1<<22), s, 0); err != nil || got != MostUnits(s) {
		t.Errorf("a class that fits over all records: %d, %v", got, err)
	}
}
