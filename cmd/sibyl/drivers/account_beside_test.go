package drivers

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/privacy"
)

func termsOf(t testing.TB, epsilon, delta string, r privacy.Relation) account.Terms {
	t.Helper()
	return account.Terms{Epsilon: privacytest.Decimal(t, epsilon), Delta: privacytest.Decimal(t, delta), Relation: r, Of: "the same patients"}
}

// TestAccountsBeside opens a second account for the same people, for each combination of the kinds of databases of the two
// accounts. Each account must record the other and state the sum of the budgets. Both remain usable.
func TestAccountsBeside(t *testing.T) {
	ctx := context.Background()
	for kind := range places(t) {
		for other := range places(t) {
			t.Run(kind+" beside "+other, func(t *testing.T) {
				t.Run("first", func(t *testing.T) { // so that the first account is in another schema than the second
					first := places(t)[other]
					a := opened(t, first, "1", "0")
					if _, err := a.Reserve(ctx, anEntry(t, "0.25")); err != nil {
						t.Fatal(err)
					}
					before := statement(t, a)
					if before.Beside != nil || before.Together != nil {
						t.Errorf("%+v beside none", before)
					}
					t.Run("second", func(t *testing.T) {
						second := places(t)[kind]
						terms := termsOf(t, "2", "1e-6", privacy.ReplaceOne)
						if err := account.CreateSecond(ctx, second, terms, first); err != nil {
							t.Fatal(err)
						}
						b := reopened(t, second)
						now, own := statement(t, a), statement(t, b)
						if now.Beside == nil || own.Beside == nil {
							t.Fatalf("%+v, %+v", now, own)
						}
						if *now.Beside != (account.Other{ID: own.ID, Terms: terms}) || *own.Beside != (account.Other{ID: now.ID, Terms: a.Terms()}) || now.ID != before.ID {
							t.Errorf("%+v beside %+v", now.Beside, own.Beside)
						}
						for _, s := range []*account.Statement{now, own, statement(t, reopened(t, first)), statement(t, reopened(t, second))} {
							if s.Together.Epsilon.String() != "3" || s.Together.Delta.String() != "0.000001" {
								t.Errorf("together %+v", s.Together)
							}
						}
						if err := a.Extends(ctx, before.Head); err != nil {
							t.Error(err)
						}
						if _, err := a.Reserve(ctx, anEntry(t, "0.76")); !errors.Is(err, privacy.ErrSpent) {
							t.Errorf("got %v", err)
						}
						for _, into := range []*account.Account{a, b} {
							token, err := into.Reserve(ctx, anEntry(t, "0.25"))
							if err == nil {
								err = into.Settle(ctx, token, digest)
							}
							if err == nil {
								err = into.Verify(ctx, recompute)
							}
							if err != nil {
								t.Error(err)
							}
						}
						heads := []string{statement(t, a).Head, statement(t, b).Head}
						for i, full := range []string{first, second} { // neither account accepts a third one
							third := filepath.Join(t.TempDir(), "third.db")
							sentence(t, account.CreateSecond(ctx, third, terms, full), `: the account already has a second account for the same people ("`)
							if _, err := os.Stat(third); err == nil || statement(t, reopened(t, full)).Head != heads[i] {
								t.Errorf("a refused account left a file or an event")
							}
						}
					})
				})
			})
		}
	}
}

// TestAccountBesidesRefused tries to create second accounts that are not allowed. Nothing is created, and the first account
// does not change.
func TestAccountBesidesRefused(t *testing.T) {
	ctx := context.Background()
	for kind, first := range places(t) {
		t.Run(kind, func(t *testing.T) {
			a := opened(t, first, "1", "0")
			before := statement(t, a)
			directory := t.TempDir()
			taken := filepath.Join(directory, "taken.db")
			if err := os.WriteFile(taken, []byte("text"), 0o600); err != nil {
				t.Fatal(err)
			}
			free := filepath.Join(directory, "free.db")
			long := termsOf(t, "1", "0", privacy.ReplaceOne)
			long.Of = strings.Repeat("x", 201)
			for _, c := range []struct {
				location, beside string
				terms            account.Terms
				says             string
			}{
				{free, first, termsOf(t, "1", "0", privacy.AddRemove), ": two accounts for the same people must have the same neighbour relation, but these have replace and add-remove"},
				{free, first, termsOf(t, "0", "0", privacy.ReplaceOne), "invalid privacy parameter"},
				{free, first, long, "the description of the data must have 1 to 200 characters"},
				{free, filepath.Join(directory, "none.db"), termsOf(t, "1", "0", privacy.ReplaceOne), "none.db: the database file does not exist; check its path"},
				{taken, first, termsOf(t, "1", "0", privacy.ReplaceOne), "taken.db: the file exists already; if it is an account, use it as it is, otherwise name another file"},
				{filepath.Join(directory, "no", "new.db"), first, termsOf(t, "1", "0", privacy.ReplaceOne), "new.db: the file cannot be written: no such file or directory"},
				{first, first, termsOf(t, "1", "0", privacy.ReplaceOne), " already"},
			} {
				sentence(t, account.CreateSecond(ctx, c.location, c.terms, c.beside), c.says)
				if _, err := os.Stat(free); err == nil {
					t.Fatalf("%s: a file was left", c.says)
				}
			}
			if s := statement(t, reopened(t, first)); s.Head != before.Head || s.Beside != nil {
				t.Errorf("%+v", s)
			}
		})
	}
}
