package table

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// mostSlots is the maximum number of slots of the hash table in which a Builder counts short rows. When a table of
// this size is full, its rows are moved to a run, a sorted list.
var mostSlots = 1 << 20

// shortCounts counts equal rows that fit into one 64-bit word. It is a hash table with linear probing, which doubles
// when it is three quarters full. A slot whose count is 0 is empty.
type shortCounts struct {
	slots   []shortCount
	most    int  // the maximum number of slots
	shift   uint // 64 - log2 len(slots)
	records int  // the number of distinct rows
}

type shortCount struct {
	key   uint64
	count int64
}

const slotBytes = 16

func newShortCounts() *shortCounts {
	return &shortCounts{slots: make([]shortCount, 64), most: mostSlots, shift: 58}
}

// heldShort returns the maximum memory, in bytes, that the hash table shortCounts needs for the given number of
// distinct rows.
func heldShort(rows int64) int64 {
	slots := int64(64)
	for slots < int64(mostSlots) && crowded(rows, slots) {
		slots *= 2
	}
	return slotBytes * slots
}

// crowded reports whether the records would fill more than three quarters of the slots, so that the table must grow.
func crowded(records, slots int64) bool { return 4*records > 3*slots }

// add adds a row, given as one word, the given number of times. It returns false and changes nothing if the table is
// full.
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

// find returns the slot that holds the key, or the empty slot into which the key must be inserted.
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

// collapse sorts the rows, returns them as a run, which is a sorted list of distinct rows with counts, and empties
// the table. The parameter spare points to a list of unused memory, which the run may use.
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
