// Package profiles composes the guarantee of a release with the guarantees of the profiles of its schema. A profile is
// an earlier release that chose cuts or categories of the schema from data of the same people.
package profiles

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Total composes the guarantee g of a release with those of the profiles of the schema s, which are earlier releases
// from the private data. The result total is the guarantee of all these releases together, whose δ is the sum of their
// δ. It is nil if s is nil or has no profiles. The result private reports whether all profiles have a guarantee; if
// one of them has none, total is g.
func Total(g *privacy.Statement, s *table.Schema) (total *privacy.Statement, private bool) {
	if s == nil || len(s.Profiles) == 0 {
		return nil, true
	}
	all := []*privacy.Statement{g}
	for _, p := range s.Profiles {
		if p.NotPrivate {
			return g, false
		}
		all = append(all, statement(p, g.Relation))
	}
	total, err := privacy.Together(all...)
	if err != nil {
		panic(err) // for numbers beyond those that a guarantee can have
	}
	return total, true
}

// statement returns the guarantee of a profile. It states the profile's ε and δ. If these follow from a ρ or a μ² and
// a failure probability, the statement also contains this zCDP or GDP guarantee, so that Total composes ρ or μ²
// instead of ε.
func statement(p table.Profile, r privacy.Relation) *privacy.Statement {
	s := &privacy.Statement{Epsilon: decimal(p.Epsilon), Delta: decimal(p.Delta), Relation: r}
	if p.Rho == "" {
		return s
	}
	noisy := valid(privacy.NewZCDP(r, p.Rho.Rat()))
	if p.MuSquared != "" {
		noisy = valid(privacy.NewGDP(r, p.MuSquared.Rat(), p.Rho.Rat()))
	}
	parts := []privacy.Guarantee{noisy}
	if failure := decimal(p.Failure); !failure.IsZero() {
		parts = append(parts, valid(privacy.NewApproximate(r, privacy.Decimal{}, failure)))
	}
	if g, err := privacy.Compose(parts...); err == nil {
		s.RestOn(g)
	}
	return s
}

// valid returns the guarantee g, and panics if err is not nil. The schema has already rejected profiles for which this
// could happen.
func valid[G privacy.Guarantee](g G, err error) privacy.Guarantee {
	if err != nil {
		panic(err)
	}
	return g
}

// decimal converts a decimal of a schema to a privacy.Decimal. The empty text becomes 0.
func decimal(d table.Decimal) privacy.Decimal {
	if d == "" {
		return privacy.Decimal{}
	}
	return up(d.Rat())
}

// up converts a sum of decimals to a privacy.Decimal, rounded up if it has more than mostDigits digits.
func up(sum *big.Rat) privacy.Decimal {
	of, err := privacy.RoundUp(sum, mostDigits)
	if err != nil {
		panic(err) // for numbers beyond those that a guarantee can have
	}
	return of
}

const (
	mostDigits = 100
	steps      = 10000 // Left returns a multiple of ε/steps
)

// Spent returns the sum of the ε, and the sum of the δ, of all profiles of a schema. The result private reports
// whether all profiles have a guarantee; if one has none, the sums are 0.
func Spent(s *table.Schema) (epsilon, delta privacy.Decimal, private bool) {
	sum, deltas := new(big.Rat), new(big.Rat)
	for _, p := range s.Profiles {
		if p.NotPrivate {
			return epsilon, delta, false
		}
		sum.Add(sum, p.Epsilon.Rat())
		deltas.Add(deltas, p.Delta.Rat())
	}
	return up(sum), up(deltas), true
}

// Left returns the part of a total guarantee (epsilon, delta) that remains for a release after the profiles of a
// schema:
//   - left is the remaining δ: delta minus the sum of the δ of the profiles.
//   - least is the remaining ε by simple addition: epsilon minus the sum of the ε of the profiles, or 0 if this is
//     negative. With ε = least and δ = left, any release keeps the total.
//   - most is the greatest ε for a release that consumes only a ρ or a μ², namely the one that implies (most, left).
//     With this ρ or μ, the total still holds.
//
// To find most, Left searches the multiples of epsilon/steps. It returns least if none of them is greater, or if left
// is 0. Left returns an error if a profile has no guarantee, if the profiles consume more than the parameter delta, or
// if no ε remains.
func Left(epsilon, delta privacy.Decimal, r privacy.Relation, s *table.Schema) (least, most, left privacy.Decimal, err error) {
	spent, deltas, private := Spent(s)
	switch {
	case !private:
		return least, most, left, parameter.Errorf("a [[profile]] of the schema has no guarantee, so no total guarantee can be computed; leave {total} out")
	case deltas.Cmp(delta) > 0:
		return least, most, left, parameter.Errorf("the [[profile]] entries of the schema have already consumed δ = %s, more than {delta} %s; set {delta} to %s or more", deltas, delta, deltas)
	}
	if left, err = privacy.RoundDown(new(big.Rat).Sub(delta.Rat(), deltas.Rat()), mostDigits); err != nil {
		return least, most, left, err
	}
	if rest := new(big.Rat).Sub(epsilon.Rat(), spent.Rat()); rest.Sign() > 0 {
		if least, err = privacy.RoundDown(rest, mostDigits); err != nil {
			return least, most, left, err
		}
	}
	most = least
	for low, high := int64(0), int64(steps+1); !left.IsZero() && high-low > 1; {
		middle := (low + high) / 2
		e, err := privacy.RoundDown(new(big.Rat).Mul(epsilon.Rat(), big.NewRat(middle, steps)), mostDigits)
		if err != nil {
			return least, most, left, err
		}
		if !within(e, left, r, s, epsilon) {
			high = middle
			continue
		}
		low = middle
		if e.Cmp(most) > 0 {
			most = e
		}
	}
	if most.IsZero() {
		err = parameter.Errorf("the [[profile]] entries of the schema have already consumed ε = %s, so nothing of {epsilon} %s remains; use a larger {epsilon}", spent, epsilon)
	}
	return least, most, left, err
}

// within reports whether the total ε of a release and of the profiles of the schema s is at most the limit. The
// release consumes the ρ or the μ that implies (epsilon, delta), whichever gives the smaller total.
func within(epsilon, delta privacy.Decimal, r privacy.Relation, s *table.Schema, limit privacy.Decimal) bool {
	fits := func(rho, mu privacy.Decimal) bool {
		g := &privacy.Statement{Epsilon: epsilon, Delta: delta, Relation: r}
		consumed, err := privacy.NewGaussianBudget(r, rho, mu)
		if err != nil || g.RestOn(consumed) != nil {
			return false
		}
		total, _ := Total(g, s)
		return total == nil || total.Epsilon.Cmp(limit) <= 0
	}
	rho, err := privacy.RhoWithin(epsilon, delta)
	if err == nil && fits(rho, privacy.Decimal{}) {
		return true
	}
	mu, err := privacy.MuWithin(epsilon, delta)
	return err == nil && fits(privacy.Decimal{}, mu)
}
