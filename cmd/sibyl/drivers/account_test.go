package drivers

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/privacy"
)

// anEntry returns the entry of a release with a pure guarantee of ε.
func anEntry(t testing.TB, epsilon string) account.Entry {
	return account.Entry{Description: json.RawMessage(`{"mechanism": "toy", "epsilon": "` + epsilon + `"}`), Guarantee: privacytest.Pure(t, epsilon, privacy.ReplaceOne)}
}

// recompute returns the guarantee that a description by anEntry implies.
func recompute(description json.RawMessage) (privacy.Guarantee, error) {
	var d struct{ Epsilon privacy.Decimal }
	if err := json.Unmarshal(description, &d); err != nil {
		return nil, err
	}
	return privacy.NewPure(privacy.ReplaceOne, d.Epsilon)
}

// places returns, for each kind of database, the location of an account in a new directory or schema. The schemas are in
// one database, because a server takes much longer to create a database.
func places(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{"SQLite": filepath.Join(t.TempDir(), "account.db")}
	if os.Getenv("SIBYL_TEST_POSTGRES") == "" && os.Getenv("CI") != "true" {
		t.Log("SIBYL_TEST_POSTGRES does not name a PostgreSQL database; .ci/postgres starts one")
		return all
	}
	server := postgresServer(t)
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	schema := fmt.Sprintf("account_%x", sha256.Sum256([]byte(t.Name()+all["SQLite"])))[:30]
	db := openURL(t, server)
	execute(t, db, "CREATE SCHEMA "+schema)
	t.Cleanup(func() { execute(t, db, "DROP SCHEMA "+schema+" CASCADE"); db.Close() })
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	all["PostgreSQL"] = u.String()
	return all
}

// opened creates an account and opens it.
func opened(t testing.TB, location, epsilon, delta string) *account.Account {
	t.Helper()
	terms := account.Terms{Epsilon: privacytest.Decimal(t, epsilon), Delta: privacytest.Decimal(t, delta), Relation: privacy.ReplaceOne, Of: "patients"}
	if err := account.Create(context.Background(), location, terms); err != nil {
		t.Fatal(err)
	}
	return reopened(t, location)
}

