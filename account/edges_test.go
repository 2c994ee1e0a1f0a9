package account

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/privacy"
)

// subsets calls f with every combination of three booleans.
func subsets(f func(a, b, c bool)) {
	for i := range 8 {
		f(i&1 != 0, i&2 != 0, i&4 != 0)
	}
}

// In an account with δ = 0 an amount has only an ε; in any other account it has a ρ and a δ. Any other
// combination of fields is invalid.
func TestAmountsOfOneKind(t *testing.T) {
	one, two, three := privacytest.Decimal(t, "1"), privacytest.Decimal(t, "0.2"), privacytest.Decimal(t, "0.03")
	for _, delta := range []privacy.Decimal{{}, privacytest.Decimal(t, "0.1")} {
		subsets(func(epsilon, rho, failure bool) {
			var a Amount
			if epsilon {
				a.Epsilon = &one
			}
			if rho {
				a.Rho = &two
			}
			if failure {
				a.Delta = &three
			}
			got, err := a.filtered(delta)
			switch {
			case delta.IsZero() && epsilon && !rho && !failure:
				if err != nil || got != (privacy.Amount{Loss: one}) {
					t.Errorf("ε = 1: %v, %v", got, err)
				}
			case !delta.IsZero() && !epsilon && rho && failure:
				if err != nil || got != (privacy.Amount{Loss: two, Failure: three}) {
					t.Errorf("ρ = 0.2: %v, %v", got, err)
				}
			case err == nil:
				t.Errorf("δ = %v: an amount with ε %v, ρ %v, δ %v is taken for %v", delta, epsilon, rho, failure, got)
			}
		})
	}
}

// A part of a guarantee is valid only if exactly the parameters of its kind are set. It is written with the values that
// were read.
func TestPartsOfOneKind(t *testing.T) {
	epsilon, delta := privacytest.Decimal(t, "0.5"), privacytest.Decimal(t, "0.01")
	const hasEpsilon, hasDelta, hasRho, hasSquare = 1, 2, 4, 8
	kinds := map[string]int{
		kindPure: hasEpsilon, kindRange: hasEpsilon, kindZCDP: hasRho, kindGDP: hasRho | hasSquare, kindApproximate: hasEpsilon | hasDelta,
		"": 0, "free": hasEpsilon,
	}
	for kind, has := range kinds {
		for set := range 16 {
			p := Part{Kind: kind, Times: 1}
			if set&hasEpsilon != 0 {
				p.Epsilon = &epsilon
			}
			if set&hasDelta != 0 {
				p.Delta = &delta
			}
			if set&hasRho != 0 {
				p.Rho = "1/3"
			}
			if set&hasSquare != 0 {
				p.MuSquared = "2/7"
			}
			g, err := p.decode(privacy.ReplaceOne, nil)
			if known := kind != "" && kind != "free"; (err == nil) != (known && has == set) {
				t.Errorf("%+v: %v, %v", p, g, err)
			} else if err == nil {
				again, err := encodeGuarantee(g)
				if err != nil || len(again.Parts) != 1 || !reflect.DeepEqual(again.Parts[0], p) {
					t.Errorf("%+v is written as %+v, %v", p, again, err)
				}
			}
		}
	}
}

// A part may occur 1 to 2^40 times.
func TestMostTimes(t *testing.T) {
	one, err := privacy.NewPure(privacy.ReplaceOne, privacytest.Decimal(t, "0.001"))
	if err != nil {
		t.Fatal(err)
	}
	for times, taken := range map[int64]bool{-1: false, 0: false, 1: true, 1 << 39: true, 1 << 40: true, 1<<40 + 1: false} {
		if _, err := repeated(one, times); (err == nil) != taken {
			t.Errorf("%d times: %v", times, err)
		}
	}
}

// An event has exactly one kind. An event with the fields of two kinds is invalid at any position.
func TestEventsOfOneKind(t *testing.T) {
	inner := func(event string) string { return strings.TrimSuffix(strings.TrimPrefix(event, "{"), "}") }
	subsets(func(opens, reserves, ends bool) {
		var kinds []string
		for kind, is := range map[string]bool{opensPure: opens, takesPure: reserves, settles: ends} {
			if is {
				kinds = append(kinds, inner(kind))
			}
		}
		if len(kinds) == 1 {
			return
		}
		ordered := ""
		for _, kind := range []string{inner(opensPure), inner(takesPure), inner(settles)} {
			for _, k := range kinds {
				if k == kind {
					ordered += "," + k
				}
			}
		}
		body := "{" + strings.TrimPrefix(ordered, ",") + "}"
		for name, lines := range map[string][]line{
			"first": written(body), "second": written(opensPure, body), "third": written(opensPure, takesPure, body),
		} {
			if len(kinds) == 0 {
				last := &lines[len(lines)-1]
				last.body = strings.Replace(last.body, `"",}`, `""}`, 1)
				before := ""
				if len(lines) > 1 {
					before = lines[len(lines)-2].hash
				}
				last.hash = chained(before, last.body)
			}
			if _, err := followed(lines); err == nil || !strings.HasSuffix(err.Error(), "the event must have exactly one of the keys \"open\", \"reserve\", \"settle\" and \"beside\"") {
				t.Errorf("opens %v, reserves %v, settles %v, as the %s: %v", opens, reserves, ends, name, err)
			}
		}
	})
}

// An event keeps the description of the data unchanged, the ledger counts settled entries, and now returns the
// time of the clock.
func TestEventsAsWritten(t *testing.T) {
	l, err := followed(written(strings.Replace(opensPure, `"of":"x"`, `"of":"a<b & c>d"`, 1), takesPure, takesPure, settles))
	if err != nil || l.Of != "a<b & c>d" || l.settled != 1 {
		t.Errorf("%+v, %v", l, err)
	}
	if at, err := time.Parse(time.RFC3339, now()); err != nil || time.Since(at).Abs() > time.Hour {
		t.Errorf("now is %s", now())
	}
}

// A description has at most mostDescription bytes.
func TestMostDescription(t *testing.T) {
	a := &Account{}
	for more, says := range []string{"is not JSON", "is longer than"} {
		if _, err := a.Reserve(context.Background(), Entry{Description: make([]byte, mostDescription+more)}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%d bytes more: %v", more, err)
		}
	}
}

// isEmpty is true only for an empty regular file.
func TestIsEmpty(t *testing.T) {
	directory := t.TempDir()
	empty, full := filepath.Join(directory, "empty"), filepath.Join(directory, "full")
	for path, text := range map[string]string{empty: "", full: "x"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]bool{empty: true, full: false, directory: false, os.DevNull: false, filepath.Join(directory, "none"): false} {
		if got := isEmpty(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// A location that is not a file is not created.
func TestCreateElsewhere(t *testing.T) {
	terms := Terms{Epsilon: privacytest.Decimal(t, "1"), Relation: privacy.ReplaceOne, Of: "x"}
	t.Chdir(t.TempDir())
	for _, location := range []string{"postgres://user@127.0.0.1:1/none", ""} {
		if err := Create(context.Background(), location, terms); err == nil {
			t.Errorf("%q: an account is made", location)
		}
	}
	if files, err := os.ReadDir("."); err != nil || len(files) != 0 {
		t.Error(fmt.Sprint(files), err)
	}
}
