package table

import (
	"cmp"
	"slices"
)

// shortCounts counts records whose codes and outcome, written as one number in
// mixed radix with the outcome last, fit into 64 bits. The order of the numbers
// is the canonical order. It is an open-addressing table with linear probing,
// at most half full after it doubles and three quarters full before; a slot
// with count 0 is empty.
type shortCounts struct {
	slots   []shortCount
	shift   uint // 64 - log2 len(slots)
	records int
}

type shortCount struct {
	key   uint64
	count int64
}

func newShortCounts() *shortCounts {
	return &shortCounts{slots: make([]shortCount, 64), shift: 58}
}

// packed writes the codes as one number.
func packed(r Record, sizes []int) uint64 {
	var key uint64
	for j, code := range r {
		key = key*uint64(sizes[j]) + uint64(code)
	}
	return key
}

func (s *shortCounts) add(key uint64, count int64) {
	slot := s.find(key)
	if slot.count == 0 {
		if 4*(s.records+1) > 3*len(s.slots) {
			s.double()
			slot = s.find(key)
		}
		slot.key = key
		s.records++
	}
	slot.count += count
}

// find returns the slot of the key, or the empty one where it belongs.
func (s *shortCounts) find(key uint64) *shortCount {
	mask := uint64(len(s.slots) - 1)
	for i := (key ^ key>>32) * 0x9e3779b97f4a7c15 >> s.shift; ; i = (i + 1) & mask {
		if slot := &s.slots[i]; slot.key == key || slot.count == 0 {
			return slot
		}
	}
}

func (s *shortCounts) double() {
	old := s.slots
	s.slots = make([]shortCount, 2*len(old))
	s.shift--
	for _, slot := range old {
		if slot.count > 0 {
			*s.find(slot.key) = slot
		}
	}
}

func (s *shortCounts) merge(o *shortCounts) {
	for _, slot := range o.slots {
		if slot.count > 0 {
			s.add(slot.key, slot.count)
		}
	}
}

func (s *shortCounts) fill(t *Table) {
	distinct := make([]shortCount, 0, s.records)
	for _, slot := range s.slots {
		if slot.count > 0 {
			distinct = append(distinct, slot)
		}
	}
	slices.SortFunc(distinct, func(a, b shortCount) int { return cmp.Compare(a.key, b.key) })
	k, outcomes := len(t.sizes), uint64(t.outcomes)
	t.codes = make([]uint16, len(distinct)*k)
	t.labels = make([]uint8, len(distinct))
	t.counts = make([]int64, len(distinct))
	for i, slot := range distinct {
		t.labels[i] = uint8(slot.key % outcomes)
		t.counts[i] = slot.count
		key := slot.key / outcomes
		for j := k - 1; j >= 0; j-- {
			size := uint64(t.sizes[j])
			t.codes[i*k+j] = uint16(key % size)
			key /= size
		}
	}
}
