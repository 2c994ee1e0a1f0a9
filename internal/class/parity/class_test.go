package parity_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/parity"
	"github.com/sibyl-dp/sibyl/internal/class/parity/paritytest"
)

func TestNewRefuses(t *testing.T) {
	four := []parity.Attribute{parity.OneHot(5)}
	for name, in := range map[string]struct {
		attributes []parity.Attribute
		o          parity.Options
	}{
		"no attribute":             {nil, parity.Options{}},
		"no category":              {[]parity.Attribute{parity.OneHot(0)}, parity.Options{}},
		"negative categories":      {[]parity.Attribute{parity.BinaryCode(-1)}, parity.Options{}},
		"too many categories":      {[]parity.Attribute{parity.BinaryCode(1<<16 + 1)}, parity.Options{}},
		"too many bits":            {[]parity.Attribute{parity.OneHot(40), parity.OneHot(40)}, parity.Options{}},
		"a bit too many":           {[]parity.Attribute{parity.OneHot(65)}, parity.Options{Affine: true}},
		"negative most":            {four, parity.Options{Most: -1}},
		"negative penalty":         {four, parity.Options{Penalty: -1}},
		"a large penalty":          {four, parity.Options{Penalty: 1<<40 + 1}},
		"an empty code":            {four, parity.Options{Code: parity.Code{}}},
		"a code that is too short": {four, parity.Options{Code: parity.Code{1, 2, 4}}},
		"dependent points":         {four, parity.Options{Code: parity.Code{1, 2, 4, 3, 5, 6, 7}}},
		"points of more bits":      {four, parity.Options{Code: parity.Code{1, 2, 4, 8, 16}}},
		"a code without 0, affine": {four, parity.Options{Code: parity.Code{1, 2, 4, 8}, Affine: true}},
		"a code of too many bits":  {[]parity.Attribute{parity.OneHot(26)}, parity.Options{Code: parity.Code{1}}},
	} {
		if _, err := parity.New(in.attributes, in.o); err == nil {
			t.Errorf("%s is taken", name)
		} else if !strings.HasPrefix(err.Error(), "parity: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, o := range []parity.Options{{}, {Most: 64}, {Most: 99}, {Penalty: 1 << 40}} {
		if _, err := parity.New([]parity.Attribute{parity.OneHot(65)}, o); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestSize(t *testing.T) {
	for _, in := range []struct {
		d    int
		o    parity.Options
		want string
	}{
		{64, parity.Options{}, "18446744073709551616"},
		{63, parity.Options{Affine: true}, "18446744073709551616"},
		{40, parity.Options{Most: 3}, "10701"}, // 1 + 40 + 780 + 9880
		{40, parity.Options{Most: 3, Affine: true}, "21402"},
	} {
		want, _ := new(big.Int).SetString(in.want, 10)
		if got := bits(t, in.d, in.o).Size(); got.Cmp(want) != 0 {
			t.Errorf("%d bits, %+v: %v, not %v", in.d, in.o, got, want)
		}
	}
}

// Attributes map categories to the documented bits.
func TestBits(t *testing.T) {
	c, err := parity.New([]parity.Attribute{parity.OneHot(4), parity.BinaryCode(2), parity.BinaryCode(5)}, parity.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range classtest.Records([]int{4, 2, 5}) {
		want := []bool{x[0] == 1, x[0] == 2, x[0] == 3, x[1] == 1, x[2]&1 == 1, x[2]&2 == 2, x[2]&4 == 4}
		if c.Bits() != len(want) {
			t.Fatalf("%d bits", c.Bits())
		}
		for i, set := range want {
			if c.Predict(parity.Parity{Bits: 1 << i}, x) != set {
				t.Errorf("bit %d of %v is not %v", i, x, set)
			}
		}
	}
}

func TestContains(t *testing.T) {
	c := bits(t, 5, parity.Options{Most: 2})
	for h, want := range map[parity.Parity]bool{
		{}: true, {Bits: 0b11000}: true, {Bits: 0b10101}: false, {Bits: 1 << 5}: false, {Bits: 1 << 63}: false, {Constant: true}: false,
	} {
		if c.Contains(h) != want {
			t.Errorf("contains %v: not %v", h, want)
		}
	}
}

func TestString(t *testing.T) {
	for h, want := range map[parity.Parity]string{
		{}: "0", {Constant: true}: "1", {Bits: 1<<3 | 1}: "x0⊕x3", {Bits: 1 << 63, Constant: true}: "x63⊕1",
	} {
		if h.String() != want {
			t.Errorf("%v is not %s", h, want)
		}
	}
	code, err := parity.Hadamard(3)
	if err != nil {
		t.Fatal(err)
	}
	c := bits(t, 3, parity.Options{Most: 2, Affine: true, Penalty: 4, Code: code})
	const want = "parities of 3 bits over 3 attributes, at most 2 of them, and their negations, penalty 4 for each bit, separated by 7 points at distance 3"
	if c.String() != want {
		t.Errorf("%v", c)
	}
}

// A partial prediction is the prediction on all records that agree with the record in the known
// attributes.
func TestPredictPartial(t *testing.T) {
	for seed := range 100 {
		draw := classtest.FromSeed(seed)
		c := paritytest.Random(draw, 128)
		partial := c.Class.(interface {
			PredictPartial(parity.Parity, []uint16, []bool) (label, ok bool)
		})
		x := c.Domain[draw(0, len(c.Domain)-1)]
		known := make([]bool, len(x))
		for j := range known {
			known[j] = draw(0, 1) == 0
		}
		for h := range c.Class.All() {
			seen := map[bool]bool{}
			for _, y := range c.Domain {
				agrees := true
				for j, k := range known {
					agrees = agrees && (!k || x[j] == y[j])
				}
				if agrees {
					seen[c.Class.Predict(h, y)] = true
				}
			}
			label, ok := partial.PredictPartial(h, x, known)
			if ok != (len(seen) == 1) || ok && !seen[label] {
				t.Fatalf("%v, %v, %v known: %v, %v, where all predictions are %v", h, x, known, label, ok, seen)
			}
		}
	}
}

// Without a code, φ consists of the predictions on the records with one bit set. If the class is
// affine, it also contains the prediction on the record without bits (Neel, Roth and Wu 2018,
// Appendix A).
func TestNaturalSeparatorIsASetOfRecords(t *testing.T) {
	for name, c := range paritytest.Fixed() {
		p := c.Class.(*parity.Class)
		if p.Options().Code != nil {
			continue
		}
		points := make([]record, p.Separator())
		for _, x := range c.Domain {
			var set []int
			for i := range p.Bits() {
				if p.Predict(parity.Parity{Bits: 1 << i}, x) {
					set = append(set, i)
				}
			}
			switch {
			case len(set) == 1:
				points[set[0]] = x
			case len(set) == 0 && p.Options().Affine:
				points[p.Bits()] = x
			}
		}
		seen := map[string]bool{}
		for h := range p.All() {
			var labels []bool
			for i, x := range points {
				if x == nil {
					t.Fatalf("%s: no record for bit %d of the separator", name, i)
				}
				labels = append(labels, p.Predict(h, x))
			}
			if !slices.Equal(labels, p.Separate(h)) {
				t.Errorf("%s: %v labels the records %v, not %v", name, h, labels, p.Separate(h))
			}
			seen[fmt.Sprint(labels)] = true
		}
		if int64(len(seen)) != p.Size().Int64() {
			t.Errorf("%s: %d labellings of %v parities", name, len(seen), p.Size())
		}
	}
}
