package scorecard

import (
	"math/rand/v2"
	"slices"
)

// patterns assigns a number to each pattern of undecided categories that occurs in a builder. A
// pattern has an entry for each attribute: the category of a record, or the constant decided if
// this category is decided. For each pattern and attribute, patterns also caches the pattern that
// results from deciding the category, because the learner needs it at every step.
type patterns struct {
	k       int
	digits  []uint16 // k entries for each pattern
	hashes  []uint64
	decides []int32 // k entries for each pattern: the number of the pattern with that attribute decided, or -1 if not computed
	index   []int32 // hash table with open addressing; an entry is the number of a pattern plus 1, or 0
	zobrist [][]uint64
	buffer  []uint16
}

func newPatterns(axes []axis, records int) *patterns {
	p := &patterns{k: len(axes), buffer: make([]uint16, len(axes))}
	rng := rand.New(rand.NewPCG(1, 2)) // hash seeds; equality is checked separately
	for _, a := range axes {
		z := make([]uint64, a.attr.categories+1)
		for c := range z {
			z[c] = rng.Uint64()
		}
		p.zobrist = append(p.zobrist, z)
	}
	p.digits = make([]uint16, 0, 3*records*p.k)
	p.decides = make([]int32, 0, 3*records*p.k)
	p.hashes = make([]uint64, 0, 3*records)
	size := 16
	for size < 6*records {
		size *= 2
	}
	p.index = make([]int32, size)
	return p
}

// hash returns the summand of a pattern's hash value for category c of attribute j.
func (p *patterns) hash(j int, c uint16) uint64 {
	if c == decided {
		return p.zobrist[j][0]
	}
	return p.zobrist[j][int(c)+1]
}

// at returns the pattern of undecided categories with number id.
func (p *patterns) at(id int32) []uint16 {
	return p.digits[int(id)*p.k:][:p.k]
}

// number returns the number of the given pattern of undecided categories. It adds the pattern if it is new.
func (p *patterns) number(pattern []uint16) int32 {
	hash := uint64(0)
	for j, c := range pattern {
		hash += p.hash(j, c)
	}
	return p.find(pattern, hash)
}

// decide returns the number of the pattern that results from the pattern with number id if the
// category of attribute j is decided.
func (p *patterns) decide(id int32, j int) int32 {
	at := int(id)*p.k + j
	if p.decides[at] < 0 {
		copy(p.buffer, p.at(id))
		hash := p.hashes[id] - p.hash(j, p.buffer[j]) + p.hash(j, decided)
		p.buffer[j] = decided
		p.decides[at] = p.find(p.buffer, hash)
	}
	return p.decides[at]
}

// find returns the number of the given pattern of undecided categories, and adds the pattern if it
// is new. The parameter hash is the pattern's hash value.
func (p *patterns) find(pattern []uint16, hash uint64) int32 {
	mask := len(p.index) - 1
	place := int(hash>>20) & mask
	for ; p.index[place] != 0; place = (place + 1) & mask {
		id := p.index[place] - 1
		if p.hashes[id] == hash && slices.Equal(p.at(id), pattern) {
			return id
		}
	}
	id := int32(len(p.hashes))
	p.index[place] = id + 1
	p.hashes = append(p.hashes, hash)
	p.digits = append(p.digits, pattern...)
	for range p.k {
		p.decides = append(p.decides, -1)
	}
	if 2*len(p.hashes) > len(p.index) {
		p.grow()
	}
	return id
}

// grow doubles the size of the hash table of patterns.
func (p *patterns) grow() {
	p.index = make([]int32, 2*len(p.index))
	mask := len(p.index) - 1
	for id, hash := range p.hashes {
		place := int(hash>>20) & mask
		for p.index[place] != 0 {
			place = (place + 1) & mask
		}
		p.index[place] = int32(id) + 1
	}
}
