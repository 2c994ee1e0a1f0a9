package noise

import (
	crand "crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"math/big"
	"math/bits"
	"math/rand/v2"
)

const bufferSize = 4096

// stream implements Coins with independent uniform bytes, which it reads from r into a buffer. Each random choice
// consumes a whole number of bytes, in little-endian order.
type stream struct {
	r        io.Reader
	system   bool                 // whether r is the operating system's random source
	pos, end int                  // buf[pos:end] is read and not yet used
	buf      [bufferSize + 8]byte // padded, so that 8 bytes can be loaded at any position
}

// A ReadError reports that reading random bytes failed. The methods of Coins return no
// error, so they panic with a *ReadError. The failure does not depend on data. The reader
// of Crypto never fails.
type ReadError struct{ Err error }

func (e *ReadError) Error() string { return fmt.Sprintf("noise: reading random bytes: %v", e.Err) }

func (e *ReadError) Unwrap() error { return e.Err }

// New returns Coins that read random bytes from r, up to 4 KiB in advance. Their probabilities
// are exact if the bytes are independent and uniform. Their methods panic with a *ReadError if
// r fails. They are not safe for concurrent use.
func New(r io.Reader) Coins { return &stream{r: r} }

// Crypto returns Coins that read the operating system's secure random source, which never
// fails. They are not safe for concurrent use: give each goroutine its own.
func Crypto() Coins { return &stream{r: crand.Reader, system: true} }

// Insecure returns Coins that read the ChaCha8 stream of the seed. Anyone who knows or guesses the seed can remove
// the noise, so there is no privacy guarantee at all. Use these Coins only for tests, demonstrations and reproducible
// experiments on public data. They are not safe for concurrent use.
func Insecure(seed uint64) Coins {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	return New(rand.NewChaCha8(key))
}

// need makes the buffer hold at least n unused random bytes, for n ≤ 8: it reads more if necessary.
func (s *stream) need(n int) {
	s.end = copy(s.buf[:], s.buf[s.pos:s.end])
	s.pos = 0
	got, err := io.ReadAtLeast(s.r, s.buf[s.end:bufferSize], n-s.end)
	s.end += got
	if err != nil {
		panic(&ReadError{err})
	}
}

func (s *stream) byte() uint64 {
	if s.pos == s.end {
		s.need(1)
	}
	b := s.buf[s.pos]
	s.pos++
	return uint64(b)
}

// bits returns a uniform integer of w ≤ 64 bits. It consumes ⌈w/8⌉ bytes of the random stream.
func (s *stream) bits(w int) uint64 {
	n := (w + 7) / 8
	if s.end-s.pos < n {
		s.need(n)
	}
	b := binary.LittleEndian.Uint64(s.buf[s.pos:])
	s.pos += n
	return b & (1<<w - 1)
}

func (s *stream) Uint64n(n uint64) uint64 {
	if n == 0 {
		panic("noise: Uint64n needs a positive bound")
	}
	w := bits.Len64(n - 1)
	for {
		if u := s.bits(w); u < n {
			return u
		}
	}
}

func (s *stream) Below(n *big.Int) *big.Int {
	if n.Sign() <= 0 {
		panic("noise: Below needs a positive bound")
	}
	if n.IsUint64() {
		return new(big.Int).SetUint64(s.Uint64n(n.Uint64()))
	}
	u := new(big.Int)
	w := u.Sub(n, one).BitLen()
	digits := make([]byte, (w+7)/8)
	for {
		for i := range digits {
			digits[i] = byte(s.byte())
		}
		digits[0] >>= -w & 7
		if u.SetBytes(digits).Cmp(n) < 0 {
			return u
		}
	}
}

func (s *stream) Pick(c []uint64) int {
	if len(c) == 0 {
		panic("noise: Pick needs at least one weight")
	}
	u := s.Uint64n(c[len(c)-1])
	lo, hi := 0, len(c)-1 // the answer, the least i with u < c[i], is in [lo, hi]
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); u < c[mid] {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

func (s *stream) Draw(law Sampler) *big.Int { return law.Sample(s) }
