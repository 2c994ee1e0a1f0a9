package scorecard

import "testing"

func TestOffset(t *testing.T) {
	card := Card{Points: [][]int{{1, 1}, {0, 0, 0}, {-2}, {5, 5, 4}, {-3, -3}}}
	if got := card.Offset(); got != 1-2-3 {
		t.Errorf("%d points for everyone", got)
	}
}
