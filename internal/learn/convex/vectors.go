package convex

import "github.com/sibyl-dp/sibyl/internal/learn"

// Vectors returns the examples d with their records as 0/1 vectors. They are valid input for learn.Box if its
// learn.BoxSpace has Dim = f.Columns(), Feature = 1 and Norm = f.Most().
func (f *Features) Vectors(d []learn.Example[[]uint16]) []learn.Example[[]int64] {
	vectors := make([]learn.Example[[]int64], len(d))
	var row []int
	for i, e := range d {
		x := make([]int64, f.columns)
		row = f.Row(row[:0], e.X)
		for _, j := range row {
			x[j] = 1
		}
		vectors[i] = learn.Example[[]int64]{X: x, Label: e.Label, Count: e.Count}
	}
	return vectors
}
