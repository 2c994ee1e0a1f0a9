package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOldLedger verifies a ledger that an earlier version wrote, with releases of most mechanisms. Its entries still have
// the privacy losses that they had, and a release whose schema states a profile of that version finds it in the ledger.
func TestOldLedger(t *testing.T) {
	directory, old := t.TempDir(), filepath.Join("testdata", "old-ledger")
	text, err := os.ReadFile(filepath.Join(old, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	ledger := filepath.Join(directory, "ledger.db")
	if err := os.WriteFile(ledger, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var shown struct {
		Head    string
		Spent   struct{ Rho, Delta string }
		Entries []json.RawMessage
	}
	printed := func(v any, command string) {
		t.Helper()
		if err := json.Unmarshal(sibyl(t, "account", command, "--account", ledger, "--json"), v); err != nil {
			t.Fatal(err)
		}
	}
	var verified struct{ Entries int }
	printed(&verified, "verify")
	printed(&shown, "show")
	const head, rho = "62:7fca29d155ba72f6f663ee3bb97e1b2b024c30ee24fa01e4d108ca7059ec129a", "1.783238720138902856404481586142110465314325657136748719877467605743118828297847779185672374"
	if shown.Head != head || shown.Spent.Rho != rho || shown.Spent.Delta != "0.0000135" || len(shown.Entries) != 31 {
		t.Errorf("the ledger has %d entries, the head %s and spent %v", len(shown.Entries), shown.Head, shown.Spent)
	}
	data := filepath.Join(directory, "data.csv")
	if err := os.WriteFile(data, []byte("age,ward,smoker,y\n"+strings.Repeat("40,a,yes,no\n70,b,no,yes\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	schemas := []string{"pure", "rho", "categories"}
	for _, name := range schemas {
		sibyl(t, "learn", "naive-bayes", "--data", data, "--schema", filepath.Join(old, name+".toml"), "--epsilon", "0.5", "--account", ledger, "--out", filepath.Join(directory, name+".json"))
	}
	if printed(&verified, "verify"); verified.Entries != 31+len(schemas) {
		t.Errorf("after %d releases the ledger has %d entries", len(schemas), verified.Entries)
	}
}
