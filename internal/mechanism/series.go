package mechanism

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/privacy"
)

// MostRounds is the greatest number of rounds in a series.
const MostRounds = 10_000

// A Series says that the exponential mechanism ran on a stream that comes in Rounds of
// Batch rows each. This hypothesis was drawn in the given Round, from 1. Epsilon is that
// of one of them; the guarantee is that of all together.
type Series struct {
	Round   int             `json:"round"`
	Rounds  int             `json:"rounds"`
	Batch   int64           `json:"batch"`
	Epsilon privacy.Decimal `json:"epsilon"`
}

// check reports rounds that are none.
func (j Series) check() error {
	switch {
	case j.Rounds < 1 || j.Rounds > MostRounds:
		return fmt.Errorf("its rounds %d are outside 1..%d", j.Rounds, MostRounds)
	case j.Round < 1 || j.Round-1 > j.Rounds:
		return fmt.Errorf("its round %d is none of %d and the one after them", j.Round, j.Rounds)
	}
	return nil
}

// Record is what a model says of a hypothesis of the series.
func (j Series) Record(b *Base) any {
	record := RecordOf(b)
	record.Series = &j
	return record
}

// promise returns the guarantee of the whole series.
func (j Series) promise(b *Base) (privacy.Guarantee, error) {
	if err := j.check(); err != nil {
		return nil, err
	}
	if !b.Guarantee().Relation().Replaces() {
		return nil, errors.New("its series is under add-remove, where batches would not keep their rows")
	}
	leader, err := learn.NewLeader(b, j.Batch)
	if err != nil {
		return nil, err
	}
	return leader.Guarantee(j.Rounds)
}

// Place says where in a series a model's hypothesis is; 0 and 0 where it is in none.
func Place(m *model.Model) (number, of int) {
	var j struct{ Series *Series }
	if m.Mechanism.Name != ExponentialName || json.Unmarshal(m.Mechanism.Parameters, &j) != nil || j.Series == nil {
		return 0, 0
	}
	return j.Series.Round, j.Series.Rounds + 1
}
