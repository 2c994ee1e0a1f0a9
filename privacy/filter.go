package privacy

import (
	"errors"
	"fmt"
	"math/big"
)

var (
	// ErrCharge is returned for a guarantee that the filter cannot charge.
	ErrCharge = errors.New("the guarantee cannot be charged")

	// ErrSpent is returned for a charge that exceeds the remaining budget.
	ErrSpent = errors.New("the budget does not suffice")
)

// An Amount is an amount of privacy budget in a filter: its limit, a charge, or a sum of charges.
type Amount struct {
	// Loss is an ε if the filter has δ = 0, and otherwise a ρ.
	Loss Decimal
	// Failure is the sum of the δ of the approximate parts. It is 0 if the filter has δ = 0.
	Failure Decimal
}

// Plus returns a + b. Neither amount may exceed the greatest possible limit of a filter.
func (a Amount) Plus(b Amount) Amount {
	return units{
		new(big.Int).Add(inUnits(a.Loss.Rat(), true), inUnits(b.Loss.Rat(), true)),
		new(big.Int).Add(inUnits(a.Failure.Rat(), true), inUnits(b.Failure.Rat(), true)),
	}.amount()
}

// filterPlaces is the number of decimal places in every sum of charges. filterMost is the
// greatest ε of a filter. With these values all sums fit into a Decimal.
const (
	filterPlaces = 90
	filterMost   = 1_000_000_000
)

// A Filter limits the releases from one table to a total of (ε, δ)-differential privacy: the outputs of all admitted
// releases together are (ε, δ)-differentially private (docs/explanation/proofs/filter.md). The releases may be fully
// adaptive, that is, each mechanism and its guarantee may depend on the earlier outputs.
//
// With δ = 0 the filter adds up ε. Otherwise it adds up ρ (zCDP) and the δ of approximate parts. Sums are exact. A
// charge with more than 90 decimal places is rounded upward.
//
// A filter does not offer three refinements, because they are not valid for fully adaptive releases:
//   - the minimum of the bound from the sum of ε and the bound from the sum of ρ,
//   - a smaller total ε because part of the budget is unused,
//   - a greater limit on ρ in exchange for unused δ.
type Filter struct {
	relation       Relation
	epsilon, delta Decimal
	limit, spent   units // spent is the sum of the charges
}

// units is an Amount in integer multiples of 10^-filterPlaces.
type units struct{ loss, failure *big.Int }

// NewFilter returns a filter without charges. It returns ErrParameter if ε is 0 or above 10⁹, or if δ is at least 1.
//
// If δ > 0, the filter divides δ into two halves. The δ of approximate parts may add up to one half. The other half
// determines the limit on ρ: this is the largest ρ for which ρ-zCDP, together with a failure probability of δ/2,
// implies (ε, δ)-differential privacy. The limit is rounded down to 9 significant digits.
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

// limitMargin is the fraction by which NewFilter and RhoWithin reduce the largest ρ. With this margin,
// NewFilterWithin accepts the limit also on a processor that rounds differently.
const limitMargin = 0x1p-30

// NewFilterWithin returns a filter without charges, like NewFilter, but with a given limit, such as the limit of an
// earlier filter. It returns ErrParameter for an ε or δ that NewFilter does not accept. It also returns ErrParameter
// if the limit does not imply (ε, δ)-differential privacy by the conversion that NewFilter uses.
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
		return nil, fmt.Errorf("%w: ε %v must be positive and at most 1000000000", ErrParameter, epsilon)
	case delta.Rat().Cmp(big.NewRat(1, 1)) >= 0:
		return nil, fmt.Errorf("%w: δ %v must be less than 1", ErrParameter, delta)
	case f.limit.loss.Sign() == 0:
		return nil, fmt.Errorf("%w: a budget of ε = %v and δ = %v is too small for any release", ErrParameter, epsilon, delta)
	case delta.IsZero() && limit != Amount{Loss: epsilon}:
		return nil, fmt.Errorf("%w: the limit of a budget with δ = 0 must equal its ε", ErrParameter)
	case limit.Loss.Rat().Cmp(big.NewRat(filterMost, 1)) > 0 || !delta.IsZero() && !affords(epsilon, delta, floatUp(limit.Loss.Rat()), limit.Failure):
		return nil, fmt.Errorf("%w: the limit of all charges exceeds the largest limit that implies ε = %v and δ = %v", ErrParameter, epsilon, delta)
	}
	return f, nil
}

