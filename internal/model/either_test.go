package model_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/internal/model"
)

// A card or a tree has a scale from 1 to 1000 and a depth. A scale of 0 stands for 4.
func TestCardOrTreeParameters(t *testing.T) {
	s := parseSchema(t)
	for scale, want := range map[int]int{-1: 0, 0: 10, 1: 1, 1000: 1000, 1001: 0} {
		form, err := model.CardOrTree{Scale: scale, Depth: 2}.Complete(s)
		if want == 0 {
			if err == nil {
				t.Errorf("a scale of %d is taken", scale)
			}
		} else if err != nil || form != (model.CardOrTree{Scale: want, Depth: 2}) {
			t.Errorf("a scale of %d: %+v, %v", scale, form, err)
		}
	}
	if form, err := (model.CardOrTree{}).Complete(s); err != nil || form.(model.CardOrTree).Depth < 1 {
		t.Errorf("no depth: %+v, %v", form, err)
	}
	if _, err := (model.CardOrTree{Depth: -1}).Complete(s); err == nil {
		t.Error("a depth of -1 is taken")
	}
}
