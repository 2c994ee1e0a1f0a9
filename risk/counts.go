package risk

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/strictjson"
)

// Counts are the numbers of rows in the cells of a scale: exact ones, which are for
// the curator alone, or noisy ones with the noise that they have. Noisy counts may be
// negative. Under a relation of persons they are in units, of which a person weighs
// learn.Units.
type Counts struct {
	Scale    Scale
	Positive []*big.Int // for each grade
	Negative []*big.Int
	Outside  *big.Int

	// Rows is how many rows, or persons, the table has, where that is told; nil otherwise.
	// It is not written.
	Rows *big.Int

	// Order is that of the leaves, from the least risk, where risks of them were stated
	// before; nil to order them by these counts. It is not written.
	Order []int

	// Epsilon and Relation are those of the histogram; both are zero for exact counts.
	Epsilon  privacy.Decimal
	Relation privacy.Relation
}

// mostBits is more than a count has: rows are at most 2³¹, and noise of the greatest
// scale that a decimal ε allows goes beyond 2⁵¹² with a probability of e^(-2¹⁸⁰).
const mostBits = 512

// Noisy returns what learn.Histogram released for the cells of the scale under a
// positive ε. It fails, by public numbers only, if there is not one count for each cell.
func Noisy(s Scale, cells []*big.Int, epsilon privacy.Decimal, r privacy.Relation) (*Counts, error) {
	if len(cells) != s.Cells() {
		return nil, fmt.Errorf("risk: %d counts for %d cells", len(cells), s.Cells())
	}
	c := &Counts{Scale: s, Outside: cells[len(cells)-1], Epsilon: epsilon, Relation: r}
	for i := range s.Grades {
		c.Positive = append(c.Positive, cells[2*i])
		c.Negative = append(c.Negative, cells[2*i+1])
	}
	return c, nil
}

// Exact returns what Count returned, for the curator. It fails if there is not one count
// for each cell.
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

// Released tells whether the counts have noise.
func (c *Counts) Released() bool { return c.Relation != 0 }

// units returns how many units of a count a row or a person weighs.
func (c *Counts) units() int64 { return learn.Units(c.Relation) }

// float returns a number of units as one of rows or persons.
func (c *Counts) float(n *big.Int) float64 { return float(n) / float64(c.units()) }

// inverse returns 1/b, where b is the scale of the noise of a cell, in rows or persons: ε/2
// under replace, ε under add-remove.
func inverse(epsilon privacy.Decimal, of privacy.Relation) *big.Rat {
	r := epsilon.Rat()
	if of.Replaces() {
		r.Quo(r, big.NewRat(2, 1))
	}
	return r
}

// ErrExact is returned where exact counts would be written: what is written is released.
var ErrExact = errors.New("risk: exact counts are for the curator and are not written")

type countsJSON struct {
	Kind     Kind             `json:"kind"`
	Grades   []gradeJSON      `json:"grades"`
	Outside  whole            `json:"outside"`
	Epsilon  privacy.Decimal  `json:"epsilon"`
	Relation privacy.Relation `json:"relation"`
}

type gradeJSON struct {
	Least    int   `json:"least"`
	Most     int   `json:"most"`
	Predict  int   `json:"predict"`
	Positive whole `json:"positive"`
	Negative whole `json:"negative"`
}

// whole is a whole number in digits, which a big.Int reads in other forms too.
type whole struct{ n *big.Int }

func (w whole) MarshalJSON() ([]byte, error) { return w.n.MarshalJSON() }

func (w *whole) UnmarshalJSON(text []byte) error {
	n, ok := new(big.Int), len(text) <= mostBits
	if ok {
		n, ok = n.SetString(string(text), 10)
	}
	if !ok || n.String() != string(text) {
		return errors.New("a count is not a whole number in digits, or too large")
	}
	w.n = n
	return nil
}

// MarshalJSON writes noisy counts; exact ones are ErrExact.
func (c *Counts) MarshalJSON() ([]byte, error) {
	if !c.Released() {
		return nil, ErrExact
	}
	out := countsJSON{Kind: c.Scale.Kind, Outside: whole{c.Outside}, Epsilon: c.Epsilon, Relation: c.Relation}
	for i, g := range c.Scale.Grades {
		line := gradeJSON{g.Least, g.Most, 0, whole{c.Positive[i]}, whole{c.Negative[i]}}
		if g.Predicted {
			line.Predict = 1
		}
		out.Grades = append(out.Grades, line)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes, strictly: other grades than a scale can
// have, counts that are no whole numbers or have more than 512 bits, and an ε of 0 are
// errors.
func (c *Counts) UnmarshalJSON(text []byte) error {
	var in countsJSON
	if err := strictjson.Decode(text, &in); err != nil {
		return fmt.Errorf("the risks are malformed: %w", err)
	}
	read := Counts{Scale: Scale{Kind: in.Kind}, Outside: in.Outside.n, Epsilon: in.Epsilon, Relation: in.Relation}
	for i, g := range in.Grades {
		if g.Predict != 0 && g.Predict != 1 {
			return fmt.Errorf("the risks are malformed: grade %d predicts neither 0 nor 1", i+1)
		}
		read.Scale.Grades = append(read.Scale.Grades, Grade{g.Least, g.Most, g.Predict == 1})
		read.Positive = append(read.Positive, g.Positive.n)
		read.Negative = append(read.Negative, g.Negative.n)
	}
	if err := read.check(); err != nil {
		return fmt.Errorf("the risks are malformed: %w", err)
	}
	*c = read
	return nil
}

// check returns what is wrong with noisy counts that were read.
func (c *Counts) check() error {
	if err := c.Scale.check(); err != nil {
		return err
	}
	if c.Epsilon.IsZero() || c.Relation == 0 {
		return errors.New("they need a positive epsilon and a relation")
	}
	for i := range c.Scale.Grades {
		if !plausible(c.Positive[i]) || !plausible(c.Negative[i]) {
			return fmt.Errorf("grade %d lacks a count, or has one of more than %d bits", i+1, mostBits)
		}
	}
	if !plausible(c.Outside) {
		return fmt.Errorf("the count outside is missing, or has more than %d bits", mostBits)
	}
	return nil
}

func plausible(n *big.Int) bool { return n != nil && n.BitLen() <= mostBits }
