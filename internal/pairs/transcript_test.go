package pairs

import (
	"context"
	"math/big"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/noisetest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// One noise variable per sum is sampled, with the parameter of its block. The headings derive the
// parameters by hand.
func TestTranscript(t *testing.T) {
	record := noisetest.Record(noise.Insecure(1))
	for _, c := range []struct {
		want     string
		sizes    []int
		outcomes int
		r        privacy.Relation
		budget   *big.Rat // ρ, or μ² if the text begins with μ
	}{
		{"ρ = 1/2, add-remove, two columns of two values: 3 blocks of one and v = 1, so that c = 4/(2·1/2) = 4, for the rows, two signs and their product",
			[]int{2, 2}, 0, privacy.AddRemove, big.NewRat(1, 2)},
		{"ρ = 1/2, replace: at most t(3-t) = 2 flips for t = 1 or 2, which is 8 of 4c, so that c = 8",
			[]int{2, 2}, 0, privacy.ReplaceOne, big.NewRat(1, 2)},
		{"ρ = 1/2, add-remove, a column of three values and the outcome, of two: c = 4, and blocks of 3, 1 and 3 sums have σ² = 12, 4 and 12",
			[]int{3}, 2, privacy.AddRemove, big.NewRat(1, 2)},
		{"ρ = 3/2, replace, a column of four values, u = 1/3: 2/3 flips, so that 4·2/3 > 1+1 and c = 8/9; rows have σ² = ⌈8/9⌉, signs ⌈3·8/9⌉",
			[]int{4}, 0, privacy.ReplaceOne, big.NewRat(3, 2)},
		{"ρ = 39, add-remove, twelve columns of two values: 78 blocks, v = 78/19, c = 78(1 + 1/19)/78 = 20/19; the rows have σ² = ⌈(20/19)/(78/19)⌉ = 1, the others ⌈20/19⌉",
			[]int{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, 0, privacy.AddRemove, big.NewRat(39, 1)},
		{"ρ = 1/2, persons of at most two rows, add-remove: a column of two values in units of which a person weighs two, c = 4·2/(2·1/2) = 8",
			[]int{2}, 0, privacy.AddRemove.OfPersons(2), big.NewRat(1, 2)},
		{"μ² = 1, persons of at most two rows, add-remove: a column of two values, c = 4·2/1 = 8, and σ² = ⌈8 + 13/5⌉",
			[]int{2}, 0, privacy.AddRemove.OfPersons(2), big.NewRat(1, 1)},
	} {
		made := mechanism
		if strings.HasPrefix(c.want, "μ") {
			made = gaussian
		}
		m := made(t, c.sizes, c.outcomes, c.r, c.budget)
		b := table.NewBuilder(c.sizes)
		low, high := make([]uint16, len(c.sizes)), make([]uint16, len(c.sizes))
		for j, k := range c.sizes {
			high[j] = uint16(k - 1)
		}
		for _, add := range []error{b.Add(low, false, 7), b.Add(high, true, 2), b.AddNull(3)} {
			if add != nil {
				t.Fatal(add)
			}
		}
		record.Note("%s", c.want)
		sums, err := m.Release(context.Background(), b.Table(), record)
		if err != nil {
			t.Fatal(err)
		}
		record.Note("released %v\n", sums)
	}
	noisetest.Golden(t, "pairs.txt", record.String())
}
