package noise

import (
	"crypto/sha3"
	"encoding/hex"
	"errors"
)

// A Key holds 256 secret bits that determine a random stream. Keyed returns the same stream for
// the same key, on every machine.
type Key [32]byte

// NewKey returns a uniformly random key.
func NewKey(c Coins) (k Key) {
	for i := range k {
		k[i] = byte(c.Uint64n(256))
	}
	return k
}

// Keyed returns Coins that are determined by the key k: they read the output of SHAKE256 for the input k. If the key is
// uniform and secret, and SHAKE256 is indistinguishable from a random function, these Coins are computationally
// indistinguishable from independent Coins. They are not safe for concurrent use.
func Keyed(k Key) Coins {
	h := sha3.NewSHAKE256()
	h.Write(k[:])
	return New(h)
}

// Fork returns Coins that are independent of all past and future choices of c. There are three
// cases:
//   - If c reads the operating system's random source, the result reads it too.
//   - If c reads another stream, the result is Keyed(k) for a key k sampled from c.
//   - If c is another implementation of Coins, such as an enumeration of all outcomes, the
//     result is c.
func Fork(c Coins) Coins {
	s, ok := c.(*stream)
	switch {
	case !ok:
		return c
	case s.system:
		return Crypto()
	}
	return Keyed(NewKey(c))
}

// MarshalText returns the secret key in hexadecimal.
func (k Key) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, k[:]), nil }

// UnmarshalText reads a key in hexadecimal, as MarshalText writes it.
func (k *Key) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(k)) {
		return errors.New("noise: a key must have 64 hexadecimal digits")
	}
	_, err := hex.Decode(k[:], text)
	return err
}

// String returns a fixed text, so that messages and logs do not contain the key.
func (Key) String() string { return "(a secret key)" }
