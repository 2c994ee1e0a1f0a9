package drivers

import (
	"context"
	"fmt"
	"testing"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// enter reserves and settles n entries.
func enter(b *testing.B, a *account.Account, n int) {
	b.Helper()
	e := anEntry(b, "0.001")
	for range n {
		token, err := a.Reserve(context.Background(), e)
		if err == nil {
			err = a.Settle(context.Background(), token, digest)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAccount reserves and settles releases in new accounts and in accounts with many entries,
// and opens these, which verifies all entries.
func BenchmarkAccount(b *testing.B) {
	many := heavy.Pick(1000, 100_000)
	for kind, location := range places(b) {
		a := opened(b, location, "1000000", "1e-9")
		for _, before := range []int{0, many} {
			enter(b, a, before)
			b.Run(fmt.Sprintf("%s/enter/after=%d", kind, before), func(b *testing.B) {
				for b.Loop() {
					enter(b, a, 1)
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "entries/s")
			})
		}
		b.Run(fmt.Sprintf("%s/open/entries=%d", kind, many), func(b *testing.B) {
			for b.Loop() {
				reopened(b, location).Close()
			}
		})
	}
}
