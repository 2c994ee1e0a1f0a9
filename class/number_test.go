package class_test

import (
	"fmt"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
)

func TestNumbersAreDistinctAndShort(t *testing.T) {
	for n := 1; n < 70; n++ {
		m := class.NumberBits(n)
		if 1<<m < n || m > 0 && 1<<(m-1) >= n {
			t.Errorf("%d bits for %d numbers", m, n)
		}
		seen := map[string]bool{}
		for i := range n {
			seen[fmt.Sprint(class.Number(i, m))] = true
		}
		if len(seen) != n {
			t.Errorf("%d of %d numbers are distinct", len(seen), n)
		}
	}
}
