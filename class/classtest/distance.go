package classtest

import "github.com/sibyl-dp/sibyl/class"

// Distance tests that the separator bits of any two hypotheses differ in at least class.Distance
// positions. It returns the minimum Hamming distance, or -1 if there is only one hypothesis.
func Distance[X, H any](t T, c Case[X, H]) int {
	t.Helper()
	least := -1
	var words [][]bool
	for h := range c.Class.All() {
		word := class.Separate(c.Class, h)
		if len(word) != class.SeparatorBits(c.Class) {
			t.Fatalf("%v separates %v with %d bits instead of %d", c.Class, h, len(word), class.SeparatorBits(c.Class))
		}
		for _, other := range words {
			d := 0
			for i := range word {
				if word[i] != other[i] {
					d++
				}
			}
			if d < class.Distance(c.Class) {
				t.Fatalf("%v promises distance %d, but %v is at %d from another", c.Class, class.Distance(c.Class), h, d)
			}
			if least < 0 || d < least {
				least = d
			}
		}
		words = append(words, word)
	}
	return least
}
