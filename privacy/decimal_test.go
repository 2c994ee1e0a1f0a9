package privacy

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"
)

func decimal(t testing.TB, s string) Decimal {
	t.Helper()
	d, err := ParseDecimal(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestParseDecimal(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"0", "0"}, {"0.000", "0"}, {"0e7", "0"}, {"1", "1"}, {"007", "7"}, {"1.50", "1.5"}, {"0.5", "0.5"},
		{".5", "0.5"}, {"5.", "5"}, {"1e-9", "0.000000001"}, {"2.5E-3", "0.0025"}, {"12.5e+1", "125"},
		{"1.25e1", "12.5"}, {"100e-2", "1"}, {"1e99", "1" + strings.Repeat("0", 99)},
		{"1e-99", "0." + strings.Repeat("0", 98) + "1"},
	} {
		d, err := ParseDecimal(c.in)
		if err != nil || d.String() != c.want {
			t.Errorf("%q gave %v, %v; want %s", c.in, d, err, c.want)
		}
		if want, _ := new(big.Rat).SetString(strings.TrimSuffix(c.in, ".")); d.Rat().Cmp(want) != 0 {
			t.Errorf("%q has the value %v", c.in, d.Rat())
		}
	}
	for _, in := range []string{
		"", ".", "e5", "-1", "+1", "-0", "inf", "Inf", "nan", "NaN", "0x1p-2", "0b1", "1_000", "1/2", " 1", "1 ", "1,5",
		"1e", "1e+", "1e-", "1e1.5", "1e1e1", "1.2.3", "1e100", "1e-100", "1e999999999999999999999", "0e101", "١",
		strings.Repeat("9", 101), strings.Repeat("0", 101), "1\x00",
	} {
		d, err := ParseDecimal(in)
		if !errors.Is(err, ErrDecimal) || d != (Decimal{}) {
			t.Errorf("%q gave %v, %v; want ErrDecimal", in, d, err)
		}
	}
	if _, err := ParseDecimal(strings.Repeat("x", 1<<20)); len(err.Error()) > 200 {
		t.Errorf("a long input makes an error of %d bytes", len(err.Error()))
	}
}

func TestDecimalJSON(t *testing.T) {
	type params struct{ Epsilon, Delta Decimal }
	text, err := json.Marshal(params{decimal(t, "0.50"), decimal(t, "1e-9")})
	if want := `{"Epsilon":"0.5","Delta":"0.000000001"}`; err != nil || string(text) != want {
		t.Errorf("marshalled to %s, %v; want %s", text, err, want)
	}
	got := params{Delta: decimal(t, "3")}
	if err := json.Unmarshal([]byte(`{"Epsilon":"2.5e-1","Delta":"-1"}`), &got); !errors.Is(err, ErrDecimal) {
		t.Errorf("a negative δ gave %v", err)
	}
	if got.Epsilon != decimal(t, "0.25") || got.Delta != decimal(t, "3") {
		t.Errorf("unmarshalled to %v", got)
	}
}

func TestDecimalRatIsACopy(t *testing.T) {
	d := decimal(t, "0.5")
	d.Rat().SetInt64(7)
	if d.Rat().Cmp(big.NewRat(1, 2)) != 0 {
		t.Error("changing the result of Rat changed the decimal")
	}
}

func TestRound(t *testing.T) {
	third, huge := big.NewRat(1, 3), new(big.Rat).SetInt(power(100))
	small := new(big.Rat).SetFrac(big.NewInt(1), power(200))
	for _, c := range []struct {
		r        *big.Rat
		digits   int
		up, down string
	}{
		{new(big.Rat), 5, "0", "0"},
		{third, 1, "0.4", "0.3"},
		{third, 4, "0.3334", "0.3333"},
		{big.NewRat(1, 8), 100, "0.125", "0.125"},
		{big.NewRat(12345, 1), 2, "13000", "12000"},
		{big.NewRat(99999, 1000), 3, "100", "99.9"},
		{big.NewRat(1, 1000), 1, "0.001", "0.001"},
		{big.NewRat(1001, 1000000), 2, "0.0011", "0.001"},
		{small, 9, "0." + strings.Repeat("0", 98) + "1", "0"},
	} {
		if got, err := RoundUp(c.r, c.digits); err != nil || got.String() != c.up {
			t.Errorf("%v rounds up to %v, %v; want %s", c.r, got, err, c.up)
		}
		if got, err := RoundDown(c.r, c.digits); err != nil || got.String() != c.down {
			t.Errorf("%v rounds down to %v, %v; want %s", c.r, got, err, c.down)
		}
	}
	for _, r := range []*big.Rat{big.NewRat(-1, 3), huge} {
		if d, err := RoundUp(r, 9); !errors.Is(err, ErrDecimal) {
			t.Errorf("%v rounds up to %v, %v; want ErrDecimal", r, d, err)
		}
	}
	if d, err := RoundUpFloat(0.1, 100); err != nil || d.Rat().Cmp(new(big.Rat).SetFloat64(0.1)) != 0 {
		t.Errorf("the float 0.1 is %v, %v", d, err)
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), -1, math.MaxFloat64} {
		if d, err := RoundUpFloat(x, 9); !errors.Is(err, ErrDecimal) {
			t.Errorf("%v rounds up to %v, %v; want ErrDecimal", x, d, err)
		}
	}
}

// If ParseDecimal accepts a text, its value is that of big.Rat, its String parses to the same
// value, and it is rounded outward.
func FuzzParseDecimal(f *testing.F) {
	for _, s := range []string{"0.5", "1", "1e-9", "2.5E-3", "1e99", "1e-99", ".5", "5.", "inf", "0x1", "1_0", "1/3", "-0", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseDecimal(s)
		if err != nil {
			if !errors.Is(err, ErrDecimal) || d != (Decimal{}) {
				t.Fatalf("%q gave %v, %v", s, d, err)
			}
			return
		}
		if want, ok := new(big.Rat).SetString(s); !ok || d.Rat().Cmp(want) != 0 {
			t.Fatalf("%q parsed to %v", s, d)
		}
		if again, err := ParseDecimal(d.String()); err != nil || again != d {
			t.Fatalf("%q printed %v, which parsed to %v, %v", s, d, again, err)
		}
		if strings.ContainsAny(d.String(), "eE") || len(d.String()) > maxDigits+1 {
			t.Fatalf("%q printed %v", s, d)
		}
		if same, err := RoundUp(d.Rat(), maxDigits); err != nil || same != d {
			t.Fatalf("%v rounded to 100 digits is %v, %v", d, same, err)
		}
		up, errUp := RoundUp(d.Rat(), 3)
		down, errDown := RoundDown(d.Rat(), 3)
		if errUp == nil && up.Cmp(d) < 0 || errDown != nil || down.Cmp(d) > 0 {
			t.Fatalf("%v rounded to %v, %v and %v, %v", d, up, errUp, down, errDown)
		}
	})
}
