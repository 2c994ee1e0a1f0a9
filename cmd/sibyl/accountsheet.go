package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/privacy"
)

// mostShown is the maximum number of entries that sibyl account show prints. If there are more, it prints the latest
// ones.
const mostShown = 20

// shownDigits is the maximum number of significant digits of an amount that sibyl account show prints. It rounds
// charges and spent amounts up, and remaining amounts down. The JSON output and sibyl account export have all
// digits.
const shownDigits = 10

// write prints the budget and the releases of a privacy account as text.
func (s shownAccount) write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Account of %s\n", quote.Clean(s.Terms.Of))
	fmt.Fprintf(&b, "Budget of all releases together: %s, relation %s.\n", budget(s.Terms.Epsilon, s.Terms.Delta), s.Terms.Relation)
	if s.Beside != nil {
		fmt.Fprintf(&b, "With the other account for the same people, %s (%s), the budget of both together is %s.\n",
			quote.Clean(s.Beside.Terms.Of), budget(s.Beside.Terms.Epsilon, s.Beside.Terms.Delta), budget(s.Together.Epsilon, s.Together.Delta))
	}
	b.WriteString("\n")
	fmt.Fprintf(&b, "  %s\n\n", accountBar(s.Statement))
	for _, row := range []struct {
		name   string
		amount account.Amount
		round  release.Rounding
		why    string
	}{
		{"spent", s.Spent, privacy.RoundUp, ""},
		{"reserved", s.Reserved, privacy.RoundUp, "  (still running, or ended early; counts as spent)"},
		{"left", s.Left, privacy.RoundDown, ""},
		{"budget", s.Limit, privacy.RoundDown, ""},
	} {
		if row.name == "reserved" && settledAll(s.Statement) {
			row.why = ""
		}
		fmt.Fprintf(&b, "  %-9s %s%s\n", row.name, release.Rounded(row.amount, row.round, shownDigits), row.why)
	}
	b.WriteString("\n")
	switch {
	case s.Affords.Range.IsZero():
		b.WriteString("No further release fits into the budget.\n")
	case s.Terms.Delta.IsZero():
		fmt.Fprintf(&b, "The budget allows one more release with ε up to %s, or several with this sum.\n", s.Affords.Pure)
	default:
		fmt.Fprintf(&b, "The budget allows one more release: by the exponential mechanism with ε up to %s, or by another\nmechanism with δ = 0 and ε up to %s. Several smaller ones fit too: each uses ρ = ε²/8, or ε²/2.\n", s.Affords.Range, s.Affords.Pure)
		if most := release.MostGaussian(s.Statement); !most.IsZero() {
			fmt.Fprintf(&b, "Or one release of synthetic data with δ = %s and ε up to %s.\n", s.Terms.Delta, most)
		}
	}
	if s.Planned != nil {
		fmt.Fprintf(&b, "If all of these releases were fixed in advance, and only then, their total is ε = %s at that δ.\n", s.Planned)
	}
	for _, a := range s.Assumes {
		fmt.Fprintf(&b, "The releases assume: %s\n", a.Text())
	}
	if len(s.Entries) > 0 {
		writeEntries(&b, s.Statement)
	}
	fmt.Fprintf(&b, "\nhead %s\n", s.Head)
	_, err := io.WriteString(w, b.String())
	return err
}

// budget formats an ε, and the δ if it is not 0.
func budget(epsilon, delta privacy.Decimal) string {
	if delta.IsZero() {
		return "ε = " + epsilon.String()
	}
	return "ε = " + epsilon.String() + ", δ = " + delta.String()
}

func settledAll(s *account.Statement) bool {
	for _, e := range s.Entries {
		if e.SHA256 == "" {
			return false
		}
	}
	return true
}

func writeEntries(b *strings.Builder, s *account.Statement) {
	last := s.Entries
	if before := len(last) - mostShown; before > 0 {
		fmt.Fprintf(b, "\nNot shown: the first %s; sibyl account export prints all.\n", entries(before))
		last = last[before:]
	}
	width := len("charge")
	charges := make([]string, len(last))
	for i, e := range last {
		charges[i] = release.Rounded(e.Charge, privacy.RoundUp, shownDigits)
		width = max(width, utf8.RuneCountInString(charges[i]))
	}
	fmt.Fprintf(b, "\n%6s  %-20s  %-20s  %-*s  %s\n", "entry", "reserved", "settled", width, "charge", "release")
	for i, e := range last {
		settled := e.Settled
		if settled == "" {
			settled = "no"
		}
		fmt.Fprintf(b, "%6d  %-20s  %-20s  %-*s  %s\n", e.Number, quote.Clean(e.Reserved), quote.Clean(settled), width, charges[i], release.NameOfEntry(e.Description))
	}
}

// accountBar draws the fractions of the budget that are spent, reserved and left. If the budget has a ρ and a δ, it
// draws the greater of both fractions (account.Amount.Share).
func accountBar(s *account.Statement) string {
	const width = 60
	spent, reserved := s.Spent.Share(s.Limit), s.Reserved.Share(s.Limit)
	cells := func(share float64) int { return min(int(share*width+0.5), width) }
	first := cells(spent)
	both := max(cells(spent+reserved), first)
	return strings.Repeat("█", first) + strings.Repeat("▒", both-first) + strings.Repeat("·", width-both)
}

// entries formats a number of account entries, as in "1 entry".
func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}
