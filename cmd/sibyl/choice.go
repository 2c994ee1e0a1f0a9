package main

import (
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
)

// noteChoice prints which class was chosen from public facts, and why; it prints nothing if the
// class was named.
func noteChoice(cmd *cobra.Command, c release.Choice) {
	if taken := c.Taken(); taken != nil {
		note(cmd, "Chosen by public facts: %s, since %s. A class named after sibyl %s is taken instead.", taken.Class, taken.Why, cmd.Name())
	}
}

// writeChoice lists the candidates with their properties, which do not depend on the data; it
// prints nothing if the class was named.
func writeChoice(w io.Writer, c release.Choice) error {
	taken := c.Taken()
	if taken == nil {
		return nil
	}
	fmt.Fprintf(w, "No class is named. The first of these that suits the public facts is taken:\n\n")
	rows := [][]string{{"class", "on average", "in 95 of 100 runs", "time", ""}}
	for _, of := range c {
		row := []string{of.Class, "", "", "", of.Why}
		if b := of.Bound; b != nil && b.Excess != nil {
			row[1], row[2] = fmt.Sprintf("%.0f", math.Ceil(b.Mean)), fmt.Sprintf("%.0f", math.Ceil(b.Most))
		}
		if of.Effort != nil {
			row[3] = shortly(of.Effort)
		}
		rows = append(rows, row)
	}
	if err := report.WriteTable(w, rows, "lrrrl"); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nThe bounds are errors more than the best of the class. Learn takes %s.\n\n", taken.Class)
	return err
}

// shortly formats the estimated duration of a draw.
func shortly(e *mechanism.Effort) string {
	switch e.Search {
	case mechanism.Fixed:
		return seconds(e.Seconds)
	case mechanism.NoSearch, mechanism.Briefly:
		return "seconds at most"
	case mechanism.Usually:
		return "seconds, mostly"
	}
	return "open"
}
