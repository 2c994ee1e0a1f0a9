package synth

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/strictjson"
	"github.com/sibyl-dp/sibyl/internal/synth/cells"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The JSON format of the measurements of a release is described in docs/reference/formats.md.

type measuredJSON struct {
	Relation privacy.Relation `json:"relation"`
	Rho      fraction         `json:"rho"`
	Planned  *costJSON        `json:"planned,omitempty"`
	Outcome  bool             `json:"outcome"`
	Number   *numberJSON      `json:"number,omitempty"`
	Columns  []columnJSON     `json:"columns"`
	Pairs    []contrastsJSON  `json:"pairs"`
	Rounds   []roundJSON      `json:"rounds"`
}

type costJSON struct {
	Rho       fraction  `json:"rho"`
	MuSquared *fraction `json:"mu_squared,omitempty"`
}

type numberJSON struct {
	Sigma2 fraction `json:"sigma2"`
	Count  int64    `json:"count"`
}

type columnJSON struct {
	Ordered bool     `json:"ordered"`
	Sigma2  fraction `json:"sigma2"`

	// Counts has the noisy counts of the values of the column, or Contrasts their noisy contrasts. The other field
	// is nil.
	Counts    []int64 `json:"counts,omitempty"`
	Contrasts []int64 `json:"contrasts,omitempty"`

	Again []int64 `json:"again,omitempty"`

	// AgainSigma2 is nil if Again has the same noise as Counts.
	AgainSigma2 *fraction `json:"again_sigma2,omitempty"`

	// Bins has, by value, the counts of its bins. It is nil if the column has no bins.
	Bins      [][]int64 `json:"bins,omitempty"`
	BinSigma2 *fraction `json:"bin_sigma2,omitempty"`
}

type measurementJSON struct {
	Axes   []axisJSON `json:"axes"`
	Sigma2 fraction   `json:"sigma2"`
	Counts []int64    `json:"counts"`
}

type contrastsJSON struct {
	Axes      []axisJSON `json:"axes"`
	Sigma2    fraction   `json:"sigma2"`
	Contrasts []int64    `json:"contrasts"`
}

type axisJSON struct {
	Column int   `json:"column"`
	Cells  []int `json:"cells"`
	Size   int   `json:"size"`
}

type roundJSON struct {
	Fewer   bool            `json:"fewer"`
	Epsilon privacy.Decimal `json:"epsilon"`
	measurementJSON
}

// A fraction is a positive rational number. Its JSON form is a string in lowest terms, such as "3" or "1/4".
type fraction struct{ rat *big.Rat }

// mostDigits is the maximum length, in bytes, of the JSON form of a fraction.
const mostDigits = 2000

func (f fraction) MarshalText() ([]byte, error) { return []byte(f.rat.RatString()), nil }