func reopened(t testing.TB, location string) *account.Account {
	t.Helper()
	a, err := account.Open(context.Background(), location)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func statement(t testing.TB, a *account.Account) *account.Statement {
	t.Helper()
	s, err := a.Statement(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// raw opens the database of an account without package account.
func raw(t testing.TB, kind, location string) *sql.DB {
	t.Helper()
	driver := map[string]string{"SQLite": "sqlite", "PostgreSQL": "pgx"}[kind]
	db, err := sql.Open(driver, location)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

var digest = sha256.Sum256([]byte("published"))

func TestAccount(t *testing.T) {
	for name, location := range places(t) {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			a := opened(t, location, "1", "0")
			first, err := a.Reserve(ctx, anEntry(t, "0.25"))
			if err != nil {
				t.Fatal(err)
			}
			// b represents another program.
			b := reopened(t, location)
			second, err := b.Reserve(ctx, anEntry(t, "0.5"))
			if err != nil || second != first+1 {
				t.Fatal(second, err)
			}
			if err := a.Settle(ctx, second, digest); err != nil {
				t.Fatal(err)
			}
			if _, err := a.Reserve(ctx, anEntry(t, "0.250001")); !errors.Is(err, privacy.ErrSpent) || !strings.HasSuffix(err.Error(), "the budget does not suffice: ε = 0.25 is left, and the release needs ε = 0.250001") {
				t.Errorf("got %v", err)
			}
			if err := b.Admits(ctx, privacytest.Pure(t, "0.250001", privacy.ReplaceOne)); !errors.Is(err, privacy.ErrSpent) {
				t.Errorf("a release beyond the budget is admitted: %v", err)
			}
			if err := b.Admits(ctx, privacytest.Pure(t, "0.25", privacy.ReplaceOne)); err != nil || len(statement(t, a).Entries) != 2 {
				t.Errorf("the remaining budget is not admitted, or is recorded: %v", err)
			}
			for _, token := range []account.Token{0, -1, 3, second} {
				if err := b.Settle(ctx, token, digest); err == nil {
					t.Errorf("entry %d was settled", token)
				}
			}
			for _, s := range []*account.Statement{statement(t, a), statement(t, b), statement(t, reopened(t, location))} {
				if s.Spent.Epsilon.String() != "0.5" || s.Reserved.Epsilon.String() != "0.25" || s.Left.Epsilon.String() != "0.25" || s.Limit.Epsilon.String() != "1" ||
					len(s.Entries) != 2 || s.Entries[0].SHA256 != "" || s.Entries[1].SHA256 != fmt.Sprintf("%x", digest) || s.Affords.Pure.String() != "0.25" {
					t.Errorf("got %+v", s)
				}
			}
			if err := a.Verify(ctx, recompute); err != nil {
				t.Error(err)
			}
			head := statement(t, a).Head
			if _, err := a.Reserve(ctx, anEntry(t, "0.25")); err != nil {
				t.Fatal(err)
			}
			if files := account.Files(location); name == "SQLite" && (len(files) != 4 || files[0] != location) || name == "PostgreSQL" && len(files) != 0 {
				t.Errorf("files %q", files)
			}
			if err := a.Extends(ctx, head); err != nil {
				t.Error(err)
			}
			if err := a.Extends(ctx, "2"+head[1:]); !errors.Is(err, account.ErrTampered) {
				t.Errorf("got %v", err)
			}
			wrong := func(json.RawMessage) (privacy.Guarantee, error) {
				return privacytest.Pure(t, "0.25", privacy.ReplaceOne), nil
			}
			if err := a.Verify(ctx, wrong); !errors.Is(err, account.ErrTampered) || !strings.Contains(err.Error(), "entry 2 ") {
				t.Errorf("got %v", err)
			}
			if err := account.Create(ctx, location, a.Terms()); err == nil {
				t.Error("an account was opened over another")
			}
		})
	}
}

// TestAccountOfConcentrated reserves guarantees of all kinds in an account with a δ, and checks the entries that are
// read back.
func TestAccountOfConcentrated(t *testing.T) {
	ctx := context.Background()
	for name, location := range places(t) {
		t.Run(name, func(t *testing.T) {
			a := opened(t, location, "2", "1e-9")
			ranged, err1 := privacy.NewBoundedRange(privacy.ReplaceOne, privacytest.Decimal(t, "0.1"), privacy.ExactOracle)
			zcdp, err2 := privacy.NewZCDP(privacy.ReplaceOne, big.NewRat(1, 300))
			approximate, err3 := privacy.NewApproximate(privacy.ReplaceOne, privacytest.Decimal(t, "0.1"), privacytest.Decimal(t, "1e-10"))
			all, err4 := privacy.Compose(ranged, ranged, zcdp, approximate, privacytest.Pure(t, "0.01", privacy.ReplaceOne))
			if err := errors.Join(err1, err2, err3, err4); err != nil {
				t.Fatal(err)
			}
			guarantees := map[string]privacy.Guarantee{}
			for kind, g := range map[string]privacy.Guarantee{"pure": privacytest.Pure(t, "0.02", privacy.ReplaceOne), "range": ranged, "zCDP": zcdp, "approximate": approximate, "all": all} {
				if _, err := a.Reserve(ctx, account.Entry{Description: json.RawMessage(`"` + kind + `"`), Guarantee: g}); err != nil {
					t.Errorf("%s: %v", kind, err)
				}
				guarantees[kind] = g
			}
			err := reopened(t, location).Verify(ctx, func(d json.RawMessage) (privacy.Guarantee, error) {
				return guarantees[strings.Trim(string(d), `"`)], nil
			})
			if err != nil {
				t.Error(err)
			}
			// 0.02²/2 + 0.1²/8 + 1/300 + 0.1²/2 + (2·0.1²/8 + 1/300 + 0.1²/2 + 0.01²/2)
			spent := statement(t, a).Reserved
			want := "0.020666666"
			if assumes := statement(t, a).Assumes; len(assumes) != 1 || assumes[0] != privacy.ExactOracle {
				t.Errorf("assumes %v", assumes)
			}
			if !strings.HasPrefix(spent.Rho.String(), want) || spent.Delta.String() != "0.0000000002" {
				t.Errorf("reserved ρ = %v, δ = %v", spent.Rho, spent.Delta)
			}
			for _, refused := range []struct {
				e   account.Entry
				why error
			}{
				{account.Entry{Description: json.RawMessage(`{}`), Guarantee: privacytest.Pure(t, "1", privacy.ReplaceOne)}, privacy.ErrSpent},
				{account.Entry{Description: json.RawMessage(`{}`)}, privacy.ErrCharge},
				{account.Entry{Description: json.RawMessage(`{`), Guarantee: zcdp}, nil},
				{account.Entry{Description: json.RawMessage(`{"a": 1, "a": 2}`), Guarantee: zcdp}, nil},
			} {
				if _, err := a.Reserve(ctx, refused.e); err == nil || refused.why != nil && !errors.Is(err, refused.why) {
					t.Errorf("%.40s: %v", refused.e.Description, err)
				}
			}
			long := account.Entry{Description: make(json.RawMessage, 64<<20+1), Guarantee: zcdp} // refused before its bytes are read
			if _, err := a.Reserve(ctx, long); err == nil || !strings.Contains(err.Error(), "is longer than 67108864 bytes") {
				t.Errorf("got %v", err)
			}
			if s := statement(t, a); len(s.Entries) != 5 {
				t.Errorf("%d entries", len(s.Entries))
			}
		})
	}
}

// TestAccountAtOnce runs many goroutines that reserve at the same time, each with its own connection. The budget suffices
// for only some of their entries.
func TestAccountAtOnce(t *testing.T) {
	const spenders, each = 32, 3
	for name, location := range places(t) {
		t.Run(name, func(t *testing.T) {
			opened(t, location, "1", "0")
			var wait sync.WaitGroup
			admitted := make([]int, spenders)
			var all []*account.Account
			for range spenders {
				all = append(all, reopened(t, location))
			}
			for i, a := range all {
				wait.Go(func() {
					for range each {
						token, err := a.Reserve(context.Background(), anEntry(t, "0.02"))
						if errors.Is(err, privacy.ErrSpent) {
							continue
						}
						if err == nil {
							err = a.Settle(context.Background(), token, digest)
						}
						if err != nil {
							t.Error(err)
						}
						admitted[i]++
					}
				})
			}
			wait.Wait()
			sum := 0
			for _, n := range admitted {
				sum += n
			}
			a := reopened(t, location)
			s := statement(t, a)
			if sum != 50 || len(s.Entries) != 50 || s.Spent.Epsilon.String() != "1" || !s.Left.Epsilon.IsZero() {
				t.Errorf("%d were admitted of 50; %d entries, spent %v", sum, len(s.Entries), s.Spent.Epsilon)
			}
			if err := a.Verify(context.Background(), recompute); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAccountCut truncates an account together with its head, as if an old copy were restored. Only a
// head that is stored elsewhere, or an Account that was opened before, detects this.
func TestAccountCut(t *testing.T) {
	ctx := context.Background()
	for kind, location := range places(t) {
		a := opened(t, location, "1", "0")
		for range 2 {
			if _, err := a.Reserve(ctx, anEntry(t, "0.25")); err != nil {
				t.Fatal(err)
			}
		}
		head := statement(t, a).Head
		db := raw(t, kind, location)
		for _, statement := range []string{
			"DELETE FROM sibyl_account_event WHERE sequence = 2",
			"UPDATE sibyl_account SET sequence = 1, hash = (SELECT hash FROM sibyl_account_event WHERE sequence = 1)",
		} {
			if _, err := db.Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
		b := reopened(t, location)
		if err := b.Extends(ctx, head); !errors.Is(err, account.ErrTampered) {
			t.Errorf("got %v", err)
		}
		if _, err := a.Reserve(ctx, anEntry(t, "0.01")); !errors.Is(err, account.ErrTampered) {
			t.Errorf("got %v", err)
		}
	}
}

// TestAccountTampered changes accounts at every position, and truncates them.
func TestAccountTampered(t *testing.T) {
	ctx := context.Background()
	atEnd := []string{"last cut", "last two cut", "all lost", "head lost", "head set back", "head of others", "cut with its head", "last one changed"}
	for name, statements := range map[string][]string{
		"cheaper charge":     {`UPDATE sibyl_account_event SET body = replace(body, '"charge":{"epsilon":"0.25"}', '"charge":{"epsilon":"0.01"}')`},
		"cheaper guarantee":  {`UPDATE sibyl_account_event SET body = replace(body, '"0.25"', '"0.01"')`},
		"more to spend":      {`UPDATE sibyl_account_event SET body = replace(body, '"epsilon":"1"', '"epsilon":"9"') WHERE sequence = 0`},
		"another time":       {`UPDATE sibyl_account_event SET body = replace(body, '"time":"2', '"time":"1') WHERE sequence = 2`},
		"another hash":       {`UPDATE sibyl_account_event SET hash = replace(hash, substr(hash, 1, 1), 'z') WHERE sequence = 2`},
		"last cut":           {`DELETE FROM sibyl_account_event WHERE sequence = 4`},
		"last two cut":       {`DELETE FROM sibyl_account_event WHERE sequence >= 3`},
		"one lost":           {`DELETE FROM sibyl_account_event WHERE sequence = 2`},
		"all lost":           {`DELETE FROM sibyl_account_event`},
		"head lost":          {`DELETE FROM sibyl_account`},
		"head set back":      {`UPDATE sibyl_account SET sequence = 3`},
		"head of others":     {`UPDATE sibyl_account SET hash = 'x'`},
		"cut with its head":  {`DELETE FROM sibyl_account_event WHERE sequence = 4`, `UPDATE sibyl_account SET sequence = 3`},
		"last one changed":   {`UPDATE sibyl_account_event SET body = replace(body, '"entry":1', '"entry":2') WHERE sequence = 4`},
		"one more":           {`INSERT INTO sibyl_account_event SELECT 5, body, hash FROM sibyl_account_event WHERE sequence = 4`},
		"exchanged":          {`UPDATE sibyl_account_event SET sequence = 99 WHERE sequence = 2`, `UPDATE sibyl_account_event SET sequence = 2 WHERE sequence = 3`, `UPDATE sibyl_account_event SET sequence = 3 WHERE sequence = 99`},
		"events of no table": {`DROP TABLE sibyl_account_event`},
	} {
		t.Run(name, func(t *testing.T) {
			for kind, location := range places(t) {
				a := opened(t, location, "1", "0")
				for range 3 {
					if _, err := a.Reserve(ctx, anEntry(t, "0.25")); err != nil {
						t.Fatal(err)
					}
				}
				if err := a.Settle(ctx, 1, digest); err != nil {
					t.Fatal(err)
				}
				db := raw(t, kind, location)
				for _, statement := range statements {
					if _, err := db.Exec(statement); err != nil {
						t.Fatal(err)
					}
				}
				_, err := account.Open(ctx, location)
				if (!errors.Is(err, account.ErrTampered) && name != "events of no table") || err == nil || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: %v", kind, err)
				}
				t.Log(err)
				if err := a.Verify(ctx, recompute); err == nil {
					t.Errorf("%s: Verify passes", kind)
				}
				// Before each entry, an open Account checks only the last event that it has read and the later ones.
				if slices.Contains(atEnd, name) {
					if _, err := a.Reserve(ctx, anEntry(t, "0.01")); !errors.Is(err, account.ErrTampered) {
						t.Errorf("%s: Reserve: %v", kind, err)
					}
				}
			}
		})
	}
}
