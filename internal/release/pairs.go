package release

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/pairs"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Pairs requests the two-way marginals of all pairs of columns: the number of rows with each pair of values (package
// pairs). All fields are public, as in a Request.
type Pairs struct {
	Schema *table.Schema // a label, if there is one, is treated as a column

	Epsilon, Delta privacy.Decimal  // the privacy budget; δ must exceed 0
	Total          bool             // as in a Request
	Relation       privacy.Relation // zero: privacy.ReplaceOne
	Rows           int64            // as in a Request
	Seed           *uint64          // as in a Request
}

// PreparedPairs is a Pairs request whose public parameters have been checked, ready to be released.
type PreparedPairs struct {
	gaussian
	Columns []table.Attribute // the columns, the label last

	// Expected estimates, before the data is read, the root mean square error of a count over all pairs. Noise is the
	// standard deviation of a count before the projection.
	Expected, Noise float64

	request   *Pairs
	mechanism *pairs.Mechanism
	record    pairsMechanismJSON
}

// CountedPairs holds the released counts for all pairs of columns.
type CountedPairs struct {
	*pairs.Answers
	Columns []table.Attribute
	Public  *int64 // the number of rows or persons of the data; nil if it is private
}

// Prepare checks the public parameters of the request and computes its privacy guarantee.
func (r Pairs) Prepare() (*PreparedPairs, error) {
	if r.Schema == nil {
		return nil, errors.New("the schema is missing")
	}
	s := &mechanism.Setting{Schema: r.Schema, Epsilon: r.Epsilon, Delta: r.Delta, Relation: r.Relation, Rows: r.Rows}
	if r.Total {
		return prepareRest(*s, func(epsilon, delta privacy.Decimal) (*PreparedPairs, error) {
			r.Epsilon, r.Delta, r.Total = epsilon, delta, false
			return r.Prepare()
		})
	}
	p := &PreparedPairs{request: &r, Columns: columnsOf(r.Schema)}
	if len(p.Columns) < 2 {
		return nil, errors.New("the schema has one column; pairs need at least two")
	}
	var err error
	if p.gaussian, err = newGaussian(s, "counts of pairs need", r.Seed); err != nil {
		return nil, err
	}
	if err := p.plan(s); err != nil {
		return nil, err
	}
	p.Expected, p.Noise = p.mechanism.ExpectedCount(r.Rows), p.mechanism.ExpectedCount(0)
	if p.Guarantee == nil {
		return p, nil
	}
	return p, p.Guarantee.RestOn(p.mechanism.Guarantee())
}

// plan constructs the mechanism from the public parameters, and sets p.mechanism and p.record.
func (p *PreparedPairs) plan(s *mechanism.Setting) (err error) {
	p.record = pairsMechanismJSON{Name: pairsName, Sizes: s.Schema.Sizes()}
	if s.Schema.Label != nil {
		p.record.Outcomes = s.Schema.Outcomes()
	}
	p.mechanism, p.record.RhoOrMu, err = mechanism.WithLessNoise(s, func(b mechanism.RhoOrMu) (*pairs.Mechanism, error) {
		j := p.record
		j.RhoOrMu = b
		return j.mechanism(p.relation)
	}, func(a, b *pairs.Mechanism) bool { return a.ExpectedCount(0) < b.ExpectedCount(0) })
	return err
}

// columnsOf returns the attributes of a schema, followed by the label as an attribute if there is one.
func columnsOf(s *table.Schema) []table.Attribute {
	columns := slices.Clone(s.Attributes)
	if s.Label != nil {
		label, err := (&table.Schema{Label: s.Label}).Flat()
		if err != nil {
			panic(err) // of one column
		}
		columns = append(columns, label.Attributes...)
	}
	return columns
}

