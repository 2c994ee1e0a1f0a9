package prsma

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestPadded checks that texts are padded to powers of two, and that JSON readers ignore the padding.
func TestPadded(t *testing.T) {
	for _, n := range []int{0, 1, 1000, leastAnswers - 3, leastAnswers - 2, leastAnswers - 1, 3 * leastAnswers} {
		text, err := json.Marshal(string(bytes.Repeat([]byte("a"), n)))
		if err != nil {
			t.Fatal(err)
		}
		sealed := padded(text)
		if size := len(sealed); size < leastAnswers || size&(size-1) != 0 || size > 2*max(leastAnswers, len(text)) {
			t.Errorf("%d bytes become %d", len(text), size)
		}
		var again string
		if err := json.Unmarshal(sealed, &again); err != nil || len(again) != n {
			t.Errorf("%d bytes: %v", len(text), err)
		}
	}
}
