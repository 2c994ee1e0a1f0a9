package learntest

// An Observed record is a record with one of several outcomes. Count is the number of equal
// rows of the table.
type Observed[X any] struct {
	X       X
	Outcome int
	Count   int64
}

// Observations is a list of observed records in memory. It implements learn.Records.
type Observations[X any] []Observed[X]

// Len returns the number of observations.
func (o Observations[X]) Len() int { return len(o) }

// Record returns the record of observation i.
func (o Observations[X]) Record(i int, _ X) X { return o[i].X }

// Outcome returns the outcome of observation i.
func (o Observations[X]) Outcome(i int) int { return o[i].Outcome }

// Count returns the count of observation i.
func (o Observations[X]) Count(i int) int64 { return o[i].Count }
