package noise

import (
	"encoding/binary"
	"errors"
	"io"
	"math/big"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// A tape returns its bytes one at a time, so nothing is read ahead.
type tape struct{ left []byte }

func (t *tape) Read(p []byte) (int, error) {
	if len(t.left) == 0 {
		return 0, io.EOF
	}
	p[0] = t.left[0]
	t.left = t.left[1:]
	return 1, nil
}

// onTape runs draw with a stream over the tape. ok is false if draw needs more bytes than the tape
// has.
func onTape(bytes []byte, draw func(*stream) int) (value int, used int, ok bool) {
	return new(stream).onTape(bytes, draw)
}

// onTape is the function onTape with s as the stream, whose buffer is not allocated for each tape.
func (s *stream) onTape(bytes []byte, draw func(*stream) int) (value int, used int, ok bool) {
	r := &tape{bytes}
	s.r, s.pos, s.end = r, 0, 0
	defer func() {
		if e := recover(); e != nil {
			if _, short := e.(*ReadError); !short {
				panic(e)
			}
		}
	}()
	value = draw(s)
	return value, len(bytes) - len(r.left), true
}

// tapes runs draw on all tapes of up to n bytes. It returns the exact probability of each value,
// and the probability that draw needs more than n bytes, in units of 256^-n.
func tapes(n int, draw func(*stream) int) (law map[int]int64, open int64) {
	law = map[int]int64{}
	s := new(stream)
	var visit func(bytes []byte, weight int64)
	visit = func(bytes []byte, weight int64) {
		value, _, ok := s.onTape(bytes, draw)
		switch {
		case ok:
			law[value] += weight
		case len(bytes) == n:
			open++
		default:
			for b := range 256 {
				visit(append(bytes, byte(b)), weight/256)
			}
		}
	}
	visit(make([]byte, 0, n), 1<<(8*n))
	return law, open
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestUint64nOnAllTapes(t *testing.T) {
	for n := uint64(1); n <= 258; n++ {
		length := 1
		if n > 256 {
			length = 2
		}
		law, open := tapes(length, func(s *stream) int { return int(s.Uint64n(n)) })
		for v := range int(n) {
			if law[v] != law[0] || law[v] == 0 {
				t.Fatalf("n = %d: P(%d) = %d, P(0) = %d units", n, v, law[v], law[0])
			}
		}
		if len(law) != int(n) || open >= 1<<(8*length-1) {
			t.Fatalf("n = %d: %d values, %d units open", n, len(law), open)
		}
	}
	biased, _ := tapes(1, func(s *stream) int { return int(s.byte() % 3) })
	if biased[0] == biased[2] {
		t.Error("the bias of a remainder does not show")
	}
}

// Below samples numbers of more than 64 bits. Three bits of the top byte decide whether a sample is
// accepted. The order of the values is the order of the tapes.
func TestBelow(t *testing.T) {
	n := new(big.Int).Lsh(big.NewInt(5), 64) // 67 bits
	for top := range 256 {
		bytes := []byte{byte(top), 1, 2, 3, 4, 5, 6, 7, 8}
		var got *big.Int
		_, used, ok := onTape(bytes, func(s *stream) int { got = s.Below(n); return 0 })
		if ok != (top>>5 < 5) {
			t.Fatalf("top byte %d: taken = %v", top, ok)
		}
		if want := new(big.Int).SetBytes(append([]byte{byte(top >> 5)}, bytes[1:]...)); ok && (used != 9 || got.Cmp(want) != 0) {
			t.Fatalf("got %v from %d bytes, want %v", got, used, want)
		}
	}
	if _, _, ok := onTape(append([]byte{5 << 5}, make([]byte, 8)...), func(s *stream) int { s.Below(n); return 0 }); ok {
		t.Error("n is taken for a number below n")
	}
	for w := uint(65); w <= 81; w++ { // w bits need 9 to 11 bytes
		var got *big.Int
		_, used, ok := onTape(slices.Repeat([]byte{0xff}, 20), func(s *stream) int { got = s.Below(power2(w, 0)); return 0 })
		if !ok || used != int(w+7)/8 || got.Cmp(power2(w, -1)) != 0 {
			t.Errorf("%d bits: %v from %d bytes", w, got, used)
		}
	}
	for n := int64(1); n < 20; n++ {
		law, _ := tapes(1, func(s *stream) int { return int(s.Below(big.NewInt(n)).Int64()) })
		for v := range int(n) {
			if law[v] != law[0] || law[v] == 0 {
				t.Fatalf("n = %d: P(%d) = %d, P(0) = %d units", n, v, law[v], law[0])
			}
		}
	}
}

// contains reports whether ones/units ≤ p ≤ (ones + open)/units.
func contains(law map[int]int64, open int64, units int64, p *big.Rat) bool {
	return big.NewRat(law[1], units).Cmp(p) <= 0 && big.NewRat(law[1]+open, units).Cmp(p) >= 0
}

func TestBernoulliOnAllTapes(t *testing.T) {
	for d := int64(1); d <= heavy.Pick[int64](20, 40); d++ {
		for n := int64(0); n <= d; n++ {
			law, open := tapes(2, func(s *stream) int { return truth(s.ratio(uint64(n), uint64(d))) })
			if open > 1 {
				t.Fatalf("%d/%d: %d units open", n, d, open)
			}
			if !contains(law, open, 1<<16, big.NewRat(n, d)) {
				t.Fatalf("%d/%d: P(true) in [%d, %d]/65536", n, d, law[1], law[1]+open)
			}
			if n > 0 && contains(law, open, 1<<16, big.NewRat(n, d+1)) {
				t.Fatalf("%d/%d passes for %d/%d", n, d+1, n, d)
			}
		}
	}
}

// The slow path reads 64 bits and compares them with the first 64 binary digits of the probability.
// If they are equal, the remaining digits decide.
func TestBernoulliOfAnySizeHasItsThreshold(t *testing.T) {
	d := new(big.Int).Exp(big.NewInt(3), big.NewInt(50), nil)
	n := new(big.Int).Exp(big.NewInt(7), big.NewInt(28), nil)
	p := new(big.Rat).SetFrac(n, d)
	threshold(t, p, func(s *stream) bool { return s.Bernoulli(p) })
}

// threshold checks that a toss compares the tape with p over two words. The words of the tape are
// little-endian; together they are the binary digits of a real number in [0, 1).
func threshold(t *testing.T, p *big.Rat, toss func(*stream) bool) {
	t.Helper()
	digits := new(big.Int).Lsh(p.Num(), 128)
	digits.Quo(digits, p.Denom())
	for _, step := range []int64{-1 << 40, -2, -1, 1, 2, 1 << 40} {
		for _, shift := range []uint{0, 64} {
			u := new(big.Int).Lsh(big.NewInt(step), shift)
			u.Add(u, digits)
			if u.Sign() < 0 || u.BitLen() > 128 {
				continue
			}
			var bytes [16]byte
			binary.LittleEndian.PutUint64(bytes[:], new(big.Int).Rsh(u, 64).Uint64())
			binary.LittleEndian.PutUint64(bytes[8:], new(big.Int).And(u, word(1<<64-1)).Uint64())
			heads, _, ok := onTape(bytes[:], func(s *stream) int { return truth(toss(s)) })
			if !ok || heads != truth(step < 0) {
				t.Errorf("%v·2^%d from the threshold %v: %d, decided %v", step, shift, digits, heads, ok)
			}
		}
	}
	var least [16]byte // far less than p if not 0
	binary.LittleEndian.PutUint64(least[:], new(big.Int).Rsh(digits, 64+9).Uint64())
	if heads, _, ok := onTape(append(least[:8], 1, 0, 0, 0, 0, 0, 0, 0), func(s *stream) int { return truth(toss(s)) }); !ok || heads != 1 {
		t.Errorf("far below the threshold %v: %d, decided %v", digits, heads, ok)
	}
	var tie [16]byte
	binary.LittleEndian.PutUint64(tie[:], new(big.Int).Rsh(digits, 64).Uint64())
	binary.LittleEndian.PutUint64(tie[8:], new(big.Int).And(digits, word(1<<64-1)).Uint64())
	if _, _, ok := onTape(tie[:], func(s *stream) int { return truth(toss(s)) }); ok {
		t.Error("a tie of 128 bits is decided")
	}
}

func TestBernoulliExpOnAllTapes(t *testing.T) {
	for _, test := range []struct {
		x, wrong *big.Rat
		bytes    int
	}{
		{rat("0"), rat("1/1000"), 1},
		{rat("1/100"), rat("1/101"), 3},
		{rat("1/10"), rat("101/1000"), 3},
		{rat("1/3"), rat("3/7"), 2},
		{rat("1"), rat("3/2"), 2},
		{rat("5/2"), rat("1/2"), 2},
	} {
		law, open := tapes(test.bytes, func(s *stream) int { return truth(s.BernoulliExp(test.x)) })
		units := int64(1) << (8 * test.bytes)
		inside := func(x *big.Rat) bool {
			p := expNeg(x)
			scale := new(big.Int).Lsh(one, unitBits)
			return contains(law, open, units, new(big.Rat).SetFrac(p.lo, scale)) &&
				contains(law, open, units, new(big.Rat).SetFrac(p.hi, scale))
		}
		if !inside(test.x) {
			t.Errorf("x = %v: P(true) in [%d, %d]/%d", test.x, law[1], law[1]+open, units)
		}
		if inside(test.wrong) {
			t.Errorf("x = %v passes for %v: P(true) in [%d, %d]/%d", test.wrong, test.x, law[1], law[1]+open, units)
		}
	}
}

func TestBernoulliScaledExpHasItsThreshold(t *testing.T) {
	huge := new(big.Rat).SetFrac(new(big.Int).Exp(big.NewInt(3), big.NewInt(40), nil), new(big.Int).Lsh(one, 30))
	for _, test := range []struct{ p, x *big.Rat }{
		{huge, rat("47/2")},
		{huge, rat("24")},
		{rat("3/2"), rat("1/2")},
		{rat("1/1000"), rat("-69/10")},
		{rat("1/1000"), rat("-5")},
		{rat("3"), rat("60")}, // the first 64 bits do not decide this case
		{new(big.Rat).SetFrac(one, power2(1443, 0)), rat("-1000")},
		{new(big.Rat).SetFrac(one, power2(34, 0)), rat("-20")},
		{new(big.Rat).SetFrac(one, power2(34, 0)), rat("-21")},
		{new(big.Rat).SetFrac(one, power2(34, 0)), rat("-22")},
		{new(big.Rat).SetFrac(one, power2(34, 0)), rat("-23")},
		nearWord(rat("-7/2"), 1), nearWord(rat("-7/2"), -1), nearWord(rat("-1/9"), 1), nearWord(rat("-1/9"), -1),
	} {
		lo, _ := ExpInterval(test.x, 2000)
		v := new(big.Rat).SetFrac(lo, new(big.Int).Lsh(one, 2000))
		threshold(t, v.Mul(v, test.p), func(s *stream) bool { return s.BernoulliScaledExp(test.p, test.x) })
	}
}

// nearWord returns p and x such that p·e^{-x} differs by sign·2^-100/3 from a number with 64 binary
// digits. So the first enclosure does not decide a comparison with this number.
func nearWord(x *big.Rat, sign int64) struct{ p, x *big.Rat } {
	lo, _ := ExpInterval(new(big.Rat).Neg(x), 400)
	v := new(big.Rat).SetFrac(big.NewInt(3<<60+7), power2(64, 0))
	v.Add(v, new(big.Rat).SetFrac(big.NewInt(sign), new(big.Int).Mul(big.NewInt(3), power2(100, 0))))
	return struct{ p, x *big.Rat }{v.Mul(v, new(big.Rat).SetFrac(lo, power2(400, 0))), x}
}

// For p ≤ 1 and x > 0, there are separate trials with probabilities p and e^{-x}, and both must
// succeed.
func TestBernoulliScaledExpOnAllTapes(t *testing.T) {
	for _, test := range []struct{ p, x *big.Rat }{
		{rat("1/2"), rat("1/8")}, {rat("3/4"), rat("1/5")}, {rat("1"), rat("1/5")}, {rat("1/9"), rat("1/100")},
	} {
		const bytes = 2
		law, open := tapes(bytes, func(s *stream) int { return truth(s.BernoulliScaledExp(test.p, test.x)) })
		mass := expNeg(test.x).times(fromRat(test.p))
		scale := new(big.Int).Lsh(one, unitBits)
		for _, end := range []*big.Int{mass.lo, mass.hi} {
			if !contains(law, open, 1<<(8*bytes), new(big.Rat).SetFrac(end, scale)) || open > 1<<(8*bytes)/16 {
				t.Errorf("p = %v, x = %v: P(true) in [%d, %d]/2^16", test.p, test.x, law[1], law[1]+open)
			}
		}
	}
}

// If the exponent is too large for an enclosure, there are two trials: one for the part of the
// exponent above 2^59, and one for the rest. The second is undecided after 64 bits only if these
// are 0.
func TestBernoulliScaledExpFarOff(t *testing.T) {
	const d = 1<<60 - 1
	x := new(big.Rat).SetFrac(power2(119, 0), word(d)) // 2^59 plus slightly more than 1/2
	head, tail := make([]byte, 8), binary.LittleEndian.AppendUint64(nil, d-1)
	for _, tape := range [][]byte{
		slices.Concat(tail, []byte{1, 0, 0, 0, 0, 0, 0, 0}), // the trial for 1/2 succeeds, and the other fails
		slices.Concat(head, tail),                           // the trial for 1/2 fails
	} {
		got, used, ok := onTape(tape, func(s *stream) int { return truth(s.BernoulliScaledExp(rat("2"), x)) })
		if !ok || used != len(tape) || got != 0 {
			t.Errorf("on %v: %d from %d bytes, decided %v", tape, got, used, ok)
		}
	}
}

func TestBernoulliScaledExpExtremes(t *testing.T) {
	c := Insecure(1)
	huge := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(3), big.NewInt(3000), nil))
	far := new(big.Rat).SetInt(new(big.Int).Lsh(one, 100))
	if c.BernoulliScaledExp(huge, rat("1000000000000")) || c.BernoulliScaledExp(huge, far) {
		t.Error("an impossible coin fell")
	}
	if !c.BernoulliScaledExp(rat("1"), rat("0")) || c.BernoulliScaledExp(rat("0"), rat("-5")) {
		t.Error("a certain coin failed")
	}
	for _, bad := range []struct{ p, x *big.Rat }{
		{rat("3"), rat("1")}, {rat("300"), rat("1")}, {rat("2"), rat("0")}, {rat("-1"), rat("1")}, {rat("-1"), rat("50")}, {rat("1"), rat("-1/1000000000000")},
		{rat("1"), new(big.Rat).Neg(far)},
	} {
		mustPanic(t, func() { c.BernoulliScaledExp(bad.p, bad.x) })
	}
}

