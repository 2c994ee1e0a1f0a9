package profile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Categories is the mechanism that releases frequent values of text columns. It counts the rows with each value that
// occurs, in units (see table.Counts), and adds discrete Gaussian noise of parameter σ² to each count. It releases the
// values whose noisy count is at least a threshold T. If there are more of them than a public maximum, it releases
// those with the greatest noisy counts.
//
// Guarantee: δ-approximate ρ-zCDP under the relation, stated as the composition of ρ-zCDP and (0, δ)-differential
// privacy (docs/explanation/proofs/profile.md).
//
// The noise follows from ρ. Let w be the number of units of a person, and let c be 1 under add-remove and 2 under
// replace. A person changes the counts of a column by a vector of Euclidean norm at most w·√c. So σ² =
// c·w²·columns/(2ρ). If the budget is a μ instead of a ρ, the guarantee has μ-GDP instead of ρ-zCDP, and σ² =
// c·w²·columns/μ² + 13/5.
//
// The threshold follows from δ. A value that occurs only in rows of one person is released only if its noise is large.
// T is the least integer for which the probability that a column's values of this kind lead to any release is bounded
// by δ/columns, whichever rows the person has.
type Categories struct {
	guarantee privacy.Guarantee
	gaussian  privacy.Guarantee // see Gaussian
	columns   int
	most      int
	persons   int      // the maximum number of rows of a person; 1 if each row is a person
	weight    int64    // w
	variance  *big.Int // σ²
	threshold int64    // T
}

// MostCategories is the maximum number of values of one column that are released as categories.
const MostCategories = 1000

// NewCategories returns the mechanism for the given number of columns. The parameter most is the maximum number of
// released values of a column. The guarantee consists of the budget and of δ (delta), which must be positive.
func NewCategories(columns, most int, budget privacy.GaussianBudget, delta privacy.Decimal) (*Categories, error) {
	if columns < 1 {
		return nil, errors.New("profile: at least one column is required")
	}
	if most < 1 || most > MostCategories {
		return nil, fmt.Errorf("profile: the maximum number of categories, %d, is outside 1..%d", most, MostCategories)
	}
	r := budget.Relation()
	failure, err := privacy.NewApproximate(r, privacy.Decimal{}, delta)
	if err != nil {
		return nil, err
	}
	c := &Categories{columns: columns, most: most, persons: max(r.Persons(), 1), weight: table.Weight(r.Persons())}
	squared := c.weight * c.weight // the squared norm of the change in one column
	if r.Replaces() {
		squared *= 2
	}
	changed := big.NewRat(squared*int64(columns), 1)
	c.variance = roundUp(budget.NoiseWithin(changed, budget.Total()))
	var noisy privacy.Guarantee = budget // the guarantee of the noisy counts, with its μ²
	if z, ok := budget.(privacy.ZCDP); ok {
		if noisy, err = withSquare(z, privacy.NoiseSquare(changed, new(big.Rat).SetInt(c.variance))); err != nil {
			return nil, err
		}
	}
	if c.guarantee, err = privacy.Compose(budget, failure); err != nil {
		return nil, err
	}
	if c.gaussian, err = privacy.Compose(noisy, failure); err != nil {
		return nil, err
	}
	share := new(big.Rat).Quo(delta.Rat(), big.NewRat(int64(columns), 1))
	var found bool
	if c.threshold, found = least(func(t int64) bool { return c.alone(t).Cmp(share) <= 0 }); !found {
		return nil, errors.New("profile: the budget is too small; use a larger ε or fewer columns")
	}
	return c, nil
}

// withSquare returns the guarantee z, extended by the given μ². If square is nil, it returns z itself.
func withSquare(z privacy.ZCDP, square *big.Rat) (privacy.Guarantee, error) {
	if square == nil {
		return z, nil
	}
	return privacy.NewGDP(z.Relation(), square, z.Rho())
}

// roundUp returns x, rounded up to an integer.
func roundUp(x *big.Rat) *big.Int {
	n := new(big.Int).Neg(x.Num())
	return n.Neg(n.Div(n, x.Denom()))
}

