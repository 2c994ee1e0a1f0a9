package model

import "testing"

// Every selected form can be a member of a union, except unions of several kinds of classes.
func TestJoins(t *testing.T) {
	for selection, want := range map[Selection]bool{Computed: false, BySearch: true, ByPartition: true, InStages: true, Combined: false} {
		if (Kind{Selection: selection}).Joins() != want {
			t.Errorf("selection %d: %v", selection, !want)
		}
	}
}
