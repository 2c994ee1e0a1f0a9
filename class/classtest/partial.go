package classtest

import "github.com/sibyl-dp/sibyl/class"

// Partial tests class.PredictPartial for every hypothesis, every record x of the case and every set
// of known attributes. It compares the result with the predictions on all records of the case that
// agree with x in the known attributes.
func Partial[H any](t T, c Case[[]uint16, H]) {
	t.Helper()
	attributes := len(c.Domain[0])
	for h := range c.Class.All() {
		predictions := make([]bool, len(c.Domain))
		for i, x := range c.Domain {
			predictions[i] = c.Class.Predict(h, x)
		}
		for set := range 1 << attributes {
			known := make([]bool, attributes)
			for j := range known {
				known[j] = set>>j&1 == 1
			}
			for i, x := range c.Domain {
				label, ok := class.PredictPartial(class.Class[[]uint16, H](c.Class), h, x, known)
				if !ok && set == 1<<attributes-1 {
					t.Fatalf("%v does not say what %v predicts on %v, all known", c.Class, h, x)
				}
				for k, other := range c.Domain {
					if ok && label != predictions[k] && agree(x, other, known) {
						t.Fatalf("%v says that %v predicts %v on %v as far as known %v, but it does not on %v", c.Class, h, label, c.Domain[i], known, other)
					}
				}
			}
		}
	}
}

// agree reports whether the records x and y are equal in the known attributes.
func agree(x, y []uint16, known []bool) bool {
	for j, k := range known {
		if k && x[j] != y[j] {
			return false
		}
	}
	return true
}
