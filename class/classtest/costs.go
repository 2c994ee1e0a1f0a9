package classtest

import "github.com/sibyl-dp/sibyl/class"

// Largest is the size of the largest class that a suite enumerates.
const Largest = 1 << 16

// A costs table holds what every hypothesis of a class costs, by its separator
// bits, by definition and enumeration alone.
type costs[X, H any] struct {
	class  class.Class[X, H]
	byBits map[string]int64
}

// tabulate enumerates the class, and checks on the way that its size is right,
// that it contains what it lists, and that separator bits tell apart.
func tabulate[X, H any](t T, c Case[X, H], p class.Problem[X]) costs[X, H] {
	t.Helper()
	if size := c.Class.Size(); !size.IsInt64() || size.Int64() > Largest {
		t.Fatalf("%v has %v hypotheses, too many for a test", c.Class, size)
	}
	out := costs[X, H]{c.Class, map[string]int64{}}
	for h := range c.Class.All() {
		if !c.Class.Contains(h) {
			t.Fatalf("%v lists %v, which it does not contain", c.Class, h)
		}
		if n := len(c.Class.Separate(h)); n != c.Class.Separator() {
			t.Fatalf("%v separates %v with %d bits instead of %d", c.Class, h, n, c.Class.Separator())
		}
		bits := out.bits(h)
		if _, twice := out.byBits[bits]; twice {
			t.Fatalf("%v lists %v twice, or another hypothesis has the same separator bits", c.Class, h)
		}
		out.byBits[bits] = class.Cost(c.Class, p, h)
	}
	if c.Class.Size().Int64() != int64(len(out.byBits)) {
		t.Fatalf("%v claims %v hypotheses and lists %d", c.Class, c.Class.Size(), len(out.byBits))
	}
	return out
}

// bits returns the separator bits of h as a key.
func (c costs[X, H]) bits(h H) string {
	var key []byte
	for _, set := range c.class.Separate(h) {
		if set {
			key = append(key, '1')
		} else {
			key = append(key, '0')
		}
	}
	return string(key)
}
