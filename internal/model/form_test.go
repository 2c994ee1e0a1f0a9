package model

import "testing"

// All selected forms but unions of several kinds of classes may be members of a union.
func TestJoins(t *testing.T) {
	for selection, want := range map[Selection]bool{Computed: false, BySearch: true, ByPartition: true, InStages: true, Combined: false} {
		if (Kind{Selection: selection}).Joins() != want {
			t.Errorf("selection %d: %v", selection, !want)
		}
	}
}
