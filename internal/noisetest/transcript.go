// Package noisetest records the random choices of a mechanism: their order, distributions,
// parameters and outcomes. A test compares this transcript with a golden file. A transcript
// shows that noise has the wrong scale, or that a sample is used twice, even if a statistical
// test of the output distribution is too weak to detect it.
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

// A Transcript implements noise.Coins and records each random choice with its outcome on one
// line. A call of Draw is recorded as one choice, with the name of its distribution.
type Transcript struct {
	coins noise.Coins
	text  strings.Builder
}

// Record returns a transcript of the random choices that are made through it, with the given coins
// as their random source. The coins must not be used elsewhere.
func Record(coins noise.Coins) *Transcript { return &Transcript{coins: coins} }

// Note adds a line to the transcript, such as a heading or the released value.
func (t *Transcript) Note(format string, args ...any) {
	fmt.Fprintf(&t.text, format+"\n", args...)
}

// String returns the recorded lines of the transcript.
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

// Golden fails the test if the text differs from the file in the directory testdata. With the
// flag -update it first writes the text to the file.
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
	t.Errorf("line %d of %s is %q, want %q; if the change is correct, run go test -update", i+1, path, got[i], wanted[i])
}
