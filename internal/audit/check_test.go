package audit_test

import (
	"context"
	"errors"
	"math/big"
	"strconv"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// response is randomised response to whether the table has a record of kind 0.
type response struct {
	guarantee privacy.Guarantee
	err       error
}

func (m response) Guarantee() privacy.Guarantee { return m.guarantee }

func (m response) Release(_ context.Context, table []int64, c noise.Coins) (int, error) {
	if m.err != nil {
		return 0, m.err
	}
	return int(table[0]) ^ audittest.Bit(c.Bernoulli(big.NewRat(1, 4))), nil
}

func TestCheckMechanism(t *testing.T) {
	pure, err := privacy.NewPure(privacy.ReplaceOne, privacytest.Decimal(t, "1.1"))
	if err != nil {
		t.Fatal(err)
	}
	tight, _ := privacy.NewPure(privacy.ReplaceOne, privacytest.Decimal(t, "1.09"))
	loose, err := privacy.NewZCDP(privacy.ReplaceOne, big.NewRat(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	w := audit.NewWorld(privacy.ReplaceOne, 2, 1, audittest.Counts)
	other := audit.NewWorld(privacy.AddRemove, 2, 1, audittest.Counts)
	for _, c := range []struct {
		name    string
		m       response
		w       audit.World[[]int64]
		refuted bool
		want    error
	}{
		{"true", response{guarantee: pure}, w, false, nil},
		{"false", response{guarantee: tight}, w, true, nil},
		{"not pure", response{guarantee: loose}, w, false, audit.ErrNotPure},
		{"other relation", response{guarantee: pure}, other, false, audit.ErrRelation},
		{"fails", response{pure, broken}, w, false, broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := audit.CheckMechanism(c.m, strconv.Itoa, c.w, audit.Options{})
			if !errors.Is(err, c.want) || r.Refuted() != c.refuted {
				t.Errorf("%v, %v, want %v", r, err, c.want)
			}
			if err == nil && r.Confirmed(1e-12) == c.refuted {
				t.Errorf("confirmed: %v", r.Confirmed(1e-12))
			}
			if c.refuted && (r.Counterexample == [2]int{} || r.Worst.At == "") {
				t.Errorf("no counterexample: %+v", r)
			}
		})
	}
}
