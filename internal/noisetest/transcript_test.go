package noisetest

import (
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/noise"
)

// Each random choice is recorded, and its outcome is that of the underlying coins.
func TestTranscript(t *testing.T) {
	toss := func(c noise.Coins) []any {
		half := big.NewRat(1, 2)
		return []any{
			c.Uint64n(10), c.Below(big.NewInt(10)).Int64(), c.Bernoulli(half), c.BernoulliExp(half),
			c.BernoulliScaledExp(half, half), c.Pick([]uint64{3, 3, 8}), c.Draw(noise.Laplace{Scale: half}).Int64(),
		}
	}
	record := Record(noise.Insecure(1))
	record.Note("all coins")
	got, want := toss(record), toss(noise.Insecure(1))
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("toss %d is %v, not %v", i, got[i], want[i])
		}
	}
	Golden(t, "transcript.txt", record.String())
}
