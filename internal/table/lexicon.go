package table

import (
	"encoding/binary"
	"math/bits"
)

// A lexicon maps the texts of values, here called words, to category codes. It is a hash table with linear
// probing, in which empty slots have the word "". For speed, the hash depends only on the length of a word
// and on its first and last eight bytes.
type lexicon struct {
	slots []slot // the length is a power of two; at most half of them are used
	words int
}

type slot struct {
	word string
	code int
}

func newLexicon() *lexicon { return &lexicon{slots: make([]slot, 4)} }

// add inserts a word with its code. The word must not be empty or already present.
func (l *lexicon) add(word string, code int) {
	if 2*(l.words+1) > len(l.slots) {
		old := l.slots
		l.slots = make([]slot, 2*len(old))
		for _, s := range old {
			if s.word != "" {
				l.place(s)
			}
		}
	}
	l.place(slot{word, code})
	l.words++
}

func (l *lexicon) place(s slot) {
	mask := len(l.slots) - 1
	i := hash([]byte(s.word)) & mask
	for l.slots[i].word != "" {
		i = (i + 1) & mask
	}
	l.slots[i] = s
}

func (l *lexicon) code(field []byte) (int, bool) {
	mask := len(l.slots) - 1
	for i := hash(field) & mask; ; i = (i + 1) & mask {
		s := &l.slots[i]
		if s.word == "" {
			return 0, false
		}
		if s.word == string(field) {
			return s.code, true
		}
	}
}

func hash(b []byte) int {
	var first, last uint64
	switch n := len(b); {
	case n >= 8:
		first = binary.LittleEndian.Uint64(b)
		last = binary.LittleEndian.Uint64(b[n-8:])
	case n >= 4:
		first = uint64(binary.LittleEndian.Uint32(b))
		last = uint64(binary.LittleEndian.Uint32(b[n-4:]))
	case n > 0:
		first = uint64(b[0]) | uint64(b[n/2])<<8 | uint64(b[n-1])<<16
	}
	high, low := bits.Mul64(first^0x9e3779b97f4a7c15, last^uint64(len(b))^0xe7037ed1a0b428db)
	return int((high ^ low) >> 1)
}
