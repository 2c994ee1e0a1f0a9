package count

import (
	"hash/fnv"

	"github.com/sibyl-dp/sibyl/beam/cells"
	"github.com/sibyl-dp/sibyl/internal/table"
)

const (
	groupCells = 1 << 10 // the approximate number of cells in a group of a large list
	mostGroups = 1 << 12 // the maximum number of groups of a list
)

// grouping returns a function that divides the cells of each marginal into groups by a hash of their keys. The
// pipeline then sends a few large elements between workers instead of many small ones.
func grouping(s *table.Schema, lists [][]int) cells.Grouping {
	groups := make([]int, len(lists))
	for number, list := range lists {
		groups[number] = max(1, int(s.Project(list).Records(groupCells*mostGroups)/groupCells))
	}
	return func(number int, key []byte, _ []uint16, _ int) int {
		return number*mostGroups + hash(key)%groups[number]
	}
}

// listOf returns the index of the marginal to which the group of cells with the given number belongs.
func listOf(group int) int { return group / mostGroups }

// hash returns a non-negative hash that is the same on every worker.
func hash(text []byte) int {
	h := fnv.New32a()
	h.Write(text)
	return int(h.Sum32() & (1<<31 - 1))
}
