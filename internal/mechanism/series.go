package mechanism

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/privacy"
)

// MostRounds is the maximum number of rounds of a series. A series learns one hypothesis for each
// batch of a stream.
const MostRounds = 10_000

// A Series describes, in a model file, the stream of batches from which a hypothesis was learned.
// The exponential mechanism ran on Rounds batches, each of Batch rows, and sampled this hypothesis
// in the given Round, counted from 1. Epsilon is the ε of one round. The guarantee of the model is
// that of the whole series.
type Series struct {
	Round   int             `json:"round"`
	Rounds  int             `json:"rounds"`
	Batch   int64           `json:"batch"`
	Epsilon privacy.Decimal `json:"epsilon"`
}

// check returns an error if the number of the round or the number of all rounds is out of range.
func (j Series) check() error {
	switch {
	case j.Rounds < 1 || j.Rounds > MostRounds:
		return fmt.Errorf("the number of rounds of the series is %d, but must be 1..%d", j.Rounds, MostRounds)
	case j.Round < 1 || j.Round-1 > j.Rounds:
		return fmt.Errorf("the round of the series is %d, but must be 1 to %d, the number of rounds plus one", j.Round, j.Rounds+1)
	}
	return nil
}

// Record returns the mechanism's record for the model file of a hypothesis of the series. The
// mechanism b sampled the hypothesis.
func (j Series) Record(b *Base) any {
	record := RecordOf(b)
	record.Series = &j
	return record
}

// promise returns the joint guarantee of all hypotheses of the series. The mechanism b samples each
// of them.
func (j Series) promise(b *Base) (privacy.Guarantee, error) {
	if err := j.check(); err != nil {
		return nil, err
	}
	if !b.Guarantee().Relation().Replaces() {
		return nil, errors.New("the relation of a series must be replace-one, but is add-remove")
	}
	leader, err := learn.NewLeader(b, j.Batch)
	if err != nil {
		return nil, err
	}
	return leader.Guarantee(j.Rounds)
}

// Place returns the position of a model in its series: the number of the round in which its
// hypothesis was sampled, counted from 1, and the number of rounds. Both are 0 if the model does
// not belong to a series.
func Place(m *model.Model) (number, of int) {
	var j struct{ Series *Series }
	if m.Mechanism.Name != ExponentialName || json.Unmarshal(m.Mechanism.Parameters, &j) != nil || j.Series == nil {
		return 0, 0
	}
	return j.Series.Round, j.Series.Rounds + 1
}
