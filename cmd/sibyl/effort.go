package main

import (
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/spf13/cobra"
)

// effortText describes the memory and time that a release takes for a table with the given number of rows or persons.
// The parameter unit says which of the two: "rows" or "persons".
func effortText(e *mechanism.Effort, rows int64, unit string) string {
	text := fmt.Sprintf("Memory: at most %s for %d %s, with tables of at most %s cells.\nTime: ", mechanism.Size(e.Bytes), rows, unit, grouped(e.Cells))
	switch e.Search {
	case mechanism.NoSearch:
		return text + "no search is needed, since the tables hold the cost of every hypothesis."
	case mechanism.Fixed:
		text += fmt.Sprintf("about %s of one processor. No search is needed, so the time depends only\non public parameters and the number of distinct records.", mechanism.Seconds(e.Seconds))
		if e.Seconds > longDraw {
			text += fmt.Sprintf("\nFaster: %s.", e.Quicker)
		}
		return text
	}
	if e.Seconds > 1 {
		text += fmt.Sprintf("the part without a search takes about %s of one processor for any data.\n", mechanism.Seconds(e.Seconds))
	}
	switch e.Search {
	case mechanism.Briefly:
		return text + "the search takes at most seconds for any data."
	case mechanism.Usually:
		return text + "the search depends on the data. For classes of this size it usually takes seconds, but no bound\nis known."
	}
	return text + fmt.Sprintf("the search depends on the data. It may take minutes, or not end.\nFaster: %s, a larger ε, more rows, or another class: sibyl plan without a class lists their times.", e.Quicker)
}

// longDraw is the estimated time of sampling, in seconds, from which the user is told how to make it faster.
const longDraw = 60

// cautionOfEffort prints a warning if a search or sampling may take long. It must be called before the data is
// opened. It prints nothing if e is nil.
func cautionOfEffort(cmd *cobra.Command, e *mechanism.Effort) {
	if e != nil && e.Seconds > longDraw {
		cli.Note(cmd, "Sampling takes about %s of one processor for any data. Faster: %s.", mechanism.Seconds(e.Seconds), e.Quicker)
	}
	if e != nil && e.Search == mechanism.Unbounded {
		cli.Note(cmd, "The class is so large that the search may take minutes, or not end. Its time depends on the data: if you stop it, tell no one, since this reveals facts about the data. Faster: %s, a larger ε, or another class: sibyl plan without a class lists their times.", e.Quicker)
	}
}

// grouped formats the number n with separators between groups of three digits.
func grouped(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
