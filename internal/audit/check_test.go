package audit

import (
	"context"
	"errors"
	"math/big"
	"strconv"
	"testing"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// response is randomised response on whether the table has a record of kind 0.
type response struct {
	guarantee privacy.Guarantee
	err       error
}

func (m response) Guarantee() privacy.Guarantee { return m.guarantee }

func (m response) Release(_ context.Context, table []int64, c noise.Coins) (int, error) {
	if m.err != nil {
		return 0, m.err
	}
	return int(table[0]) ^ bit(c.Bernoulli(big.NewRat(1, 4))), nil
}

func TestCheckMechanism(t *testing.T) {
	pure, err := privacy.NewPure(privacy.ReplaceOne, decimal(t, "1.1"))
	if err != nil {
		t.Fatal(err)
	}
	tight, _ := privacy.NewPure(privacy.ReplaceOne, decimal(t, "1.09"))
	loose, err := privacy.NewZCDP(privacy.ReplaceOne, big.NewRat(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	w := NewWorld(privacy.ReplaceOne, 2, 1, counts)
	other := NewWorld(privacy.AddRemove, 2, 1, counts)
	for _, c := range []struct {
		name    string
		m       response
		w       World[[]int64]
		refuted bool
		want    error
	}{
		{"true", response{guarantee: pure}, w, false, nil},
		{"false", response{guarantee: tight}, w, true, nil},
		{"not pure", response{guarantee: loose}, w, false, ErrNotPure},
		{"other relation", response{guarantee: pure}, other, false, ErrRelation},
		{"fails", response{pure, broken}, w, false, broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := CheckMechanism(c.m, strconv.Itoa, c.w, Options{})
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
