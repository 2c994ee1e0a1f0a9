package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/table"
)

// What a release takes is told before it, from public numbers alone: how long one
// took would tell of the data. docs/guarantees.md argues what each kind of search
// promises.

// An effort is what it takes to choose from a class.
type effort struct {
	Cells    int64   `json:"cells"`     // of tables, at most
	Bytes    int64   `json:"bytes"`     // of memory, about, at most
	MostRows int64   `json:"most_rows"` // that are sure to fit
	Search   outlook `json:"search"`
	Quicker  string  `json:"quicker,omitempty"`
}

// An outlook says what is known of how long it takes.
type outlook string

const (
	noSearch   outlook = "none"    // all costs are in the tables
	briefly    outlook = "bounded" // whatever the data says, seconds
	usually    outlook = "usual"   // depends on the data; no table that we know took minutes
	unbounded  outlook = "open"    // depends on the data, and may take long
	mostListed         = 20        // bits of the size of a class whose tree may be walked whole
	mostUsual          = 50        // bits of the size of the classes that we measured to be quick
)

// effortOf returns that of the class, which flags call so, over so many rows.
func effortOf(c model.Class, name string, s *table.Schema, rows int64) (effort, error) {
	most, err := model.MostRows(c, s)
	if err != nil {
		return effort{}, err
	}
	l := model.Layout(c, s, rows)
	e := effort{Cells: l.Cells, Bytes: l.Bytes, MostRows: most, Search: usually}
	bits := c.Size().BitLen()
	switch {
	case l.Tabulated:
		e.Search = noSearch
	case bits <= mostListed:
		e.Search = briefly
	case bits > mostUsual:
		e.Search = unbounded
		e.Quicker = quicker(name)
	}
	return e, nil
}

// quicker names what makes the search of a class shorter.
func quicker(class string) string {
	switch class {
	case "scorecard", "halfspace":
		return "fewer categories or points"
	case "decision-list":
		return "fewer --rules, or fewer categories"
	case "conjunction", "disjunction":
		return "a smaller --attributes, or fewer categories"
	case "parity":
		return "--digits, or a smaller --attributes"
	}
	return "fewer categories, or smaller classes"
}

// said tells it in sentences.
func (e effort) said(rows int64) string {
	text := fmt.Sprintf("Laid out for %d rows, the tables have at most %s cells and take at most %s of memory.", rows, grouped(e.Cells), size(e.Bytes))
	switch e.Search {
	case noSearch:
		return text + "\nThey hold the cost of every hypothesis: nothing is left to search."
	case briefly:
		return text + "\nThe search takes seconds at most, whatever the data says."
	case usually:
		return text + "\nHow long the search takes depends on the data: for classes of this size mostly seconds,\nbut nothing bounds it."
	}
	return text + "\nHow long the search takes depends on the data: it may take minutes, or not end.\nQuicker: " + e.Quicker + ", or a greater ε or more rows."
}

// caution warns, before the data is opened, of a search that may take long.
func (e effort) caution(cmd *cobra.Command) {
	if e.Search == unbounded {
		note(cmd, "The class is so large that the search may take minutes, or not end; how long depends on the data. If you stop it, do not report that you did. Quicker: %s, or a greater ε.", e.Quicker)
	}
}

// size writes a number of bytes.
func size(bytes int64) string {
	switch {
	case bytes < 1<<20:
		return "1 MiB"
	case bytes < 1<<30:
		return fmt.Sprintf("%d MiB", bytes>>20+1)
	}
	return fmt.Sprintf("%d GiB", bytes>>30+1)
}

// grouped writes a number with commas.
func grouped(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