func TestProgrammerErrorsPanic(t *testing.T) {
	c := Insecure(1)
	for _, f := range []func(){
		func() { c.Uint64n(0) },
		func() { c.Below(new(big.Int)) },
		func() { c.Bernoulli(rat("-1/2")) },
		func() { c.Bernoulli(rat("3/2")) },
		func() { c.BernoulliExp(rat("-1/2")) },
		func() { c.Pick(nil) },
		func() { c.Pick([]uint64{0}) },
		func() { Geometric{rat("0")}.Sample(c) },
		func() { TruncatedGeometric{rat("-1"), 3}.Sample(c) },
		func() { Laplace{rat("0")}.Sample(c) },
		func() { Gaussian{rat("-1")}.Sample(c) },
		func() { CubeRadius{0, rat("1")}.Sample(c) },
		func() { CubeRadius{1, rat("0")}.Sample(c) },
		func() { ExpIntervalRelative(new(big.Rat).SetInt(new(big.Int).Lsh(one, 60)), 64) },
	} {
		mustPanic(t, f)
	}
}

func mustPanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f()
}

func TestPick(t *testing.T) {
	for _, weights := range [][]int64{{0, 3, 0, 1, 5, 0}, {7}, {1, 1}, {0, 2}, {4, 0}, {1, 2, 3, 4}, {0, 0, 1, 0, 0}, {1, 0, 0, 0, 1, 6}} {
		var sums []uint64
		sum, all := uint64(0), int64(0)
		for _, w := range weights {
			sum += uint64(w)
			sums = append(sums, sum)
		}
		law, _ := tapes(1, func(s *stream) int { return s.Pick(sums) })
		for _, units := range law {
			all += units
		}
		for i, weight := range weights {
			if all == 0 || law[i]*int64(sum) != weight*all {
				t.Errorf("%v: P(%d) = %d of %d units", weights, i, law[i], all)
			}
		}
	}
}

// A failing reader returns some bytes and then an error.
type failing struct{ n int }

var errBroken = errors.New("broken")

func (f *failing) Read(p []byte) (int, error) {
	if f.n == 0 {
		return 0, errBroken
	}
	f.n--
	p[0] = 1
	return 1, nil
}

func TestReadError(t *testing.T) {
	c := New(&failing{3})
	defer func() {
		err, _ := recover().(error)
		var read *ReadError
		if !errors.As(err, &read) || !errors.Is(err, errBroken) {
			t.Errorf("panicked with %v", err)
		}
	}()
	c.Uint64n(1 << 40)
}
