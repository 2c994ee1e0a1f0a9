package drivers

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The description of an account has 1 to 200 characters of any kind.
func TestAccountOfWords(t *testing.T) {
	for of, taken := range map[string]bool{
		"": false, "a": true, strings.Repeat("é", 200): true, strings.Repeat("é", 201): false, "\xff": false, strings.Repeat("a", 99) + "\xff": false,
	} {
		terms := account.Terms{Epsilon: privacytest.Decimal(t, "1"), Relation: privacy.ReplaceOne, Of: of}
		location := t.TempDir() + "/account.db"
		if err := account.Create(context.Background(), location, terms); (err == nil) != taken {
			t.Errorf("%q: %v", of, err)
		} else if taken && reopened(t, location).Terms() != terms {
			t.Errorf("%q: opened with other terms", of)
		}
	}
}

// Accounts with equal terms have different random identifiers of 128 bits, so an event of one account is not valid
// in another.
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

// An account is created in a new or an empty file. Other files are not changed.
func TestAccountBesideFiles(t *testing.T) {
	terms := account.Terms{Epsilon: privacytest.Decimal(t, "1"), Relation: privacy.ReplaceOne, Of: "x"}
	directory := t.TempDir()
	for name, c := range map[string]struct {
		text *string
		says string
	}{
		"new":            {nil, ""},
		"empty":          {new(string), ""},
		"full":           {&[]string{"some text"}[0], "exists already"},
		"nowhere/at-all": {nil, "cannot be written"},
	} {
		path := filepath.Join(directory, name)
		if c.text != nil {
			if err := os.WriteFile(path, []byte(*c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := account.Create(context.Background(), path, terms)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v", name, err)
		}
		if text, _ := os.ReadFile(path); c.says != "" && c.text != nil && string(text) != *c.text {
			t.Errorf("%s is changed", name)
		}
		if err == nil {
			reopened(t, path)
			if info, err := os.Stat(path); err != nil || c.text == nil && info.Mode().Perm() != 0o600 {
				t.Errorf("%s: others may read it: %v, %v", name, info.Mode(), err)
			}
		}
	}
}

// If the database cannot be reached, the error states this, and the location is not used as the path of a file.
func TestAccountOfNoServer(t *testing.T) {
	terms := account.Terms{Epsilon: privacytest.Decimal(t, "1"), Relation: privacy.ReplaceOne, Of: "x"}
	if err := account.Create(context.Background(), "postgres://user@127.0.0.1:1/none", terms); err == nil || !strings.Contains(err.Error(), "cannot be reached") {
		t.Error(err)
	}
}

// An account can be read while another program has locked it for writing.
func TestAccountIsReadBesideAWriter(t *testing.T) {
	location := filepath.Join(t.TempDir(), "account.db")
	opened(t, location, "1", "0")
	writer, err := raw(t, "SQLite", location).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if _, err := writer.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second) // a reader that waits for the writer would wait forever
	defer cancel()
	a, err := account.Open(ctx, location)
	if err != nil {
		t.Fatal(err)
	}
	a.Close()
}