// Release opens the data and publishes the counts as the lines of a CSV file.
func (p *PreparedPairs) Release(ctx context.Context, d Data, t Terms) (*CountedPairs, error) {
	return take(ctx, t, pipeline[table.Counts, *CountedPairs]{
		promise: p.mechanism.Guarantee(), void: p.Void, data: d, schema: p.request.Schema, queries: stating(p.Queries(), p.relation, p.request.Rows), describe: p.describe,
		open: opensCounts(d, p.request.Schema, p.Queries()),
		admit: func(data table.Counts) error {
			return admit(data, p.request.Schema, p.relation, p.request.Rows, t.Log)
		},
		draw: func(ctx context.Context, data table.Counts) (*CountedPairs, [][]byte, error) {
			sums, err := p.mechanism.Release(ctx, data, coins(p.request.Seed))
			if err != nil {
				return nil, nil, err
			}
			t.Log.tell("drew %d sums", len(sums))
			answers, err := p.mechanism.Answer(ctx, sums)
			if err != nil {
				return nil, nil, err
			}
			c := &CountedPairs{Answers: answers, Columns: p.Columns}
			if p.relation.Replaces() {
				n := data.Rows()
				c.Public = &n
			}
			text, err := c.text(p.Void)
			return c, [][]byte{text}, err
		},
	})
}

// Queries returns the queries that the release sends to the data.
func (p *PreparedPairs) Queries() table.Queries { return p.mechanism.Queries() }

// text formats the counts as CSV: one line for each combination of a value of a column and a value of a later column.
// If the release has no guarantee, void is the reason, which each line states.
func (c *CountedPairs) text(void model.Void) ([]byte, error) {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	lines := [][]string{{"column", "value", "other", "other_value", "count", "error"}}
	if void != "" {
		lines[0] = append(lines[0], model.NotPrivate)
	}
	for j := range c.Columns {
		for k := j + 1; k < len(c.Columns); k++ {
			counts, off := c.Counts(j, k)
			for a, value := range c.Columns[j].Categories() {
				for b, other := range c.Columns[k].Categories() {
					line := []string{c.Columns[j].Name, value, c.Columns[k].Name, other, tenths(counts[a*c.Columns[k].Len()+b]), tenths(off)}
					if void != "" {
						line = append(line, string(void))
					}
					lines = append(lines, line)
				}
			}
		}
		if err := w.WriteAll(lines); err != nil {
			return nil, err
		}
		lines = lines[:0]
	}
	return text.Bytes(), nil
}

func tenths(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

// pairsFormat is the name and version of the format in which a ledger describes the release of counts of pairs.
const pairsFormat = "sibyl-pairs/1"

type pairsJSON struct {
	Format    string             `json:"format"`
	Guarantee *privacy.Statement `json:"guarantee"`
	Mechanism pairsMechanismJSON `json:"mechanism"`
}

type pairsMechanismJSON struct {
	Name     string `json:"name"`
	Sizes    []int  `json:"sizes"`
	Outcomes int    `json:"outcomes"` // 0 if the rows have no outcome
	mechanism.RhoOrMu
}

const pairsName = "pairs"

// mechanism returns the mechanism that the description states, under the neighbour relation r.
func (j pairsMechanismJSON) mechanism(r privacy.Relation) (*pairs.Mechanism, error) {
	g, err := privacy.NewGaussianBudget(r, j.Rho, j.Mu)
	if err != nil {
		return nil, err
	}
	return pairs.New(j.Sizes, j.Outcomes, g)
}

// describe returns the description of the release, which the ledger stores.
func (p *PreparedPairs) describe() (json.RawMessage, error) {
	return json.Marshal(pairsJSON{pairsFormat, p.Guarantee, p.record})
}

// recomputePairs computes the guarantee of a release from the description in a ledger, which describe wrote.
func recomputePairs(description json.RawMessage) (privacy.Guarantee, error) {
	var j pairsJSON
	if err := mechanism.Decode(description, &j); err != nil {
		return nil, err
	}
	if j.Guarantee == nil || j.Mechanism.Name != pairsName {
		return nil, errors.New("the description must state a guarantee, and its mechanism must be counts of pairs")
	}
	m, err := j.Mechanism.mechanism(j.Guarantee.Relation)
	if err != nil {
		return nil, errors.New(model.Reason(err))
	}
	return m.Guarantee(), j.Guarantee.FollowsFrom(m.Guarantee())
}
