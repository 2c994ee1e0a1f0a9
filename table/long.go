package table

import (
	"encoding/binary"
	"slices"
	"strings"
)

// longCounts counts records of any size. A key is two bytes a code, the high
// one first, and one for the outcome, so the order of the keys is the canonical
// order.
type longCounts struct {
	index  map[string]int
	keys   []string
	counts []int64
	buffer []byte
}

func newLongCounts() *longCounts { return &longCounts{index: make(map[string]int)} }

func (l *longCounts) add(r Record, outcome int, count int64) {
	l.buffer = l.buffer[:0]
	for _, code := range r {
		l.buffer = binary.BigEndian.AppendUint16(l.buffer, code)
	}
	l.buffer = append(l.buffer, byte(outcome))
	if i, found := l.index[string(l.buffer)]; found {
		l.counts[i] += count
		return
	}
	l.enter(string(l.buffer), count)
}

func (l *longCounts) enter(key string, count int64) {
	l.index[key] = len(l.keys)
	l.keys = append(l.keys, key)
	l.counts = append(l.counts, count)
}

func (l *longCounts) merge(o *longCounts) {
	for k, key := range o.keys {
		if i, found := l.index[key]; found {
			l.counts[i] += o.counts[k]
		} else {
			l.enter(key, o.counts[k])
		}
	}
}

func (l *longCounts) fill(t *Table) {
	order := make([]int, len(l.keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(l.keys[a], l.keys[b]) })
	k := len(t.sizes)
	t.codes = make([]uint16, 0, len(order)*k)
	t.labels = make([]uint8, len(order))
	t.counts = make([]int64, len(order))
	for i, o := range order {
		key := l.keys[o]
		for j := range k {
			t.codes = append(t.codes, uint16(key[2*j])<<8|uint16(key[2*j+1]))
		}
		t.labels[i] = key[2*k]
		t.counts[i] = l.counts[o]
	}
}
