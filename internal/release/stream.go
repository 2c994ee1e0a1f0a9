package release

import (
	"context"
	"encoding/json"
	"math/big"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Stream requests the release of a series of hypotheses by the exponential mechanism while rows arrive in batches.
// It has Rounds batches of Batch rows and releases Rounds + 1 hypotheses: one before each batch, learned from all
// earlier batches, and one after the last batch. The ε of the request is that of the whole series.
//
// The mechanism must select the hypotheses of the requested form by a search. The request must have neither a
// mechanism nor a δ, and its relation must be privacy.ReplaceOne.
type Stream struct {
	Request
	Rounds int
	Batch  int64
}

// A PreparedStream is a Stream whose public parameters have been checked, ready to be released.
type PreparedStream struct {
	Guarantee *privacy.Statement // the guarantee of the whole series; nil if it is not private
	Void      model.Void         // the reason if it is not
	Effort    mechanism.Effort
	Regret    *float64 // an upper bound on the expected regret; nil if the bound is vacuous

	setting *mechanism.Setting
	promise privacy.Guarantee
	base    *mechanism.Base
	leader  *learn.Leader[table.Record, any]
	series  mechanism.Series
	seed    *uint64
	rows    int64 // the stated number of rows; 0 if it is not stated
}

// Prepare checks the public parameters of the request and computes the privacy guarantee of the series.
func (r Stream) Prepare() (*PreparedStream, error) {
	s, err := r.setting()
	if err != nil {
		return nil, err
	}
	switch {
	case !mechanism.SearchedOnly(mechanism.KindOfForm(r.Form)):
		return nil, parameter.Errorf("{class} %s does not support a series of releases, because its regret has no bound; choose %s", r.Form.Name(), strings.Join(mechanism.NamesOf(mechanism.SearchedOnly), ", "))
	case s.Schema.Person != nil:
		return nil, s.OfRows("a series")
	case !s.Relation.Replaces():
		return nil, parameter.Errorf("{relation} %v is not supported for a series, because adding or removing a row would move other rows between batches; use replace", s.Relation)
	case r.Rounds < 1 || r.Rounds > mechanism.MostRounds:
		return nil, parameter.Errorf("{rounds} %d is outside 1..%d", r.Rounds, mechanism.MostRounds)
	case r.Batch < 1 || r.Batch > learn.MostRows/int64(r.Rounds):
		return nil, parameter.Errorf("{batch} %d is not supported: for %d rounds, it must be 1 to %d", r.Batch, r.Rounds, learn.MostRows/int64(r.Rounds))
	}
	share := s.Epsilon.Rat()
	if s.Epsilon, err = privacy.RoundDown(share.Quo(share, new(big.Rat).SetInt64(int64(r.Rounds))), 9); err != nil {
		return nil, err
	}
	if err := s.LayOut(r.Balanced, &mechanism.Exponential{}); err != nil {
		return nil, err
	}
	s.Rows = r.Batch * int64(r.Rounds)
	most, err := mechanism.MostRows(s.Space.Sampling().Class, s.Schema, s.Rows)
	if err != nil {
		return nil, err
	}
	p := &PreparedStream{
		Effort: mechanism.EffortOf(s.Form, s.Space, s.Schema, s.Rows, most), setting: s, seed: r.Seed, rows: r.Rows,
		series: mechanism.Series{Rounds: r.Rounds, Batch: r.Batch, Epsilon: s.Epsilon},
	}
	if p.base, err = learn.NewExponential(s.Space.Sampling().Class, s.Epsilon, s.Relation, s.Costs); err != nil {
		return nil, err
	}
	if p.leader, err = learn.NewLeader(p.base, r.Batch); err != nil {
		return nil, err
	}
	worst := float64(s.Rows) * float64(s.Costs.Range())
	if regret := p.leader.Regret(int64(r.Rounds), worst); regret < worst {
		p.Regret = &regret
	}
	if p.promise, err = p.leader.Guarantee(r.Rounds); err != nil {
		return nil, err
	}
	if r.Seed != nil {
		p.Void = model.InsecureSeed
		return p, nil
	}
	p.Guarantee, err = privacy.State(p.promise)
	return p, err
}

// Models returns the number of models that the series consists of.
func (p *PreparedStream) Models() int { return p.series.Rounds + 1 }

// model returns the model with the hypothesis h of the given round. The hypothesis is nil before it is sampled.
func (p *PreparedStream) model(h any, round int) *model.Model {
	series := p.series
	series.Round = round
	return &model.Model{
		Schema: p.setting.Schema, Form: p.setting.Form, Space: p.setting.Space, Hypothesis: h,
		Mechanism: model.NewMechanism(series.Record(p.base)), Guarantee: p.Guarantee, Void: p.Void,
	}
}

// Release reads all batches and releases all models together. It must be called only once.
func (p *PreparedStream) Release(ctx context.Context, d Data, t Terms) ([]*model.Model, error) {
	p.base.Observe = mechanism.Curator{Tell: t.Log.tell}.Effort
	return take(ctx, t, pipeline[[][]learn.Example[table.Record], []*model.Model]{
		promise: p.promise, describe: func() (json.RawMessage, error) { return p.model(nil, 1).Describe(privacy.Decimal{}) }, void: p.Void, data: d, schema: p.setting.Schema, queries: table.Queries{Rows: true, Stated: p.rows},
		open: func(ctx context.Context) ([][]learn.Example[table.Record], func(), error) {
			batches, err := p.read(ctx, d)
			return batches, nil, err
		},
		admit: func([][]learn.Example[table.Record]) error { return nil },
		draw: func(ctx context.Context, batches [][]learn.Example[table.Record]) (models []*model.Model, texts [][]byte, err error) {
			random := coins(p.seed)
			for round := range p.Models() {
				h, err := p.leader.Next(ctx, random)
				if err != nil {
					return nil, nil, err
				}
				if round < len(batches) {
					if err := p.see(h, round, batches[round], t.Log); err != nil {
						return nil, nil, err
					}
				}
				m := p.model(h, round+1)
				text, err := m.Text()
				if err != nil {
					return nil, nil, err
				}
				models, texts = append(models, m), append(texts, text)
			}
			return models, texts, nil
		},
	})
}

// see ends a round: it passes the batch after the hypothesis h to the learner, and logs how many records of this
// batch h predicts wrongly.
func (p *PreparedStream) see(h any, round int, batch []learn.Example[table.Record], log *Log) error {
	wrong := 0
	for _, e := range batch {
		if p.setting.Space.Sampling().Class.Predict(h, e.X) != e.Label {
			wrong++
		}
	}
	log.tell("round %d: %d of %d records predicted wrongly", round+1, wrong, len(batch))
	return p.leader.See(batch)
}

// read returns the examples of each batch. A null record counts as a row of its batch.
func (p *PreparedStream) read(ctx context.Context, d Data) ([][]learn.Example[table.Record], error) {
	rounds, batch := p.series.Rounds, p.series.Batch
	batches := make([][]learn.Example[table.Record], rounds)
	most := int64(rounds) * batch
	rows := int64(0)
	err := d.Records(ctx, p.setting.Schema, func(r source.Row) error {
		if at := rows / batch; !r.Null && rows < most {
			batches[at] = append(batches[at], learn.Example[table.Record]{X: slices.Clone(r.Record), Label: r.Label, Count: 1})
		}
		rows++
		return nil
	})
	if err == nil {
		err = p.setting.Schema.CheckRows(p.rows, rows)
	}
	if err == nil && (rows > most || rows <= most-batch) {
		err = parameter.Errorf("the data has %d rows, but {rounds} %d with {batch} %d requires %d to %d rows; change {rounds} or {batch}", rows, rounds, batch, most-batch+1, most)
	}
	return batches, err
}
