package noise

import (
	"crypto/sha3"
	"encoding/hex"
	"errors"
)

// A Key is 256 secret bits from which coins are computed, so that they are the same wherever
// and however often they are made.
type Key [32]byte

// NewKey draws a key.
func NewKey(c Coins) (k Key) {
	for i := range k {
		k[i] = byte(c.Uint64n(256))
	}
	return k
}

// Keyed returns Coins over SHAKE256 of the key. To whoever does not know a key that was drawn
// at random they are as good as independent coins, as far as SHAKE256 cannot be told from a
// random function; two streams of one key are the same. Not safe for concurrent use.
func Keyed(k Key) Coins {
	h := sha3.NewSHAKE256()
	h.Write(k[:])
	return New(h)
}

// Fork returns Coins that are independent of all that c tosses, before or after. Over the
// operating system's randomness these are more of it; over another stream they are Keyed by
// a key that is drawn from it. Other Coins, such as an enumeration of all outcomes, are
// returned as they are: what they toss is independent in any case.
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

// MarshalText writes the key, which is secret, in hexadecimal.
func (k Key) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, k[:]), nil }

// UnmarshalText reads what MarshalText writes.
func (k *Key) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(k)) {
		return errors.New("noise: a key has 64 hexadecimal digits")
	}
	_, err := hex.Decode(k[:], text)
	return err
}

// String keeps the key out of messages and logs.
func (Key) String() string { return "(a secret key)" }
