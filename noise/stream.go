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

// stream makes coins from a stream of independent uniform bytes. It reads ahead
// and takes whole bytes for each decision, little-endian.
type stream struct {
	r        io.Reader
	system   bool                 // r is the operating system's
	pos, end int                  // buf[pos:end] is read and not yet used
	buf      [bufferSize + 8]byte // padded, so that 8 bytes can be loaded anywhere
}

// A ReadError reports that the source of randomness failed. Coins have no
// error result, so they panic with a *ReadError: the failure is the reader's
// and does not depend on data. The reader of Crypto never fails.
type ReadError struct{ Err error }

func (e *ReadError) Error() string { return fmt.Sprintf("noise: reading random bytes: %v", e.Err) }

func (e *ReadError) Unwrap() error { return e.Err }

// New returns Coins over a reader of independent uniform bytes, which it reads
// ahead by up to 4 KiB. The coins are exact if the bytes are. They panic with a
// *ReadError if the reader fails, and are not safe for concurrent use.
func New(r io.Reader) Coins { return &stream{r: r} }

// Crypto returns Coins over the operating system's secure randomness, which
// never fails. They hold a buffer, so they are not safe for concurrent use: give
// each goroutine its own.
func Crypto() Coins { return &stream{r: crand.Reader, system: true} }

// Insecure returns Coins that are a function of the seed (ChaCha8): whoever
// knows or guesses it can remove the noise. They void every privacy guarantee
// and are for tests, demonstrations and reproducible experiments on public data.
// Not safe for concurrent use.
func Insecure(seed uint64) Coins {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	return New(rand.NewChaCha8(key))
}

// need makes at least n ≤ 8 bytes available, where there are fewer.
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

// bits returns w ≤ 64 uniform bits, from the fewest bytes that hold them.
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
		panic("noise: Uint64n of 0")
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
		panic("noise: Below of a number that is not positive")
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
		panic("noise: Pick from nothing")
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