func (f *fraction) UnmarshalText(text []byte) error {
	s := string(text)
	if len(s) > mostDigits || strings.Trim(s, "0123456789/") != "" {
		return fmt.Errorf("%.60q must be a fraction such as 3 or 1/4", s)
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok || r.Sign() <= 0 || r.RatString() != s {
		return fmt.Errorf("%.60q must be a positive fraction in lowest terms", s)
	}
	f.rat = r
	return nil
}

// MarshalJSON returns the released measurements and the ρ that they consume as JSON.
func (m *Measured) MarshalJSON() ([]byte, error) {
	out := measuredJSON{
		Relation: m.Relation, Rho: fraction{m.Rho()}, Outcome: m.Domain.Outcome,
		Columns: []columnJSON{}, Pairs: []contrastsJSON{}, Rounds: []roundJSON{},
	}
	if c := m.Planned; c.Rho != nil {
		out.Planned = &costJSON{Rho: fraction{c.Rho}}
		if c.Square != nil {
			out.Planned.MuSquared = &fraction{c.Square}
		}
	}
	if m.Number != nil {
		out.Number = &numberJSON{fraction{m.Number.Sigma2}, m.Number.Counts[0]}
	}
	for j, c := range m.Columns {
		column := columnJSON{Ordered: m.Domain.Columns[j].Ordered, Sigma2: fraction{c.Sigma2}, Again: c.Again}
		if c.Contrasts {
			column.Contrasts = c.Counts
		} else {
			column.Counts = c.Counts
		}
		if c.Again != nil && c.AgainSigma2.Cmp(c.Sigma2) != 0 {
			column.AgainSigma2 = &fraction{c.AgainSigma2}
		}
		if bins := m.Domain.bins(j); bins != nil {
			column.Bins, column.BinSigma2 = make([][]int64, m.Domain.Columns[j].Size), &fraction{m.Bins[j].Sigma2}
			for b, n := range m.Bins[j].Counts {
				column.Bins[bins[b]] = append(column.Bins[bins[b]], n)
			}
		}
		out.Columns = append(out.Columns, column)
	}
	for _, p := range m.Pairs {
		out.Pairs = append(out.Pairs, contrastsJSON{axesJSON(p.Axes), fraction{p.Sigma2}, p.Counts})
	}
	for _, r := range m.Rounds {
		m := r.Measurement
		out.Rounds = append(out.Rounds, roundJSON{r.Fewer, r.Epsilon, measurementJSON{axesJSON(m.Axes), fraction{m.Sigma2}, m.Counts}})
	}
	return json.Marshal(out)
}

func axesJSON(axes []table.Axis) []axisJSON {
	var out []axisJSON
	for _, a := range axes {
		cells := make([]int, len(a.Cells))
		for v, c := range a.Cells {
			cells[v] = int(c)
		}
		out = append(out, axisJSON{a.Column, cells, a.Size})
	}
	return out
}

// UnmarshalJSON parses the output of MarshalJSON. It fails if a measurement does not match its axes or the domain, if
// the stated ρ differs from the one that it recomputes, or if the measurements cost more than the plan.
func (m *Measured) UnmarshalJSON(text []byte) error {
	var in measuredJSON
	if err := strictjson.Decode(text, &in); err != nil {
		return err
	}
	out := Measured{Domain: Domain{Outcome: in.Outcome}, Relation: in.Relation}
	for j, c := range in.Columns {
		if c.Counts != nil && c.Contrasts != nil {
			return fmt.Errorf("synth: column %d must not have both of the keys \"counts\" and \"contrasts\"", j+1)
		}
		counts := c.Counts
		if c.Contrasts != nil {
			counts = c.Contrasts
		}
		out.Domain.Columns = append(out.Domain.Columns, Column{len(counts), c.Ordered})
		axes := []table.Axis{{Column: j, Size: len(counts)}}
		column := Measurement{Axes: axes, Sigma2: c.Sigma2.rat, Counts: counts, Contrasts: c.Contrasts != nil, Again: c.Again}
		switch {
		case c.AgainSigma2 != nil:
			column.AgainSigma2 = c.AgainSigma2.rat
		case c.Again != nil:
			column.AgainSigma2 = c.Sigma2.rat
		}
		out.Columns = append(out.Columns, column)
		if err := out.readBins(j, c, len(in.Columns)); err != nil {
			return err
		}
	}
	for _, p := range in.Pairs {
		axes, err := axesOf(p.Axes)
		if err != nil {
			return err
		}
		out.Pairs = append(out.Pairs, Measurement{Axes: axes, Sigma2: p.Sigma2.rat, Counts: p.Contrasts, Contrasts: true})
	}
	if err := out.Domain.check(); err != nil {
		return err
	}
	if in.Number != nil {
		number := numberOf(out.Domain, in.Number.Sigma2.rat)
		number.Counts = []int64{in.Number.Count}
		out.Number = &number
	}
	for _, r := range in.Rounds {
		axes, err := axesOf(r.Axes)
		if err != nil {
			return err
		}
		out.Rounds = append(out.Rounds, Round{r.Fewer, r.Epsilon, Measurement{Axes: axes, Sigma2: r.Sigma2.rat, Counts: r.Counts}})
	}
	if err := out.check(); err != nil {
		return err
	}
	if rho := out.Rho(); in.Rho.rat == nil || rho.Cmp(in.Rho.rat) != 0 {
		return fmt.Errorf("synth: the measurements have ρ = %s, but the key \"rho\" states another value", rho.RatString())
	}
	if in.Planned != nil {
		out.Planned.Rho = in.Planned.Rho.rat
		if s := in.Planned.MuSquared; s != nil {
			out.Planned.Square = s.rat
		}
		if err := out.checkPlanned(); err != nil {
			return err
		}
	}
	*m = out
	return nil
}

// readBins adds the measurement of the bins of column j, if the column has bins. The parameter columns is the number
// of columns of the table.
func (m *Measured) readBins(j int, c columnJSON, columns int) error {
	if (c.Bins == nil) != (c.BinSigma2 == nil) {
		return fmt.Errorf("synth: column %d must have both of the keys \"bins\" and \"bin_sigma2\", or neither", j+1)
	}
	if c.Bins == nil {
		return nil
	}
	var values []uint16
	var counts []int64
	for v, of := range c.Bins {
		for _, n := range of {
			values, counts = append(values, uint16(v)), append(counts, n)
		}
	}
	if m.Bins == nil {
		m.Domain.Bins, m.Bins = make([][]uint16, columns), make([]Measurement, columns)
	}
	m.Domain.Bins[j], m.Bins[j] = values, binsOf(j, len(values), c.BinSigma2.rat)
	m.Bins[j].Counts = counts
	return nil
}

// axesOf converts axes from their JSON form. It returns an error if a value is assigned to a cell that does not
// exist.
func axesOf(axes []axisJSON) ([]table.Axis, error) {
	var out []table.Axis
	for _, a := range axes {
		axis := table.Axis{Column: a.Column, Cells: make([]uint16, len(a.Cells)), Size: a.Size}
		for v, c := range a.Cells {
			if c < 0 || c >= min(a.Size, MostSize) {
				return nil, fmt.Errorf("synth: column %d has cell %d, which must be within 0..%d", a.Column+1, c, min(a.Size, MostSize)-1)
			}
			axis.Cells[v] = uint16(c)
		}
		out = append(out, axis)
	}
	return out, nil
}

// check returns an error if the measurements are not a possible result of a release.
func (m *Measured) check() error {
	if err := m.Domain.check(); err != nil {
		return err
	}
	pairs := m.Domain.pairs()
	if len(m.Pairs) != len(pairs) {
		return fmt.Errorf("synth: there are %d pairs for %d columns, instead of %d", len(m.Pairs), len(m.Columns), len(pairs))
	}
	if m.Number != nil {
		if err := m.checkMeasurement(*m.Number); err != nil {
			return fmt.Errorf("synth: the key \"number\": %w", err)
		}
	}
	for j, c := range m.Columns {
		if c.Contrasts && m.Number == nil {
			return fmt.Errorf("synth: column %d has the key \"contrasts\", so the key \"number\" must contain a noisy number of rows", j+1)
		}
		if err := m.checkMeasurement(c); err != nil {
			return fmt.Errorf("synth: column %d: %w", j+1, err)
		}
		if c.Again != nil || c.AgainSigma2 != nil {
			if err := m.checkValues(c.Axes, c.Again); err != nil {
				return fmt.Errorf("synth: the second measurement of column %d: %w", j+1, err)
			}
		}
	}
	for j, bins := range m.Bins {
		if err := checkCounts(bins.Counts); err != nil {
			return fmt.Errorf("synth: the bins of column %d: %w", j+1, err)
		}
	}
	for i, p := range m.Pairs {
		if len(p.Axes) != 2 || p.Axes[0].Column != pairs[i][0] || p.Axes[1].Column != pairs[i][1] {
			return fmt.Errorf("synth: pair %d must have the columns %d and %d", i+1, pairs[i][0]+1, pairs[i][1]+1)
		}
		if len(p.Counts) > cells.MostCells {
			return fmt.Errorf("synth: pair %d has %d contrasts; the maximum is %d", i+1, len(p.Counts), cells.MostCells)
		}
		if err := m.checkMeasurement(p); err != nil {
			return fmt.Errorf("synth: pair %d: %w", i+1, err)
		}
	}
	for i, r := range m.Rounds {
		if len(r.Measurement.Axes) < 2 || len(r.Measurement.Axes) > mostTerms || r.Epsilon.IsZero() {
			return fmt.Errorf("synth: round %d measures %d columns with an ε of %v; it must measure 2 to %d columns with a positive ε", i+1, len(r.Measurement.Axes), r.Epsilon, mostTerms)
		}
		if err := m.checkMeasurement(r.Measurement); err != nil {
			return fmt.Errorf("synth: round %d: %w", i+1, err)
		}
	}
	return nil
}

// checkPlanned returns an error if the measurements cost more than the stated cost of the plan.
func (m *Measured) checkPlanned() error {
	c, p := m.cost(), m.Planned
	switch {
	case p.Rho == nil || c.Rho.Cmp(p.Rho) > 0:
		return fmt.Errorf("synth: the measurements have ρ = %s, so the key \"rho\" of \"planned\" must be at least this number", c.Rho.RatString())
	case p.Square == nil:
		return nil
	case c.Square == nil:
		return errors.New("synth: the noise of a measurement is too small for a μ, so \"planned\" must not have the key \"mu_squared\"")
	case c.Square.Cmp(p.Square) > 0:
		return fmt.Errorf("synth: the measurements have μ² = %s, so the key \"mu_squared\" of \"planned\" must be at least this number", c.Square.RatString())
	}
	return nil
}

// checkMeasurement returns an error if the measurement has no sigma2, or if checkValues returns an error for its
// counts.
func (m *Measured) checkMeasurement(of Measurement) error {
	if of.Sigma2 == nil {
		return errors.New("the key \"sigma2\" is missing")
	}
	return m.checkValues(of.Axes, of.Counts)
}

// checkValues returns an error unless the axes are valid, their columns increase, and the slice of has one measured
// value within ±MostCount for each cell.
func (m *Measured) checkValues(axes []table.Axis, of []int64) error {
	n, before := 1, -1
	for _, a := range axes {
		if a.Column <= before || a.Column >= len(m.Domain.Columns) {
			return fmt.Errorf("column %d is not a column of the domain, or it does not come after column %d", a.Column+1, before+1)
		}
		before = a.Column
		values := m.Domain.Columns[a.Column].Size
		if a.Size < 1 || a.Size > max(values, 2) || a.Cells != nil && len(a.Cells) != values {
			return fmt.Errorf("the axis of column %d has %d cells and maps %d values to them, but the column has %d values", a.Column+1, a.Size, len(a.Cells), values)
		}
		if n *= a.Size; n > len(of) {
			break
		}
	}
	if n != len(of) {
		return fmt.Errorf("there are %d counts for %d cells, but each cell must have one count", len(of), n)
	}
	return checkCounts(of)
}

// checkCounts returns an error if one of the released counts is outside ±MostCount.
func checkCounts(of []int64) error {
	for _, n := range of {
		if n < -MostCount || n > MostCount {
			return fmt.Errorf("the count %d is outside ±%d", n, int64(MostCount))
		}
	}
	return nil
}