// least returns the least positive integer t for which the function enough returns true. That function must be
// monotone: if it is true for some t, it is true for all larger integers. The result found is false if there is no such
// t below 2^61.
func least(enough func(t int64) bool) (t int64, found bool) {
	high := int64(1)
	for !enough(high) {
		if high *= 2; high >= 1<<61 {
			return 0, false
		}
	}
	low := high / 2 // enough(low) is false, or low is 0
	for high-low > 1 {
		if middle := low + (high-low)/2; enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high, true
}

// alone returns an upper bound on the probability that values which occur only in rows of one person are released, that
// is, that at least one of them is released with the threshold t. The bound holds for every number of rows of the
// person, and for every distribution of values among these rows.
func (c *Categories) alone(t int64) *big.Rat {
	tails := make(map[int64]*big.Rat)
	worst := new(big.Rat)
	for rows := 1; rows <= c.persons; rows++ {
		each := c.weight / int64(rows)
		partitions(rows, rows, nil, func(parts []int) {
			sum := new(big.Rat)
			for _, n := range parts {
				units := int64(n) * each
				if tails[units] == nil {
					tails[units] = tail(c.variance, t-units)
				}
				sum.Add(sum, tails[units])
			}
			if sum.Cmp(worst) > 0 {
				worst = sum
			}
		})
	}
	return worst
}

// partitions enumerates the ways to write n as a sum of positive integers in non-increasing order, none of which
// exceeds the parameter most. For each way, it calls the function visit with the elements of given, followed by these
// integers.
func partitions(n, most int, given []int, visit func(parts []int)) {
	if n == 0 {
		visit(given)
		return
	}
	for k := min(n, most); k > 0; k-- {
		partitions(n-k, k, append(given[:len(given):len(given)], k), visit)
	}
}

// mostExponent is the greatest x for which the function tail computes e^{-x}. For larger x it uses e^{-mostExponent} as
// an upper bound, which is smaller than every possible δ.
const mostExponent = 4096

// tail returns an upper bound on P(Z ≥ t), where Z has the discrete Gaussian distribution with parameter σ² = variance.
// The bound is at most 1.
//
// P(Z ≥ t) is the sum of e^{-k²/2σ²} over all integers k ≥ t, divided by the same sum over all integers. The first sum
// is at most e^{-t²/2σ²}/(1 - e^{-t/σ²}), and the second is at least √(6σ²).
func tail(variance *big.Int, t int64) *big.Rat {
	one := big.NewRat(1, 1)
	if t <= 0 {
		return one
	}
	x := big.NewInt(t)
	exponent := new(big.Rat).SetFrac(x.Mul(x, x), new(big.Int).Lsh(variance, 1))
	if limit := big.NewRat(mostExponent, 1); exponent.Cmp(limit) > 0 {
		exponent = limit
	}
	_, first, e := noise.ExpIntervalRelative(exponent, 64)
	bound := new(big.Rat).SetInt(first)
	bound.Quo(bound, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(-e))))

	const places = 128
	unit := new(big.Int).Lsh(big.NewInt(1), places)
	_, ratio := noise.ExpInterval(new(big.Rat).SetFrac(big.NewInt(t), variance), places)
	if ratio.Cmp(unit) >= 0 {
		return one
	}
	bound.Quo(bound, new(big.Rat).SetFrac(new(big.Int).Sub(unit, ratio), unit))
	if bound.Quo(bound, root(new(big.Rat).SetInt(new(big.Int).Mul(big.NewInt(6), variance)))); bound.Cmp(one) > 0 {
		return one
	}
	return bound
}

// Guarantee returns the privacy guarantee of each release of the mechanism.
func (c *Categories) Guarantee() privacy.Guarantee { return c.guarantee }

// Gaussian returns the guarantee of each release, including the μ² of its noise even if the budget is a ρ. If the noise
// is too small for a GDP guarantee, it returns Guarantee.
func (c *Categories) Gaussian() privacy.Guarantee { return c.gaussian }

// Variance returns the parameter σ² of the noise, in squared units (see table.Counts).
func (c *Categories) Variance() *big.Int { return new(big.Int).Set(c.variance) }

// Threshold returns the threshold for the noisy number of units (see table.Counts) of a value: the value becomes a
// category if this number is at least the threshold.
func (c *Categories) Threshold() int64 { return c.threshold }

// Kept returns a number of rows or persons with which a value is likely to become a category: if a value occurs in as
// many rows, or in all rows of as many persons, its noisy count reaches the threshold with probability at least 0.95.
func (c *Categories) Kept() int64 {
	margin, found := least(func(t int64) bool { return tail(c.variance, t).Cmp(big.NewRat(1, 20)) <= 0 })
	if !found {
		return math.MaxInt64
	}
	units := c.threshold + margin - 1 // P(units + Z < T) = P(Z ≥ margin)
	return (units + c.weight - 1) / c.weight
}

// Release releases the frequent values of each column. Each element of columns maps the values of one column to their
// exact counts, in units (see table.Counts); values with a count of 0 are ignored. The result has a sorted list of
// released values for each column, which may be empty. Release returns an error if the number of columns is not that of
// the mechanism, or if the context ends.
func (c *Categories) Release(ctx context.Context, columns []map[string]int64, coins noise.Coins) ([][]string, error) {
	if len(columns) != c.columns {
		return nil, errors.New("profile: the columns of the data differ from those of the mechanism")
	}
	all := make([][]string, len(columns))
	for j, units := range columns {
		var err error
		if all[j], err = c.choose(ctx, units, coins); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// A candidate is a value that may be released, with its noisy count in units (see table.Counts).
type candidate struct {
	value string
	noisy *big.Int
}

// choose selects the values of one column to release. It samples the noise of the values in alphabetical order, so that
// the result is a function of the counts and the random source.
func (c *Categories) choose(ctx context.Context, units map[string]int64, coins noise.Coins) ([]string, error) {
	var values []string
	for value, n := range units {
		if n > 0 {
			values = append(values, value)
		}
	}
	slices.Sort(values)
	of := noise.Gaussian{Sigma2: new(big.Rat).SetInt(c.variance)}
	threshold := big.NewInt(c.threshold)
	var released []candidate
	for _, value := range values {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		noisy := new(big.Int).Add(big.NewInt(units[value]), coins.Draw(of))
		if noisy.Cmp(threshold) >= 0 {
			released = append(released, candidate{value, noisy})
		}
	}
	slices.SortFunc(released, func(a, b candidate) int {
		return cmp.Or(b.noisy.Cmp(a.noisy), cmp.Compare(a.value, b.value))
	})
	var kept []string
	for _, r := range released[:min(len(released), c.most)] {
		kept = append(kept, r.value)
	}
	slices.Sort(kept)
	return kept, nil
}