// affords reports whether every mechanism that satisfies rho-zCDP, except with the given failure probability, is
// (epsilon, delta)-differentially private.
func affords(epsilon, delta Decimal, rho float64, failure Decimal) bool {
	return withFailure(failure.Rat(), zcdpDelta(rho, floatDown(epsilon.Rat()))) <= floatDown(delta.Rat())
}

// mostFloat returns approximately the greatest x for which holds(x) is true. The function holds must be true for
// small x and false for all larger ones.
//
// At a positive result, holds is true. The greatest x exceeds the result by a factor of at most 1 + 2⁻⁴⁰. mostFloat
// tries numbers from 2⁻⁵⁰⁰ to 2³⁹⁹, and returns 0 if holds is false for all of them.
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

// Relation returns the neighbour relation of all releases.
func (f *Filter) Relation() Relation { return f.relation }

// Epsilon returns the ε of the guarantee for all releases together.
func (f *Filter) Epsilon() Decimal { return f.epsilon }

// Delta returns the δ of the guarantee for all releases together.
func (f *Filter) Delta() Decimal { return f.delta }

// Limit returns the limit that the sum of all charges must not exceed.
func (f *Filter) Limit() Amount { return f.limit.amount() }

// Spent returns the sum of all charges of the filter.
func (f *Filter) Spent() Amount { return f.spent.amount() }

// Left returns the limit minus the sum of all charges.
func (f *Filter) Left() Amount { return f.left().amount() }

func (f *Filter) left() units {
	return units{
		new(big.Int).Sub(f.limit.loss, f.spent.loss),
		new(big.Int).Sub(f.limit.failure, f.spent.failure),
	}
}

// Charge returns the amount that a release with the guarantee g would consume. It does not charge the filter. If the
// filter has δ = 0, Loss is the ε of a Pure or BoundedRange guarantee. Otherwise Loss is a ρ:
//   - Pure: ε²/2
//   - BoundedRange: ε²/8
//   - ZCDP and GDP: ρ
//   - Approximate: ε²/2, and Failure is the δ of the guarantee
//
// The amount of a composition is the sum over its parts.
//
// Charge returns ErrCharge in these cases:
//   - The relation of g differs from that of the filter.
//   - Compose does not accept g.
//   - The filter has δ = 0, and g has no finite ε at δ = 0.
//   - The amount exceeds the greatest possible limit.
func (f *Filter) Charge(g Guarantee) (Amount, error) {
	charge, err := f.charge(g)
	if err != nil {
		return Amount{}, fmt.Errorf("%w: %w", ErrCharge, err)
	}
	return charge.amount(), nil
}

// described returns the beginning of an error message that states the neighbour relation r of a guarantee.
func described(r Relation) string {
	if most := r.Persons(); most > 0 {
		return fmt.Sprintf("it is under the relation %v, since the schema has a [person] with most = %d", r, most)
	}
	return fmt.Sprintf("it is under the relation %v", r)
}

// remedy returns a text that says how to make the neighbour relations of a guarantee and a budget equal.
func remedy(guarantee, budget Relation) string {
	account := fmt.Sprintf("open an account with the relation %v", guarantee)
	if guarantee.Replaces() != budget.Replaces() {
		return account
	}
	if most := budget.Persons(); most > 0 {
		return fmt.Sprintf("write a [person] with most = %d into the schema, or %s", most, account)
	}
	return account + ", or delete [person] from the schema if each person has one row"
}

