package release

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"math/big"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Ledger adapts a privacy budget ledger (package account) to the interface Account, through which a release is
// charged.
func Ledger(a *account.Account) Account { return ledger{a} }

type ledger struct{ account *account.Account }

func (l ledger) Reserve(ctx context.Context, description json.RawMessage, g privacy.Guarantee) (Reservation, error) {
	token, err := l.account.Reserve(ctx, account.Entry{Description: description, Guarantee: g})
	if err != nil {
		return nil, err
	}
	return reserved{l.account, token}, nil
}

type reserved struct {
	account *account.Account
	token   account.Token
}

func (r reserved) Settle(ctx context.Context, digest [sha256.Size]byte) error {
	return r.account.Settle(ctx, r.token, digest)
}

// mostDescribed is the maximum number of characters of a description that NameOfEntry returns.
const mostDescribed = 60

// A Rounding rounds a number to a number of significant digits: privacy.RoundUp or privacy.RoundDown.
type Rounding func(x *big.Rat, digits int) (privacy.Decimal, error)

// Rounded formats an amount of a privacy budget, with each of its parameters (ε, ρ and δ) rounded to at most the
// given number of significant digits.
func Rounded(a account.Amount, round Rounding, digits int) string {
	for _, part := range []*(*privacy.Decimal){&a.Epsilon, &a.Rho, &a.Delta} {
		if *part == nil || (*part).IsZero() {
			continue
		}
		if d, err := round((*part).Rat(), digits); err == nil {
			*part = &d
		}
	}
	return a.String()
}

// NameOfEntry returns a name for the release that a ledger entry describes, such as its class and mechanism. If the
// description contains no name, NameOfEntry returns its beginning.
func NameOfEntry(description json.RawMessage) string {
	var d struct {
		Format           string
		Class, Mechanism json.RawMessage
	}
	name := string(description)
	if json.Unmarshal(description, &d) == nil && nameIn(d.Mechanism) != "" {
		name = nameIn(d.Mechanism)
		switch class := nameIn(d.Class); {
		case d.Format == estimateFormat:
			name = "evaluation, " + name
		case class != "":
			name = class + ", " + name
		}
	}
	if text := []rune(quote.Clean(name)); len(text) > mostDescribed {
		return string(text[:mostDescribed]) + "…"
	}
	return quote.Clean(name)
}

// nameIn returns the text of a JSON string, or of the key "name" of a JSON object. It returns "" for anything else.
func nameIn(of json.RawMessage) string {
	var name string
	var named struct{ Name string }
	if json.Unmarshal(of, &name) != nil && json.Unmarshal(of, &named) != nil {
		return ""
	}
	return cmp.Or(name, named.Name)
}

// MostGaussian returns the largest ε, rounded down to 4 significant digits, of a release with μ-GDP that the
// remaining budget of the account still allows at its δ. The release consumes ρ = μ²/2. MostGaussian returns 0 if no
// such release is possible.
func MostGaussian(s *account.Statement) privacy.Decimal {
	rho := s.Left.Rho.Rat()
	g, err := privacy.NewGDP(s.Terms.Relation, new(big.Rat).Add(rho, rho), rho)
	if err != nil {
		return privacy.Decimal{}
	}
	epsilon, err := privacy.Epsilon(g, s.Terms.Delta)
	if err != nil {
		return privacy.Decimal{}
	}
	below := epsilon.Rat() // Epsilon rounds up to 9 digits
	most, _ := privacy.RoundDown(below.Mul(below, big.NewRat(999_999, 1_000_000)), 4)
	return most
}
