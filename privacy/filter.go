package privacy

import (
	"errors"
	"fmt"
	"math/big"
)

// Releases from one table may be chosen one after another, each from what was released
// before it, its guarantee included. What bounds them all is a filter: a limit fixed
// beforehand, and exact sums that never exceed it (docs/explanation/proofs/filter.md).

var (
	// ErrCharge is returned for a guarantee of which no charge to a filter is proved.
	ErrCharge = errors.New("the guarantee cannot be charged")

	// ErrSpent is returned for a charge that is more than what is left.
	ErrSpent = errors.New("the budget does not suffice")
)

// An Amount is a limit of a filter, a charge to it or a sum of charges.
type Amount struct {
	// Loss is ε in a filter with δ = 0, and in others ρ.
	Loss Decimal
	// Failure is the sum of the δ of approximate parts, 0 in a filter with δ = 0.
	Failure Decimal
}

// Plus is the sum of two amounts that a filter could have.
func (a Amount) Plus(b Amount) Amount {
	return units{
		new(big.Int).Add(inUnits(a.Loss.Rat(), true), inUnits(b.Loss.Rat(), true)),
		new(big.Int).Add(inUnits(a.Failure.Rat(), true), inUnits(b.Failure.Rat(), true)),
	}.amount()
}

// filterPlaces is the number of decimal places of all sums, and filterMost the greatest ε
// of a filter: no sum up to it is too long for a Decimal.
const (
	filterPlaces = 90
	filterMost   = 1_000_000_000
)

// A Filter keeps the releases from one table, chosen with full adaptivity, to (ε, δ) in
// all: whatever is admitted, the outputs of all releases together are
// (ε, δ)-differentially private. With δ = 0 it adds up ε; otherwise it adds up ρ, by
// which zero-concentrated privacy composes, and the δ of approximate parts. Sums are
// exact; a charge with more than 90 decimal places is rounded upward.
//
// What is not there to be had under full adaptivity is not offered: the better of both
// ways to add up, a smaller ε because not all is spent, a ρ in exchange for unused δ.
type Filter struct {
	relation       Relation
	epsilon, delta Decimal
	limit, spent   units
}

// units are an Amount in steps of 10^-filterPlaces.
type units struct{ loss, failure *big.Int }

// NewFilter returns a filter with nothing spent. With δ > 0, half of δ is for the
// approximate parts and the rest for the conversion of ρ, whose limit is the largest that
// both afford, rounded down to 9 digits. An ε of 0 or above 10⁹, or a δ of 1 or more, is
// ErrParameter.
func NewFilter(r Relation, epsilon, delta Decimal) (*Filter, error) {
	limit := Amount{Loss: epsilon}
	if !delta.IsZero() {
		half := delta.Rat()
		failure, err := RoundDown(half.Mul(half, big.NewRat(1, 2)), maxDigits)
		if err != nil {
			return nil, err
		}
		limit = Amount{Failure: failure}
		rho := mostFloat(func(rho float64) bool { return affords(epsilon, delta, rho, failure) })
		rho = min(rho*(1-limitMargin), filterMost)
		if limit.Loss, err = RoundDown(new(big.Rat).SetFloat64(rho), reported); err != nil {
			return nil, err
		}
	}
	return NewFilterWithin(r, epsilon, delta, limit)
}

// limitMargin is what NewFilter stays below the largest ρ, so that another processor's
// rounding does not refuse its limit.
const limitMargin = 0x1p-30

// NewFilterWithin is NewFilter with the limit that another call of it chose, or any that
// (ε, δ) affords by the same conversion; one that it does not afford is ErrParameter.
func NewFilterWithin(r Relation, epsilon, delta Decimal, limit Amount) (*Filter, error) {
	if !r.valid() {
		return nil, fmt.Errorf("%v: %w", r, ErrRelation)
	}
	f := &Filter{
		relation: r, epsilon: epsilon, delta: delta,
		limit: units{inUnits(limit.Loss.Rat(), false), inUnits(limit.Failure.Rat(), false)},
		spent: units{new(big.Int), new(big.Int)},
	}
	switch {
	case epsilon.IsZero() || epsilon.Rat().Cmp(big.NewRat(filterMost, 1)) > 0:
		return nil, fmt.Errorf("%w: ε must be positive and at most 1000000000, and is %v", ErrParameter, epsilon)
	case delta.Rat().Cmp(big.NewRat(1, 1)) >= 0:
		return nil, fmt.Errorf("%w: δ must be less than 1, and is %v", ErrParameter, delta)
	case f.limit.loss.Sign() == 0:
		return nil, fmt.Errorf("%w: ε = %v and δ = %v afford nothing", ErrParameter, epsilon, delta)
	case delta.IsZero() && limit != Amount{Loss: epsilon}:
		return nil, fmt.Errorf("%w: with δ = 0 the limit is ε", ErrParameter)
	case limit.Loss.Rat().Cmp(big.NewRat(filterMost, 1)) > 0 || !delta.IsZero() && !affords(epsilon, delta, floatUp(limit.Loss.Rat()), limit.Failure):
		return nil, fmt.Errorf("%w: the limit is more than ε = %v and δ = %v afford", ErrParameter, epsilon, delta)
	}
	return f, nil
}

// affords tells whether failure-approximate rho-zCDP implies (ε, δ).
func affords(epsilon, delta Decimal, rho float64, failure Decimal) bool {
	return withFailure(failure.Rat(), zcdpDelta(rho, floatDown(epsilon.Rat()))) <= floatDown(delta.Rat())
}