// charge returns the amount that Charge returns, in units. It does not change the filter.
func (f *Filter) charge(g Guarantee) (units, error) {
	if g == nil {
		return units{}, errors.New("the Guarantee is nil; create one with a constructor such as NewPure")
	}
	total := newAccount()
	if err := total.add(g); err != nil {
		return units{}, err
	}
	if g.Relation() != f.relation {
		return units{}, fmt.Errorf("%s, but the budget is under %v; %s", described(g.Relation()), f.relation, remedy(g.Relation(), f.relation))
	}
	loss := total.limit()
	switch {
	case !f.delta.IsZero():
		loss = total.concentrated()
	case total.fail.Sign() > 0:
		return units{}, errors.New("its δ is above 0, but the budget has δ = 0; use a budget with δ above 0")
	case loss == nil:
		return units{}, errors.New("it has no finite ε at δ = 0, but the budget has δ = 0; release with pure ε, or use a budget with δ above 0")
	}
	if most := big.NewRat(filterMost, 1); loss.Cmp(most) > 0 || total.fail.Cmp(most) > 0 {
		return units{}, errors.New("it exceeds 1000000000, the greatest possible budget")
	}
	return units{inUnits(loss, true), inUnits(total.fail, true)}, nil
}

// Spend charges the filter for a release with the guarantee g, and returns the charge. It returns
// the errors of Charge, and ErrSpent if the charge exceeds the remaining budget. An error leaves
// the filter unchanged.
func (f *Filter) Spend(g Guarantee) (Amount, error) {
	charge, err := f.charge(g)
	if err != nil {
		return Amount{}, fmt.Errorf("%w: %w", ErrCharge, err)
	}
	left := f.left()
	if charge.loss.Cmp(left.loss) > 0 || charge.failure.Cmp(left.failure) > 0 {
		err := fmt.Errorf("%w: %s is left, and the release needs %s", ErrSpent, f.Text(left.amount().rounded(RoundDown)), f.Text(charge.amount().rounded(RoundUp)))
		if !f.delta.IsZero() {
			pure, ranged := f.Affords()
			err = fmt.Errorf("%w; one more release may have ε up to %v by the exponential mechanism, or up to %v by another mechanism with δ = 0", err, ranged, pure)
		}
		return Amount{}, err
	}
	f.spent = units{
		new(big.Int).Add(f.spent.loss, charge.loss),
		new(big.Int).Add(f.spent.failure, charge.failure),
	}
	return charge.amount(), nil
}

// rounded rounds the amount to 9 significant digits, for messages. The parameter round is RoundDown or RoundUp.
func (a Amount) rounded(round func(*big.Rat, int) (Decimal, error)) Amount {
	for _, part := range []*Decimal{&a.Loss, &a.Failure} {
		if d, err := round(part.Rat(), reported); err == nil {
			*part = d
		}
	}
	return a
}

// Text returns the exact text of an amount, such as "ε = 0.5" or "ρ = 0.125 and δ = 0".
func (f *Filter) Text(a Amount) string {
	if f.delta.IsZero() {
		return fmt.Sprintf("ε = %v", a.Loss)
	}
	return fmt.Sprintf("ρ = %v and δ = %v", a.Loss, a.Failure)
}

// Affords returns the largest ε that the remaining budget allows for one more release: pure for a release with a Pure
// guarantee, and ranged for one with a BoundedRange guarantee. Both are rounded down to 4 significant digits.
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

// roundedDown returns n / 10^places, rounded down to 4 significant digits.
func roundedDown(n *big.Int, places int) Decimal {
	d, err := RoundDown(new(big.Rat).SetFrac(n, power(places)), 4)
	if err != nil {
		panic(err) // cannot happen: every amount fits into a Decimal
	}
	return d
}

// inUnits converts r ≥ 0 to an integer multiple of 10^-filterPlaces. It rounds up if up is true, and down otherwise.
func inUnits(r *big.Rat, up bool) *big.Int {
	n := new(big.Int).Mul(r.Num(), power(filterPlaces))
	n, rest := n.QuoRem(n, r.Denom(), new(big.Int))
	if up && rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	return n
}

// amount converts u to an Amount without rounding. This is always possible, since all sums of a filter fit into a
// Decimal.
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
