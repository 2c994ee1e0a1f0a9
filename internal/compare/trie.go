package compare

import "slices"

// A trie stores weighted records for a search that decides one column after the other. The tail of a record from column
// k on is the list of its values in column k and all later columns, in the order of decision. Level k of the trie has
// one part for each distinct tail from column k on. Parts of a level that continue with the same part of the next level
// are adjacent.
type trie struct {
	order   []int // the columns, in the order of decision
	levels  []level
	weights []int64 // by part of level 0, which is a whole record, its weight
}

// A level of a trie belongs to one column, and holds the distinct tails of the records from this column on.
type level struct {
	value []uint16 // by part, the category in this column
	next  []uint32 // by part, the rest of the tail as a part of the next level; increasing
}

// newTrie builds a trie of the records of both tables. It sorts the records with a radix sort, and then takes one step
// for each part of a level.
func newTrie(p *Pair, order []int) *trie {
	t := &trie{order: order, levels: make([]level, len(order))}
	by := slices.Clone(order)
	slices.Reverse(by)
	at := p.sorted(by)
	for i, r := range at {
		fresh := len(order) // levels below this one have a new part
		for i > 0 && fresh > 0 && p.codes[order[fresh-1]][r] == p.codes[order[fresh-1]][at[i-1]] {
			fresh--
		}
		for k := fresh - 1; k >= 0; k-- {
			l := &t.levels[k]
			l.value = append(l.value, p.codes[order[k]][r])
			if k+1 < len(order) {
				l.next = append(l.next, uint32(len(t.levels[k+1].value)-1))
			} else {
				l.next = append(l.next, 0)
			}
		}
		t.weights = append(t.weights, p.weigh(int(r)))
	}
	return t
}

// sorted returns the indices of the records, sorted by their codes in the given columns. The first of these columns is
// the most significant.
func (p *Pair) sorted(by []int) []uint32 {
	at, spare := make([]uint32, p.Len()), make([]uint32, p.Len())
	for i := range at {
		at[i] = uint32(i)
	}
	for _, j := range slices.Backward(by) {
		from := make([]int, p.sizes[j]+1)
		for _, c := range p.codes[j] {
			from[c+1]++
		}
		for c := range p.sizes[j] {
			from[c+1] += from[c]
		}
		for _, r := range at {
			c := p.codes[j][r]
			spare[from[c]] = r
			from[c]++
		}
		at, spare = spare, at
	}
	return at
}