// mostFloat returns a number at which holds is true, within a factor of 1 + 2⁻⁴⁰ the
// greatest, given that it is true below each such number; 0 if it found none from 2⁻⁵⁰⁰ to
// 2³⁹⁹.
func mostFloat(holds func(x float64) bool) float64 {
	low, high := 1.0, 2.0
	for ; holds(high); low, high = high, 2*high {
		if high > 0x1p399 {
			return high
		}
	}
	for ; !holds(low); low, high = low/2, low {
		if low < 0x1p-500 {
			return 0
		}
	}
	for high-low > low*0x1p-40 {
		if middle := (low + high) / 2; holds(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// Relation is the neighbour relation, which all releases must share.
func (f *Filter) Relation() Relation { return f.relation }

// Epsilon is ε of what all releases together keep.
func (f *Filter) Epsilon() Decimal { return f.epsilon }

// Delta is δ of what all releases together keep.
func (f *Filter) Delta() Decimal { return f.delta }

// Limit is the amount that all charges together never exceed.
func (f *Filter) Limit() Amount { return f.limit.amount() }

// Spent is the sum of what was charged.
func (f *Filter) Spent() Amount { return f.spent.amount() }

// Left is what can still be charged.
func (f *Filter) Left() Amount { return f.left().amount() }

func (f *Filter) left() units {
	return units{
		new(big.Int).Sub(f.limit.loss, f.spent.loss),
		new(big.Int).Sub(f.limit.failure, f.spent.failure),
	}
}

// Charge returns what a release with this guarantee takes from the filter. It is, with
// δ = 0, the ε of a pure guarantee or of a bounded range, and otherwise its ρ: ε²/2,
// ε²/8, or as it is for ZCDP; (ε, δ) takes ρ = ε²/2 and its δ. A composition takes the sum
// of its parts. Another relation, a guarantee without a finite ε where δ = 0, and one that
// Compose refuses are ErrCharge.
func (f *Filter) Charge(g Guarantee) (Amount, error) {
	charge, err := f.charge(g)
	if err != nil {
		return Amount{}, fmt.Errorf("%w: it %w", ErrCharge, err)
	}
	return charge.amount(), nil
}

func (f *Filter) charge(g Guarantee) (units, error) {
	if g == nil {
		return units{}, errors.New("is missing")
	}
	total := newAccount()
	if err := total.add(g); err != nil {
		return units{}, err
	}
	if g.Relation() != f.relation {
		return units{}, fmt.Errorf("is under the relation %v, and the budget under %v", g.Relation(), f.relation)
	}
	loss := total.limit()
	switch {
	case !f.delta.IsZero():
		loss = total.concentrated()
	case total.fail.Sign() > 0:
		return units{}, errors.New("has a δ, and the budget has none")
	case loss == nil:
		return units{}, errors.New("has no finite ε without a δ, and the budget has no δ")
	}
	if most := big.NewRat(filterMost, 1); loss.Cmp(most) > 0 || total.fail.Cmp(most) > 0 {
		return units{}, errors.New("promises too little for any budget")
	}
	return units{inUnits(loss, true), inUnits(total.fail, true)}, nil
}

// Spend charges a release and returns its charge. An error, that of Charge or ErrSpent,
// leaves the filter as it was.
func (f *Filter) Spend(g Guarantee) (Amount, error) {
	charge, err := f.charge(g)
	if err != nil {
		return Amount{}, fmt.Errorf("%w: it %w", ErrCharge, err)
	}
	left := f.left()
	if charge.loss.Cmp(left.loss) > 0 || charge.failure.Cmp(left.failure) > 0 {
		return Amount{}, fmt.Errorf("%w: %s is left, and the release takes %s",
			ErrSpent, f.Text(left.amount()), f.Text(charge.amount()))
	}
	f.spent = units{
		new(big.Int).Add(f.spent.loss, charge.loss),
		new(big.Int).Add(f.spent.failure, charge.failure),
	}
	return charge.amount(), nil
}

// Text writes an amount of the filter, exactly: "ε = 0.5" or "ρ = 0.125 and δ = 0".
func (f *Filter) Text(a Amount) string {
	if f.delta.IsZero() {
		return fmt.Sprintf("ε = %v", a.Loss)
	}
	return fmt.Sprintf("ρ = %v and δ = %v", a.Loss, a.Failure)
}

// Affords returns the largest ε of one more release that what is left affords, if its
// guarantee is pure, and if it is a bounded range, rounded down to 4 digits.
func (f *Filter) Affords() (pure, ranged Decimal) {
	if f.delta.IsZero() {
		all := roundedDown(f.left().loss, filterPlaces)
		return all, all
	}
	root := func(factor int64) Decimal {
		square := new(big.Int).Mul(f.left().loss, big.NewInt(factor))
		return roundedDown(square.Sqrt(square), filterPlaces/2)
	}
	return root(2), root(8)
}

// roundedDown is n / 10^places rounded down to 4 digits.
func roundedDown(n *big.Int, places int) Decimal {
	d, err := RoundDown(new(big.Rat).SetFrac(n, power(places)), 4)
	if err != nil {
		panic(err) // no amount is too large
	}
	return d
}

// inUnits is a number that is not negative in units, rounded to a whole one.
func inUnits(r *big.Rat, up bool) *big.Int {
	n := new(big.Int).Mul(r.Num(), power(filterPlaces))
	n, rest := n.QuoRem(n, r.Denom(), new(big.Int))
	if up && rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	return n
}

// amount is exact: no sum is so large that a Decimal cannot hold it.
func (u units) amount() Amount {
	loss, err := scaled(u.loss, filterPlaces)
	if err != nil {
		panic(err)
	}
	failure, err := scaled(u.failure, filterPlaces)
	if err != nil {
		panic(err)
	}
	return Amount{loss, failure}
}
