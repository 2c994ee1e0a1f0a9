package risk

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/strictjson"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Counts holds the number of rows with each grade, such as a range of totals of points (see Grade), and outcome. The
// numbers are either exact, and only for the curator, or noisy. Noisy numbers may be negative, and Epsilon and
// Relation describe their noise. If neighbouring tables differ in a person, the numbers are in units, and a person
// consists of learn.Units units.
type Counts struct {
	Scale   Scale
	Cells   [][]*big.Int // Cells[o][g] counts the rows with outcome o at grade g
	Outside *big.Int

	// Rows is the number of rows or persons of the table, or nil if it is private. It is not written to JSON.
	Rows *big.Int

	// Order lists the leaves in increasing order of the risks that a model states for them. If it is nil, the leaves
	// are ordered by the risks that these counts estimate. It is not written to JSON.
	Order []int

	// Adjusted states how numbers of rows are estimated from noisy counts: so that they add up to Rows (see estimate).
	// In files of earlier versions it is false. Each estimate is then a sum of noisy counts.
	Adjusted bool

	values  [][]*big.Int // like Cells, the estimates of the cells
	outside *big.Int     // the estimate of Outside

	each *Counts // exact counts at each total, if several totals share a grade; otherwise nil

	// Epsilon and Relation are the parameters of the histogram. Both are zero for exact counts.
	Epsilon  privacy.Decimal
	Relation privacy.Relation
}

// mostBits is the maximum number of bits of a count, which no real count reaches. A table has at most 2³¹ rows, and
// the noise with the greatest scale that a decimal ε allows exceeds 2⁵¹² only with probability e^(-2¹⁸⁰).
const mostBits = 512

// Noisy returns the Counts for the numbers that learn.Histogram released with a positive ε. It returns an error if the
// scale has another number of cells. The error reveals nothing private, because both numbers of cells are public.
func Noisy(s Scale, cells []*big.Int, epsilon privacy.Decimal, r privacy.Relation) (*Counts, error) {
	if len(cells) != s.Cells() {
		return nil, fmt.Errorf("risk: there are %d counts for %d cells, but each cell must have one count", len(cells), s.Cells())
	}
	c := &Counts{Scale: s, Outside: cells[len(cells)-1], Epsilon: epsilon, Relation: r, Adjusted: true}
	for o := range s.Outcomes {
		of := make([]*big.Int, len(s.Grades))
		for i := range of {
			of[i] = cells[s.cell(i, o)]
		}
		c.Cells = append(c.Cells, of)
	}
	return c, nil
}

// Exact returns the exact Counts for the numbers that Scale.Count returned. The result is only for the curator. Exact
// returns an error if the scale has another number of cells.
func Exact(s Scale, cells []int64) (*Counts, error) {
	exact := make([]*big.Int, len(cells))
	for i, n := range cells {
		exact[i] = big.NewInt(n)
	}
	c, err := Noisy(s, exact, privacy.Decimal{}, 0)
	if err != nil {
		return nil, err
	}
	c.Rows = new(big.Int)
	for _, n := range exact {
		c.Rows.Add(c.Rows, n)
	}
	return c, nil
}

// Counted returns the noun for what is counted: "rows" or "persons".
func (c *Counts) Counted() string {
	if c.Relation.Persons() > 0 {
		return "persons"
	}
	return "rows"
}

// Released reports whether the counts contain noise, so that they may be published.
func (c *Counts) Released() bool { return c.Relation != 0 }

// units returns the number of units into which a person is divided (see learn.Units), or 1 if rows are counted.
func (c *Counts) units() int64 { return learn.Units(c.Relation) }

// float converts n units (see learn.Units) to rows or persons, as a floating-point number.
func (c *Counts) float(n *big.Int) float64 { return float(n) / float64(c.units()) }

// inverse returns the inverse of the scale of each count's noise, in rows or persons. It is ε/2 under the relation
// replace, and ε under add-remove.
func inverse(epsilon privacy.Decimal, of privacy.Relation) *big.Rat {
	r := epsilon.Rat()
	if of.Replaces() {
		r.Quo(r, big.NewRat(2, 1))
	}
	return r
}

// ErrExact is the error of MarshalJSON for exact counts, which must not be published.
var ErrExact = errors.New("risk: exact counts are private and are not written")

type countsJSON struct {
	Kind     Kind             `json:"kind"`
	Grades   []gradeJSON      `json:"grades"`
	Outside  whole            `json:"outside"`
	Epsilon  privacy.Decimal  `json:"epsilon"`
	Relation privacy.Relation `json:"relation"`
	Adjusted bool             `json:"adjusted,omitempty"`
}

type gradeJSON struct {
	Least    int     `json:"least"`
	Most     int     `json:"most"`
	Predict  int     `json:"predict"`
	Positive *whole  `json:"positive,omitempty"` // for two outcomes
	Negative *whole  `json:"negative,omitempty"`
	Counts   []whole `json:"counts,omitempty"` // for more than two, by outcome
}

