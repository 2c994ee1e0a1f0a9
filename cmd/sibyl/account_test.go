package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/privacy"
)

// TestAccountShow shows an account with entries, two of which are not settled.
func TestAccountShow(t *testing.T) {
	ctx := context.Background()
	location := filepath.Join(t.TempDir(), "clinic.db")
	one := privacytest.Decimal(t, "1")
	if err := account.Create(ctx, location, account.Terms{Epsilon: one, Relation: privacy.AddRemove, Of: "patients"}); err != nil {
		t.Fatal(err)
	}
	a, err := account.Open(ctx, location)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	descriptions := []string{`{"mechanism": {"name": "exponential"}}`, `{"mechanism": "histogram"}`, `{"other": "` + strings.Repeat("x", 80) + `\u001b"}`}
	for i := range 22 {
		epsilon, err := privacy.RoundUp(big.NewRat(1, 40), 4)
		if err != nil {
			t.Fatal(err)
		}
		g, err := privacy.NewBoundedRange(privacy.AddRemove, epsilon)
		if err != nil {
			t.Fatal(err)
		}
		token, err := a.Reserve(ctx, account.Entry{Description: json.RawMessage(descriptions[i%3]), Guarantee: g})
		if err == nil && i%10 != 9 {
			err = a.Settle(ctx, token, [32]byte{1})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text := accountSays(t, "show", "--account", location)
	text = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`).ReplaceAllString(text, "2026-01-02T03:04:05Z")
	text = regexp.MustCompile(`head 42:[0-9a-f]{64}`).ReplaceAllString(text, "head 42:…")
	want := `Account of patients
Budget of all releases together: ε = 1, relation add-remove.

  ██████████████████████████████▒▒▒···························

  spent     ε = 0.5
  reserved  ε = 0.05  (still running, or ended early; counts as spent)
  left      ε = 0.45
  budget    ε = 1

The budget allows one more release with ε up to 0.45, or several with this sum.

Not shown: the first 2 entries; sibyl account export prints all.

 entry  reserved              settled               charge     release
     3  2026-01-02T03:04:05Z  2026-01-02T03:04:05Z  ε = 0.025  {"other":"` + strings.Repeat("x", 50) + `…
`
	if !strings.HasPrefix(text, want) || !strings.HasSuffix(text, "\nhead 42:…\n") ||
		!strings.Contains(text, "\n    10  2026-01-02T03:04:05Z  no                    ε = 0.025  exponential\n") ||
		!strings.Contains(text, "ε = 0.025  histogram\n") {
		t.Errorf("shown\n%s", text)
	}

	rows, err := csv.NewReader(strings.NewReader(accountSays(t, "export", "--account", location))).ReadAll()
	if err != nil || len(rows) != 23 || rows[10][2] != "" || rows[1][4] != "0.025" || rows[1][7] != "add-remove" || rows[1][9] != `{"mechanism":{"name":"exponential"}}` {
		t.Errorf("%d rows, %v: %q", len(rows), err, rows[1])
	}
	var s account.Statement
	if err := json.Unmarshal([]byte(accountSays(t, "export", "--account", location, "--json")), &s); err != nil || len(s.Entries) != 22 || s.Entries[0].Guarantee.Parts[0].Epsilon.String() != "0.025" {
		t.Errorf("%v, %+v", err, s)
	}
	// These entries are not releases of this program, so their guarantees cannot be recomputed.
	var stdout, stderr bytes.Buffer
	if code := run([]string{"account", "verify", "--account", location}, strings.NewReader(""), &stdout, &stderr); code != cli.ExitUsage || !strings.Contains(stderr.String(), "the guarantee of entry 1 cannot be computed from its description") {
		t.Errorf("code %d: %s", code, &stderr)
	}
}

// Charges with many digits are shown rounded outward, and all entries are aligned.
func TestAccountShowAlignsEntries(t *testing.T) {
	location := filepath.Join(t.TempDir(), "clinic.db")
	terms := account.Terms{Relation: privacy.ReplaceOne, Of: "patients"}
	for text, to := range map[string]*privacy.Decimal{"8": &terms.Epsilon, "1e-6": &terms.Delta} {
		var err error
		if *to, err = privacy.ParseDecimal(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := account.Create(context.Background(), location, terms); err != nil {
		t.Fatal(err)
	}
	a, err := account.Open(context.Background(), location)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	spent, all := new(big.Rat), []*big.Rat{big.NewRat(1, 10), big.NewRat(9875448512, 659548233813), big.NewRat(1, 97), big.NewRat(1, 1<<40)}
	for _, rho := range all {
		g, err := privacy.NewZCDP(privacy.ReplaceOne, rho)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Reserve(context.Background(), account.Entry{Description: json.RawMessage(`{"mechanism": "synth"}`), Guarantee: g}); err != nil {
			t.Fatal(err)
		}
		spent.Add(spent, rho)
	}
	amounts := regexp.MustCompile(`ρ = ([0-9.]+)`)
	starts, number := map[int]bool{}, 0
	for _, line := range strings.Split(accountSays(t, "show", "--account", location), "\n") {
		found := amounts.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		shown, _ := new(big.Rat).SetString(found[1])
		if digits := len(strings.TrimLeft(strings.Replace(found[1], ".", "", 1), "0")); digits > shownDigits {
			t.Errorf("%d digits: %s", digits, line)
		}
		switch field := strings.Fields(line)[0]; {
		case field == "reserved" && shown.Cmp(spent) < 0:
			t.Errorf("%s, but %s is reserved", line, spent.FloatString(20))
		case strings.HasSuffix(line, "synth"):
			starts[len([]rune(line))] = true
			if shown.Cmp(all[number]) < 0 {
				t.Errorf("%s, but the charge is %s", line, all[number].FloatString(20))
			}
			number++
		}
	}
	if number != len(all) || len(starts) != 1 {
		t.Errorf("%d of %d entries, whose last column ends at %v", number, len(all), starts)
	}
}

// TestAccountShowPlanned shows an account with a δ whose entries describe planned releases.
func TestAccountShowPlanned(t *testing.T) {
	ctx := context.Background()
	location := filepath.Join(t.TempDir(), "clinic.db")
	numbers := map[string]privacy.Decimal{}
	for _, text := range []string{"4", "1e-6", "0.1"} {
		d := privacytest.Decimal(t, text)
		numbers[text] = d
	}
	terms := account.Terms{Epsilon: numbers["4"], Delta: numbers["1e-6"], Relation: privacy.ReplaceOne, Of: "patients"}
	if err := account.Create(ctx, location, terms); err != nil {
		t.Fatal(err)
	}
	if text := accountSays(t, "show", "--account", location); strings.Contains(text, "in advance") {
		t.Errorf("shown\n%s", text)
	}
	a, err := account.Open(ctx, location)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	g, err := privacy.NewPure(privacy.ReplaceOne, numbers["0.1"], privacy.ExactOracle)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if _, err := a.Reserve(ctx, account.Entry{Description: json.RawMessage(`{}`), Guarantee: g}); err != nil {
			t.Fatal(err)
		}
	}
	text := accountSays(t, "show", "--account", location)
	for _, want := range []string{
		"  reserved  ρ = 0.1  (",
		"If all of these releases were fixed in advance, and only then, their total is ε = 1.78860912 at that δ.\n",
		"The releases assume: The oracle always answers, and its answers are true minimisers.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("shown\n%s\nwithout %s", text, want)
		}
	}
	if text := accountSays(t, "show", "--account", location, "--json"); !strings.Contains(text, `"planned_in_advance_epsilon": "1.78860912"`) {
		t.Errorf("shown %s", text)
	}
}

// accountSays runs the command and returns its output.
func accountSays(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(append([]string{"account"}, args...), strings.NewReader(""), &stdout, &stderr); code != cli.ExitDone {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	return stdout.String()
}

// The digest that settles a private evaluation is that of its JSON file alone: the page beside it follows from the file.
func TestDigestOfEvaluation(t *testing.T) {
	directory := t.TempDir()
	path := func(name string) string { return filepath.Join(directory, name) }
	for _, name := range []string{"hospital.csv", "hospital.toml"} {
		text, err := sample.ReadFile("sample/" + name)
		if err != nil {
			t.Fatal(err)
		}
		put(t, path(name), string(text))
	}
	sibyl(t, "learn", "--class", "majority", "--data", path("hospital.csv"), "--schema", path("hospital.toml"), "--epsilon", "1", "--out", path("m.json"))
	sibyl(t, "account", "open", "--account", path("a.db"), "--epsilon", "1", "--of", "patients")
	sibyl(t, "evaluate", "--account", path("a.db"), "--data", path("hospital.csv"), "--model", path("m.json"), "--epsilon", "0.5", "--out", path("e.json"), "--html", path("e.html"))
	text, err := os.ReadFile(path("e.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path("e.html")); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%x", sha256.Sum256(text)); !strings.Contains(accountSays(t, "show", "--account", path("a.db"), "--json"), want) {
		t.Errorf("the account does not have the digest %s of the file", want)
	}
}
