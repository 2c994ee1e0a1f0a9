package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
)

// noteChoice prints the class that was chosen from public facts, and the reason. It prints nothing if the user named
// a class.
func noteChoice(cmd *cobra.Command, c release.Choice) {
	if taken := c.Taken(); taken != nil {
		cli.Note(cmd, "Class chosen from public facts: %s, since %s. To use another class, name it: sibyl %s CLASS.", taken.Class, taken.Why, cmd.Name())
	}
}

// writeChoice lists the classes that were considered when a class was chosen from public facts, with their error
// bounds and times. None of this depends on the data. Candidates that were refused for the same reason are only
// counted. If there is a δ, so are candidates with a pure guarantee, because they would not use it. writeChoice
// prints nothing if the user named a class.
func writeChoice(w io.Writer, c release.Choice) error {
	taken := c.Taken()
	if taken == nil {
		return nil
	}
	fmt.Fprintf(w, "No class is named, so learn takes the first of these classes that suits the public facts:\n\n")
	rows := [][]string{{"class", "on average", "in 95 of 100 runs", "time", "reason"}}
	pure := 0
	refused := make(map[string]int) // for each reason, the number of candidates that were refused for it
	reason := func(of release.Candidate) string {
		if member, why, _ := strings.Cut(of.Why, ": "); why != "" && (member == "invalid class" || !strings.Contains(member, " ")) { // a member of a union
			return why
		}
		return of.Why
	}
	for _, of := range c {
		if of.Refused && !of.NoDelta {
			refused[reason(of)]++
		}
	}
	var unlisted []string
	for _, of := range c {
		if of.NoDelta {
			pure++
			continue
		}
		if why := reason(of); refused[why] > 1 {
			if !slices.Contains(unlisted, why) {
				unlisted = append(unlisted, why)
			}
			continue
		}
		row := []string{of.Class, "", "", "", of.Why}
		if b := of.Bound; b != nil && b.Excess != nil {
			row[1], row[2] = fmt.Sprintf("%.0f", math.Ceil(b.Mean)), fmt.Sprintf("%.0f", math.Ceil(b.Most))
		}
		if of.Effort != nil {
			row[3] = of.Effort.Time()
		}
		rows = append(rows, row)
	}
	if err := report.WriteTable(w, rows, "lrrrl"); err != nil {
		return err
	}
	for i, why := range unlisted {
		unlisted[i] = fmt.Sprintf("Not listed: %d candidates, because %s.\n", refused[why], why)
	}
	if pure > 0 {
		unlisted = append(unlisted, fmt.Sprintf("Not listed: %d candidates that do not use a --delta above 0, because their guarantee is pure.\n", pure))
	}
	if len(unlisted) > 0 {
		fmt.Fprintf(w, "\n%s", strings.Join(unlisted, ""))
	}
	_, err := fmt.Fprintf(w, "\nThe two columns of numbers bound the errors beyond those of the best hypothesis of the class.\nLearn chooses %s.\n\n", taken.Class)
	return err
}