// A whole is an integer that must be written in JSON as decimal digits only. The type big.Int would also accept other
// forms.
type whole struct{ n *big.Int }

func (w whole) MarshalJSON() ([]byte, error) { return w.n.MarshalJSON() }

func (w *whole) UnmarshalJSON(text []byte) error {
	n, ok := new(big.Int), len(text) <= mostBits
	if ok {
		n, ok = n.SetString(string(text), 10)
	}
	if !ok || n.String() != string(text) {
		return fmt.Errorf("a count must be an integer of at most %d digits, without a fraction or an exponent", mostBits)
	}
	w.n = n
	return nil
}

// MarshalJSON writes noisy counts as JSON. For exact counts, which are private, it returns ErrExact.
func (c *Counts) MarshalJSON() ([]byte, error) {
	if !c.Released() {
		return nil, ErrExact
	}
	out := countsJSON{Kind: c.Scale.Kind, Outside: whole{c.Outside}, Epsilon: c.Epsilon, Relation: c.Relation, Adjusted: c.Adjusted}
	for i, g := range c.Scale.Grades {
		line := gradeJSON{Least: g.Least, Most: g.Most, Predict: g.Predicted}
		if c.Scale.Outcomes == 2 {
			line.Positive, line.Negative = &whole{c.Cells[1][i]}, &whole{c.Cells[0][i]}
		} else {
			for _, of := range c.Cells {
				line.Counts = append(line.Counts, whole{of[i]})
			}
		}
		out.Grades = append(out.Grades, line)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads the output of MarshalJSON. It returns an error for unknown keys, for invalid grades, for counts
// that are not integers or have more than 512 bits, and for an ε of 0.
func (c *Counts) UnmarshalJSON(text []byte) error {
	var in countsJSON
	if err := strictjson.Decode(text, &in); err != nil {
		return fmt.Errorf("the risks are malformed: %w", err)
	}
	outcomes := 2
	if len(in.Grades) > 0 && in.Grades[0].Counts != nil {
		outcomes = len(in.Grades[0].Counts)
	}
	read := Counts{
		Scale: Scale{Kind: in.Kind, Outcomes: outcomes}, Cells: make([][]*big.Int, outcomes),
		Outside: in.Outside.n, Epsilon: in.Epsilon, Relation: in.Relation, Adjusted: in.Adjusted,
	}
	for i, g := range in.Grades {
		of, err := g.counts(outcomes)
		if err != nil {
			return fmt.Errorf("the risks are malformed: grade %d %w", i+1, err)
		}
		read.Scale.Grades = append(read.Scale.Grades, Grade{g.Least, g.Most, g.Predict})
		for o, n := range of {
			read.Cells[o] = append(read.Cells[o], n)
		}
	}
	if err := read.check(); err != nil {
		return fmt.Errorf("the risks are malformed: %w", err)
	}
	*c = read
	return nil
}

// counts returns the counts of a grade, by outcome. Missing counts are nil.
func (g gradeJSON) counts(outcomes int) (of []*big.Int, err error) {
	two := []*whole{g.Negative, g.Positive}
	if outcomes == 2 && g.Counts == nil {
		for _, n := range two {
			if n == nil {
				n = &whole{}
			}
			of = append(of, n.n)
		}
		return of, nil
	}
	switch {
	case two[0] != nil || two[1] != nil:
		return nil, errors.New("has the key \"negative\" or \"positive\"; these are allowed only for a label with two outcomes and without the key \"counts\"")
	case len(g.Counts) != outcomes || outcomes < 3 || outcomes > table.MostOutcomes:
		return nil, fmt.Errorf("has %d counts; it must have one for each of the 3 to %d outcomes of the label", len(g.Counts), table.MostOutcomes)
	}
	for _, n := range g.Counts {
		of = append(of, n.n)
	}
	return of, nil
}

// check returns an error if the noisy counts, which were read from a file, are invalid.
func (c *Counts) check() error {
	if err := c.Scale.check(); err != nil {
		return err
	}
	if c.Epsilon.IsZero() || c.Relation == 0 {
		return errors.New("the keys \"epsilon\" and \"relation\" must be a positive number and a neighbour relation")
	}
	for i := range c.Scale.Grades {
		for _, of := range c.Cells {
			if !plausible(of[i]) {
				return fmt.Errorf("grade %d lacks a count, or one of its counts has more than %d bits", i+1, mostBits)
			}
		}
	}
	if !plausible(c.Outside) {
		return fmt.Errorf("the count of rows outside the domain is missing, or has more than %d bits", mostBits)
	}
	return nil
}

func plausible(n *big.Int) bool { return n != nil && n.BitLen() <= mostBits }
