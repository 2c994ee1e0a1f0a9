package drivers

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/privacy"
)

// An account is of something in 1 to 200 characters, whatever they are.
func TestAccountOfWords(t *testing.T) {
	for of, taken := range map[string]bool{
		"": false, "a": true, strings.Repeat("é", 200): true, strings.Repeat("é", 201): false, "\xff": false, strings.Repeat("a", 99) + "\xff": false,
	} {
		terms := account.Terms{Epsilon: decimal(t, "1"), Relation: privacy.ReplaceOne, Of: of}
		location := t.TempDir() + "/account.db"
		if err := account.Create(context.Background(), location, terms); (err == nil) != taken {
			t.Errorf("%q: %v", of, err)
		} else if taken && reopened(t, location).Terms() != terms {
			t.Errorf("%q: opened with other terms", of)
		}
	}
}

// Two accounts of the same terms have ids of 128 bits that are not the same, so that no event of one
// is an event of the other.
func TestAccountHasAnID(t *testing.T) {
	seen := map[string]bool{strings.Repeat("0", 32): true}
	for range 3 {
		location := t.TempDir() + "/account.db"
		opened(t, location, "1", "0").Close()
		var body string
		if err := raw(t, "SQLite", location).QueryRow("SELECT body FROM sibyl_account_event").Scan(&body); err != nil {
			t.Fatal(err)
		}
		var first struct{ Open struct{ ID string } }
		if err := json.Unmarshal([]byte(body), &first); err != nil {
			t.Fatal(err)
		}
		if id := first.Open.ID; seen[id] || !regexp.MustCompile("^[0-9a-f]{32}$").MatchString(id) {
			t.Errorf("an id of %q, after %v", id, seen)
		}
		seen[first.Open.ID] = true
	}
}
