// Package noisetest pins the coins that a mechanism tosses: which, in what order,
// with which parameters. Two mechanisms with the same transcript on all tosses
// differ only in what they make of the outcomes. A mechanism whose noise has the
// wrong scale, or that uses one draw twice, shows in its transcript even where
// no test of its law has the power to see it.
package noisetest

import (
	"flag"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/noise"
)

var update = flag.Bool("update", false, "write the golden files")

// A Transcript is noise.Coins that write each toss and its outcome on a line of its
// own. A law drawn by Draw is one toss, however it is sampled.
type Transcript struct {
	coins noise.Coins
	text  strings.Builder
}

// Record returns a transcript of the coins, which must not be used otherwise.
func Record(coins noise.Coins) *Transcript { return &Transcript{coins: coins} }

// Note writes a line that is no toss, such as a heading or what was released.
func (t *Transcript) Note(format string, args ...any) {
	fmt.Fprintf(&t.text, format+"\n", args...)
}

// String returns all lines.
func (t *Transcript) String() string { return t.text.String() }

func (t *Transcript) Uint64n(n uint64) uint64 {
	u := t.coins.Uint64n(n)
	t.Note("  uniform on 0..%d: %d", n-1, u)
	return u
}

func (t *Transcript) Below(n *big.Int) *big.Int {
	u := t.coins.Below(n)
	t.Note("  uniform below %v: %v", n, u)
	return u
}

func (t *Transcript) Bernoulli(p *big.Rat) bool {
	b := t.coins.Bernoulli(p)
	t.Note("  true with probability %s: %v", p.RatString(), b)
	return b
}

func (t *Transcript) BernoulliExp(x *big.Rat) bool {
	b := t.coins.BernoulliExp(x)
	t.Note("  true with probability exp(-%s): %v", x.RatString(), b)
	return b
}

func (t *Transcript) BernoulliScaledExp(p, x *big.Rat) bool {
	b := t.coins.BernoulliScaledExp(p, x)
	t.Note("  true with probability %s·exp(-(%s)): %v", p.RatString(), x.RatString(), b)
	return b
}

func (t *Transcript) Pick(c []uint64) int {
	i := t.coins.Pick(c)
	weights := make([]uint64, len(c))
	before := uint64(0)
	for j, sum := range c {
		weights[j], before = sum-before, sum
	}
	t.Note("  one of the weights %d: number %d", weights, i)
	return i
}

func (t *Transcript) Draw(s noise.Sampler) *big.Int {
	k := t.coins.Draw(s)
	t.Note("  %v: %v", s, k)
	return k
}

// Golden fails unless the text is that of the file below testdata. With -update
// it writes the file.
func Golden(t testing.TB, file, text string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text == string(want) {
		return
	}
	got, wanted := strings.Split(text, "\n"), strings.Split(string(want), "\n")
	i := 0
	for i < len(got)-1 && i < len(wanted)-1 && got[i] == wanted[i] {
		i++
	}
	t.Errorf("%s differs from line %d on: %q, not %q; if that is right, write it by go test -update", path, i+1, got[i], wanted[i])
}
