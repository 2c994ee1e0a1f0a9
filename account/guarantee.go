package account

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/privacy"
)

// A Guarantee is the form in which the account stores a privacy.Guarantee: a list of parts, whose composition is the
// guarantee. All parameters are exact.
type Guarantee struct {
	Relation privacy.Relation     `json:"relation"`
	Parts    []Part               `json:"parts"`
	Assumes  []privacy.Assumption `json:"assumes"`
}

// A Part is a guarantee in a composition, and Times is the number of its occurrences. Its Kind is "pure",
// "bounded-range", "zcdp", "gdp" or "approximate", and determines which of Epsilon, Delta, Rho and MuSquared are set.
type Part struct {
	Kind      string           `json:"kind"`
	Epsilon   *privacy.Decimal `json:"epsilon,omitempty"`
	Delta     *privacy.Decimal `json:"delta,omitempty"`
	Rho       string           `json:"rho,omitempty"`        // a fraction in lowest terms
	MuSquared string           `json:"mu_squared,omitempty"` // likewise
	Times     int64            `json:"times"`
}

// These constants are the values of Part.Kind.
const (
	kindPure        = "pure"
	kindRange       = "bounded-range"
	kindZCDP        = "zcdp"
	kindGDP         = "gdp"
	kindApproximate = "approximate"
)

// encodeGuarantee converts a guarantee to its stored form. It returns an error if the guarantee is of a type that
// cannot be stored.
func encodeGuarantee(g privacy.Guarantee) (Guarantee, error) {
	parts, err := privacy.Parts(g)
	if err != nil {
		return Guarantee{}, err
	}
	out := Guarantee{Relation: g.Relation(), Assumes: g.Assumes()}
	for _, p := range parts {
		one := Part{Times: p.Times}
		switch g := p.Guarantee.(type) {
		case privacy.Pure:
			epsilon := g.Epsilon()
			one.Kind, one.Epsilon = kindPure, &epsilon
		case privacy.BoundedRange:
			epsilon := g.Epsilon()
			one.Kind, one.Epsilon = kindRange, &epsilon
		case privacy.ZCDP:
			one.Kind, one.Rho = kindZCDP, g.Rho().RatString()
		case privacy.GDP:
			one.Kind, one.Rho, one.MuSquared = kindGDP, g.Rho().RatString(), g.Square().RatString()
		case privacy.Approximate:
			epsilon, delta := g.Epsilon(), g.DeltaAtEpsilon()
			one.Kind, one.Epsilon, one.Delta = kindApproximate, &epsilon, &delta
		default:
			return Guarantee{}, fmt.Errorf("a guarantee of type %T cannot be stored", g)
		}
		out.Parts = append(out.Parts, one)
	}
	return out, nil
}

// decode converts the stored form to a guarantee. It returns an error if the stored form is invalid.
func (g Guarantee) decode() (privacy.Guarantee, error) {
	var all []privacy.Guarantee
	for _, p := range g.Parts {
		one, err := p.decode(g.Relation, g.Assumes)
		if err != nil {
			return nil, err
		}
		if one, err = repeated(one, p.Times); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return privacy.Compose(all...)
}

func (p Part) decode(r privacy.Relation, assumes []privacy.Assumption) (privacy.Guarantee, error) {
	has := func(epsilon, delta, rho, square bool) bool {
		return (p.Epsilon != nil) == epsilon && (p.Delta != nil) == delta && (p.Rho != "") == rho && (p.MuSquared != "") == square
	}
	switch {
	case p.Kind == kindPure && has(true, false, false, false):
		return privacy.NewPure(r, *p.Epsilon, assumes...)
	case p.Kind == kindRange && has(true, false, false, false):
		return privacy.NewBoundedRange(r, *p.Epsilon, assumes...)
	case p.Kind == kindZCDP && has(false, false, true, false):
		rho, err := fraction("ρ", p.Rho)
		if err != nil {
			return nil, err
		}
		return privacy.NewZCDP(r, rho, assumes...)
	case p.Kind == kindGDP && has(false, false, true, true):
		rho, err := fraction("ρ", p.Rho)
		if err != nil {
			return nil, err
		}
		square, err := fraction("μ²", p.MuSquared)
		if err != nil {
			return nil, err
		}
		return privacy.NewGDP(r, square, rho, assumes...)
	case p.Kind == kindApproximate && has(true, true, false, false):
		return privacy.NewApproximate(r, *p.Epsilon, *p.Delta, assumes...)
	}
	return nil, errors.New("a part of the guarantee has an unknown kind, or the wrong parameters for its kind")
}

// fraction parses a parameter of a guarantee. Its errors call the parameter by the given symbol, such as ρ.
func fraction(symbol, text string) (*big.Rat, error) {
	value, ok := new(big.Rat).SetString(text)
	if !ok || value.RatString() != text {
		return nil, fmt.Errorf("the %s of the guarantee must be a fraction in lowest terms", symbol)
	}
	return value, nil
}

// mostTimes is the maximum value of Part.Times.
const mostTimes = 1 << 40

// repeated returns the composition of the given number of copies of g. It doubles compositions, so it needs only
// O(log times) of them.
func repeated(g privacy.Guarantee, times int64) (privacy.Guarantee, error) {
	if times < 1 || times > mostTimes {
		return nil, fmt.Errorf("in a part of the guarantee, the key \"times\" is %d, but must be 1 to %d", times, int64(mostTimes))
	}
	if times == 1 {
		return g, nil
	}
	half, err := repeated(g, times/2)
	if err != nil {
		return nil, err
	}
	all := []privacy.Guarantee{half, half}
	if times%2 == 1 {
		all = append(all, g)
	}
	return privacy.Compose(all...)
}
