package main

import (
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/spf13/cobra"
)

// saidOfEffort describes the time and memory of a release in sentences.
func saidOfEffort(e *mechanism.Effort, rows int64, unit string) string {
	text := fmt.Sprintf("Laid out for %d %s, the tables have at most %s cells, and with the records they take at most %s of memory.", rows, unit, grouped(e.Cells), size(e.Bytes))
	switch e.Search {
	case mechanism.NoSearch:
		return text + "\nThey hold the cost of every hypothesis: nothing is left to search."
	case mechanism.Fixed:
		text += fmt.Sprintf("\nNothing is searched: a draw takes about %s of one processor's time, whatever the data\nsays; distinct records add to it.", seconds(e.Seconds))
		if e.Seconds > longDraw {
			text += "\nQuicker: " + e.Quicker + "."
		}
		return text
	}
	if e.Seconds > 1 {
		text += fmt.Sprintf("\nWhat is not searched takes about %s of one processor's time, whatever the data says.", seconds(e.Seconds))
	}
	switch e.Search {
	case mechanism.Briefly:
		return text + "\nThe search takes seconds at most, whatever the data says."
	case mechanism.Usually:
		return text + "\nHow long the search takes depends on the data: for classes of this size mostly seconds,\nbut nothing bounds it."
	}
	return text + "\nHow long the search takes depends on the data: it may take minutes, or not end.\nQuicker: " + e.Quicker + ", or a greater ε or more rows."
}

// longDraw is the duration in seconds from which a draw without a search causes a warning.
const longDraw = 60

// cautionOfEffort warns, before the data is opened, of a search or a draw that may take long; it
// ignores nil.
func cautionOfEffort(cmd *cobra.Command, e *mechanism.Effort) {
	if e != nil && e.Seconds > longDraw {
		note(cmd, "A draw takes about %s of one processor's time, whatever the data says. Quicker: %s.", seconds(e.Seconds), e.Quicker)
	}
	if e != nil && e.Search == mechanism.Unbounded {
		note(cmd, "The class is so large that the search may take minutes, or not end; how long depends on the data. If you stop it, do not report that you did. Quicker: %s, or a greater ε.", e.Quicker)
	}
}

// seconds formats a duration, rounded up.
func seconds(n float64) string {
	switch {
	case n <= 1:
		return "a second"
	case n < 120:
		return fmt.Sprintf("%.0f seconds", math.Ceil(n))
	}
	return fmt.Sprintf("%.0f minutes", math.Ceil(n/60))
}

// size formats a number of bytes.
func size(bytes int64) string {
	switch {
	case bytes < 1<<20:
		return "1 MiB"
	case bytes < 1<<30:
		return fmt.Sprintf("%d MiB", bytes>>20+1)
	}
	return fmt.Sprintf("%d GiB", bytes>>30+1)
}

// grouped formats a number with thousands separators.
func grouped(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
