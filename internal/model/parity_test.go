package model_test

import (
	"fmt"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Classes of at most 2^24 parities are searched with a table of all costs, and larger classes without
// one.
func TestParitiesThatAreTabulated(t *testing.T) {
	for bits, tabulated := range map[int]bool{3: true, 23: true, 24: true, 25: false} {
		for _, affine := range []bool{false, true} {
			s := &table.Schema{}
			for j := range bits {
				name := fmt.Sprint("x", j)
				s.Attributes = append(s.Attributes, table.Attribute{Name: name, Column: name, Values: []string{"a", "b"}})
			}
			if affine {
				s.Attributes = s.Attributes[1:] // the constant is a bit
			}
			space, err := model.Parity{Affine: affine}.Over(s)
			if err != nil {
				t.Fatal(err)
			}
			if got := space.Sampling().Class.Layout(1).Tabulated; got != tabulated {
				t.Errorf("%d bits, affine %v: tabulated %v", bits, affine, got)
			}
		}
	}
}
