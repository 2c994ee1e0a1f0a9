package classtest

import (
	"fmt"

	"github.com/sibyl-dp/sibyl/class"
)

// Largest is the maximum size of a class whose hypotheses a test suite enumerates.
const Largest = 1 << 16

// A listing is the list of all hypotheses of a class. It is computed once for all problems on which
// the class is tested.
type listing[X, H any] struct {
	class      class.Class[X, H]
	hypotheses []H
	number     map[string]int // index of each hypothesis, by its key
}

// enumerate lists the hypotheses of the class. It checks that their number is Size, that the class
// contains each of them, and that their separator bits differ.
func enumerate[X, H any](t T, c Case[X, H]) listing[X, H] {
	t.Helper()
	if size := c.Class.Size(); !size.IsInt64() || size.Int64() > Largest {
		t.Fatalf("%v has %v hypotheses, too many for a test", c.Class, size)
	}
	out := listing[X, H]{c.Class, nil, map[string]int{}}
	width := class.SeparatorBits(c.Class)
	for h := range c.Class.All() {
		if !c.Class.Contains(h) {
			t.Fatalf("%v lists %v, which it does not contain", c.Class, h)
		}
		if width >= 0 {
			if n := len(class.Separate(c.Class, h)); n != width {
				t.Fatalf("%v separates %v with %d bits instead of %d", c.Class, h, n, width)
			}
		}
		key := out.key(h)
		if _, twice := out.number[key]; twice {
			t.Fatalf("%v lists %v twice, or another hypothesis has the same separator bits", c.Class, h)
		}
		out.number[key] = len(out.hypotheses)
		out.hypotheses = append(out.hypotheses, h)
	}
	if c.Class.Size().Int64() != int64(len(out.hypotheses)) {
		t.Fatalf("%v claims %v hypotheses and lists %d", c.Class, c.Class.Size(), len(out.hypotheses))
	}
	return out
}

// costs returns the cost of each hypothesis, computed from the definition. Element i belongs to
// hypothesis i of the listing.
func (l listing[X, H]) costs(p class.Problem[X]) []int64 {
	out := make([]int64, len(l.hypotheses))
	for i, h := range l.hypotheses {
		out[i] = class.Cost(l.class, p, h)
	}
	return out
}

// key returns a string that identifies hypothesis h: its separator bits, or h in Go syntax if the
// class has no separator.
func (l listing[X, H]) key(h H) string {
	if class.SeparatorBits(l.class) < 0 {
		return fmt.Sprintf("%#v", h)
	}
	set := class.Separate(l.class, h)
	key := make([]byte, len(set))
	for i, b := range set {
		key[i] = '0'
		if b {
			key[i] = '1'
		}
	}
	return string(key)
}

// find returns the index of hypothesis h in the listing. The result ok is false if h is not listed.
func (l listing[X, H]) find(h H) (number int, ok bool) {
	number, ok = l.number[l.key(h)]
	return number, ok
}
