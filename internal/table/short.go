package table

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// mostSlots is how many slots a table of short rows may have before its rows become a run.
var mostSlots = 1 << 20

// shortCounts counts rows of one word. It is an open-addressing table with linear probing, at
// most half full after it doubles and three quarters full before; a slot with count 0 is
// empty.
type shortCounts struct {
	slots   []shortCount
	most    int  // slots
	shift   uint // 64 - log2 len(slots)
	records int
}

type shortCount struct {
	key   uint64
	count int64
}

const slotBytes = 16

func newShortCounts() *shortCounts {
	return &shortCounts{slots: make([]shortCount, 64), most: mostSlots, shift: 58}
}

// heldShort is how many bytes a table of so many rows has at most.
func heldShort(rows int64) int64 {
	slots := int64(64)
	for slots < int64(mostSlots) && crowded(rows, slots) {
		slots *= 2
	}
	return slotBytes * slots
}

// crowded tells whether so many records are too many for the slots.
func crowded(records, slots int64) bool { return 4*records > 3*slots }

// add counts a row, and tells whether there is room for it.
func (s *shortCounts) add(key uint64, count int64) bool {
	slot := s.find(key)
	if slot.count == 0 {
		if crowded(int64(s.records)+1, int64(len(s.slots))) {
			if len(s.slots) >= s.most {
				return false
			}
			s.double()
			slot = s.find(key)
		}
		slot.key = key
		s.records++
	}
	slot.count += count
	return true
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

// collapse returns the run of the rows, and keeps none.
func (s *shortCounts) collapse(l *layout, spare *[][]byte) run {
	distinct := s.slots[:0]
	for _, slot := range s.slots {
		if slot.count > 0 {
			distinct = append(distinct, slot)
		}
	}
	slices.SortFunc(distinct, func(a, b shortCount) int { return cmp.Compare(a.key, b.key) })
	w := newRunWriter(l, len(distinct), spare)
	var row [8]byte
	for _, slot := range distinct {
		binary.BigEndian.PutUint64(row[:], slot.key)
		w.add(row[:l.stride], slot.count)
	}
	clear(s.slots)
	s.records = 0
	return w.end()
}
