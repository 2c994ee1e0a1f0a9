package pairs

import (
	"context"
	"math/bits"

	"github.com/sibyl-dp/sibyl/table"
)

// The sum of a product of two signs is what all rows weigh, less twice what those weigh on
// which the signs differ. Signs are kept as bits, 64 distinct records a word, and so are
// the digits of the records' counts.

const blockWords = 512 // of records at a time, so that their signs stay in a near cache

// sums returns the exact sums. Each is at most what the table weighs in absolute value, so
// that none overflows. It takes about D²/100 operations for each distinct record, as many
// times as its count has binary ones.
func (m *Mechanism) sums(ctx context.Context, t *table.Table) ([]int64, error) {
	sums := make([]int64, m.Len())
	b := block{negative: make([][]uint64, m.signs)}
	for i := range b.negative {
		b.negative[i] = make([]uint64, blockWords)
	}
	for from := 0; from < t.Len(); from += 64 * blockWords {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		weight := m.read(t, from, &b)
		sums[0] += weight
		m.places(func(at, row, column int) {
			sums[at] += weight - 2*b.differ(row, column)
		})
	}
	return sums, ctx.Err()
}

// A block is some distinct records.
type block struct {
	negative [][]uint64 // by sign, the constant one included: which records have it negative
	digits   [63][]word // of the counts, the words that are not zero
}

type word struct {
	at   int
	bits uint64
}

// read reads the records from the given one on, and returns what they weigh.
func (m *Mechanism) read(t *table.Table, from int, b *block) (weight int64) {
	for _, words := range b.negative {
		clear(words)
	}
	for p := range b.digits {
		b.digits[p] = b.digits[p][:0]
	}
	var record table.Record
	for i := from; i < min(from+64*blockWords, t.Len()); i++ {
		at, bit := (i-from)/64, uint64(1)<<(i%64)
		record = t.Record(i, record)
		for j, code := range record {
			b.set(m.attributes[j], int(code), at, bit)
		}
		if m.labelled {
			b.set(m.attributes[len(m.attributes)-1], t.Outcome(i), at, bit)
		}
		weight += t.Count(i)
		for n := uint64(t.Count(i)); n != 0; n &= n - 1 {
			d := &b.digits[bits.TrailingZeros64(n)]
			if len(*d) == 0 || (*d)[len(*d)-1].at != at {
				*d = append(*d, word{at: at})
			}
			(*d)[len(*d)-1].bits |= bit
		}
	}
	return weight
}

// set notes which signs of an attribute's value are negative.
func (b *block) set(a attribute, value, at int, bit uint64) {
	for s := 1; s < a.full; s++ {
		if bits.OnesCount(uint(s&value))%2 == 1 {
			b.negative[a.first+s-1][at] |= bit
		}
	}
}

// differ is what the records weigh on which two signs differ.
func (b *block) differ(i, j int) (weight int64) {
	x, y := b.negative[i], b.negative[j]
	for p, words := range b.digits {
		n := 0
		for _, w := range words {
			n += bits.OnesCount64((x[w.at] ^ y[w.at]) & w.bits)
		}
		weight += int64(n) << p
	}
	return weight
}
