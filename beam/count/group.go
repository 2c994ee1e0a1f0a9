package count

import (
	"hash/fnv"

	"github.com/sibyl-dp/sibyl/beam/cells"
	"github.com/sibyl-dp/sibyl/internal/table"
)

const (
	groupCells = 1 << 10 // of a list's cells, about, where there are so many
	mostGroups = 1 << 12 // of a list
)

// grouping has cells of a list travel in groups, whose numbers tell the list.
func grouping(s *table.Schema, lists [][]int) cells.Grouping {
	groups := make([]int, len(lists))
	for number, list := range lists {
		groups[number] = max(1, int(s.Project(list).Records(groupCells*mostGroups)/groupCells))
	}
	return func(number int, key []byte, _ []uint16, _ int) int {
		return number*mostGroups + hash(key)%groups[number]
	}
}

// listOf returns the list of a group's cells.
func listOf(group int) int { return group / mostGroups }

// hash is the same everywhere.
func hash(text []byte) int {
	h := fnv.New32a()
	h.Write(text)
	return int(h.Sum32() & (1<<31 - 1))
}
