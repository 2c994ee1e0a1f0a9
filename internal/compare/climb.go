package compare

// climb improves a conjunction by local search, to give the exact search a good start. It changes one literal at a
// time, until no change increases the difference between the tables. The parameter order is the maximum number of
// literals of the conjunction at any time. climb returns the improved conjunction and its difference.
func (p *Pair) climb(from Conjunction, order int) (Conjunction, int64) {
	c := &climber{pair: p, order: order, value: make([]int, len(p.columns)), misses: make([]int, p.Len()), literals: len(from)}
	for j := range c.value {
		c.value[j] = free
	}
	for _, l := range from {
		c.value[l.Column] = int(l.Value)
	}
	for j := range c.value {
		c.miss(j, 1)
	}
	c.difference = p.difference(p.count(from.Rule()))
	for c.step() {
	}
	var query Conjunction
	for j, v := range c.value {
		if v != free {
			query = append(query, Literal{j, uint16(v)})
		}
	}
	return query, c.difference
}

// free marks a column without a literal in climber.value.
const free = -1

type climber struct {
	pair       *Pair
	order      int
	value      []int // by column, the value of its literal, or free
	literals   int
	misses     []int // by record, the number of literals that it does not satisfy
	difference int64
}

// step makes the single change that improves the current conjunction most. It returns false if no change is an
// improvement.
func (c *climber) step() bool {
	column, value, most := 0, free, c.difference
	for j := range c.value {
		if c.value[j] == free && c.literals == c.order {
			continue
		}
		sums, all := make([]int64, c.pair.sizes[j]), int64(0)
		for i, code := range c.pair.codes[j] {
			if c.misses[i] == 0 || c.misses[i] == 1 && c.fails(j, code) {
				sums[code] += c.pair.weigh(i)
				all += c.pair.weigh(i)
			}
		}
		if abs(all) > most {
			column, value, most = j, free, abs(all)
		}
		for v, sum := range sums {
			if abs(sum) > most {
				column, value, most = j, v, abs(sum)
			}
		}
	}
	if most == c.difference {
		return false
	}
	c.difference = most
	c.miss(column, -1)
	if c.value[column] == free {
		c.literals++
	}
	if value == free {
		c.literals--
	}
	c.value[column] = value
	c.miss(column, 1)
	return true
}

// miss updates the number of unsatisfied literals of each record after the literal on column j is added (by = 1)
// or before it is removed (by = -1).
func (c *climber) miss(j, by int) {
	for i, code := range c.pair.codes[j] {
		if c.fails(j, code) {
			c.misses[i] += by
		}
	}
}

// fails reports whether a record with the given code in column j violates the literal on this column.
func (c *climber) fails(j int, code uint16) bool {
	return c.value[j] != free && c.value[j] != int(code)
}
