package noise

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"
)

// sixteen returns 128 random bits as text.
func sixteen(c Coins) string {
	return c.Below(new(big.Int).Lsh(big.NewInt(1), 128)).String()
}

// Forks of seeded Coins differ from each other and from the later output of their parent, and they
// are reproducible. The use of a fork does not change its parent.
func TestFork(t *testing.T) {
	all := func(c Coins, used int) (tossed []string) {
		for range 3 {
			f := Fork(c)
			for range used {
				sixteen(f)
			}
			tossed = append(tossed, sixteen(f), sixteen(c))
		}
		return tossed
	}
	a, b := all(Insecure(1), 0), all(Insecure(1), 0)
	seen := map[string]bool{}
	for i := range a {
		if a[i] != b[i] {
			t.Errorf("draw %d: %s and %s of one seed", i, a[i], b[i])
		}
		if seen[a[i]] {
			t.Errorf("draw %d is an earlier one", i)
		}
		seen[a[i]] = true
	}
	for i, beside := range all(Insecure(1), 5) {
		if i%2 == 1 && beside != a[i] {
			t.Error("what a fork tosses changes what is tossed beside it")
		}
	}
	c, d := all(Crypto(), 0), all(Crypto(), 0)
	for i := range c {
		if c[i] == d[i] {
			t.Error("two forks of the operating system's randomness toss the same")
		}
	}
}

// The key of a fork consists of the bytes that the parent would otherwise have produced next.
func TestForkIsKeyed(t *testing.T) {
	if Fork(New(strings.NewReader(strings.Repeat("k", 32)))).Uint64n(1<<63) != Keyed(Key([]byte(strings.Repeat("k", 32)))).Uint64n(1<<63) {
		t.Error("other coins")
	}
	if Fork(Insecure(1)).Uint64n(1<<63) != Keyed(NewKey(Insecure(1))).Uint64n(1<<63) {
		t.Error("other coins of a seed")
	}
}

// A key uses all bits of 32 random bytes. A fork of Coins over the operating system's random source
// reads the same source.
func TestKeysAreWhole(t *testing.T) {
	for b := range 256 {
		bytes := strings.Repeat(string([]byte{byte(b), byte(255 - b)}), 16)
		if k := NewKey(New(strings.NewReader(bytes))); string(k[:]) != bytes {
			t.Errorf("%x from %x", k[:], bytes)
		}
	}
	if s, ok := Fork(Crypto()).(*stream); !ok || !s.system {
		t.Error("a fork of the operating system's randomness has another source")
	}
}

// Fork returns other implementations of Coins unchanged.
func TestForkOfOthers(t *testing.T) {
	c := &tallied{Coins: Insecure(1)}
	if Fork(c) != Coins(c) {
		t.Error("other coins")
	}
}

// The expected bytes are SHAKE256 of 32 zero bytes, computed by another implementation (Python's
// hashlib).
func TestKeyed(t *testing.T) {
	c, got := Keyed(Key{}), ""
	for range 8 {
		got += fmt.Sprintf("%02x", c.Uint64n(256))
	}
	if got != "f5977c8283546a63" {
		t.Error(got)
	}
}

// Keys are marshalled as text, and formatted text does not contain them.
func TestKeyText(t *testing.T) {
	k := NewKey(Insecure(3))
	text, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	var again Key
	if err := json.Unmarshal(text, &again); err != nil || again != k {
		t.Errorf("%x, not %x: %v", again[:], k[:], err)
	}
	for _, bad := range []string{`"00"`, `"` + strings.Repeat("x", 64) + `"`, `"` + strings.Repeat("0", 66) + `"`} {
		if json.Unmarshal([]byte(bad), &again) == nil {
			t.Errorf("%s is read", bad)
		}
	}
	if shown := fmt.Sprint(k) + fmt.Sprintf("%v", struct{ K Key }{k}); strings.Contains(shown, strings.Trim(string(text), `"`)) {
		t.Error("a key is shown")
	}
}
