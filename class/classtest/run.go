package classtest

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/testing/mustfail"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap" // the tests allocate much short-lived memory
	"pgregory.net/rapid"
)

// A Suite describes the cases on which a class is tested: fixed cases, and random ones.
type Suite[X, H any] struct {
	// Fixed holds the fixed cases by name.
	Fixed map[string]Case[X, H]
	// Random returns a random case. It may be nil.
	Random func(Draw) Case[X, H]
	// Seeds is the number of random cases in addition to those of package rapid.
	Seeds int
	// Wrong is the name of the fixed case to which Broken is applied. It may be empty.
	Wrong string
}

// Run runs these subtests:
//
//   - "weird" tests the fixed cases on all problems of Case.Weird.
//   - "random" tests random cases on random problems.
//   - "rapid" does the same with package rapid, which shrinks failing cases.
//   - "wrong" checks that the tests fail on all variants of Broken.
func Run[X, H any](t *testing.T, s Suite[X, H]) {
	t.Run("weird", func(t *testing.T) {
		for name, c := range s.Fixed {
			t.Run(name, func(t *testing.T) { Weird(t, c) })
		}
	})
	if s.Random != nil {
		t.Run("random", func(t *testing.T) {
			for seed := range s.Seeds {
				s.random(t, FromSeed(seed))
			}
		})
		t.Run("rapid", func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s.random(t, func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "") })
			})
		})
	}
	if s.Wrong != "" {
		t.Run("wrong", func(t *testing.T) { s.wrong(t) })
	}
}

// Fuzz tests cases and problems that a fuzzer chooses.
func Fuzz[X, H any](f *testing.F, s Suite[X, H]) {
	f.Fuzz(func(t *testing.T, data []byte) { s.random(t, FromBytes(data)) })
}

// random tests a random case on a random problem. All random choices come from draw, so that
// package rapid can shrink them.
func (s Suite[X, H]) random(t T, draw Draw) {
	c := s.Random(draw)
	p := c.Random(draw)
	Tree(t, c, p, FromSeed(draw(0, 1<<20)))
}

// wrong checks that the tests of the suite fail on each variant of Broken.
func (s Suite[X, H]) wrong(t *testing.T) {
	good := s.Fixed[s.Wrong]
	var p class.Problem[X]
	for i, x := range good.Domain {
		p.Points = append(p.Points, class.Point[X]{X: x, Cost: [2]int64{int64(i * i % 7), int64(i * 3 % 5)}})
	}
	for name, b := range Broken(good) {
		t.Run(name, func(t *testing.T) {
			t.Log(mustfail.Run(t, func(r *mustfail.Recorder) { Tree(r, b, p, FromSeed(1)) }))
		})
	}
}
