package mechanism

import (
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// The running time of a release is estimated in advance from data-independent parameters, because the measured time
// would reveal private data. docs/reference/guarantees.md states what each kind of search guarantees.

// An Effort estimates the time and the memory for selecting a hypothesis from a class.
type Effort struct {
	Cells    int64          `json:"cells"`     // an upper bound on the number of cells of tables
	Bytes    int64          `json:"bytes"`     // an approximate upper bound on the memory, including the records
	MostRows int64          `json:"most_rows"` // the maximum number of rows for which the class always fits into memory
	Search   Outlook        `json:"search"`
	Seconds  float64        `json:"seconds,omitempty"` // the estimated time of sampling on one thread, without a search
	Quicker  parameter.Text `json:"quicker,omitempty"` // what the user can change if the search or sampling takes too long
}

// An Outlook states what is known, before a search begins, about its duration.
type Outlook string

// The outlooks, from no search to a search of unknown duration.
const (
	NoSearch  Outlook = "none"    // no search, because the tables hold all costs
	Fixed     Outlook = "fixed"   // no search; the work depends only on public parameters and on the number of distinct records
	Briefly   Outlook = "bounded" // takes seconds for every table
	Usually   Outlook = "usual"   // depends on the data; took less than minutes for all measured tables
	Unbounded Outlook = "open"    // depends on the data, and may take very long
)

const (
	mostListed = 20 // log2 of the maximum size of a class whose tree can be enumerated
	mostUsual  = 50 // log2 of the maximum size of a class for which searches were measured to be fast
)

// workSeconds is the estimated time, in seconds, of one step of sampling from a class without a
// search.
const workSeconds = 10e-9

// listedBytes is the memory, in bytes, that each distinct record takes in a list of examples, in
// addition to its category codes.
const listedBytes = 80

// EffortOf estimates the time and the memory for selecting a hypothesis from the class of the
// space, on a table with the given number of rows. The parameter most is the maximum number of rows
// for which the class always fits into memory.
func EffortOf(f model.Form, space model.Space, s *table.Schema, rows, most int64) Effort {
	c := ChosenFrom(space)
	l := Layout(c, s, rows)
	distinct := Records(s, rows)
	e := Effort{Cells: l.Cells, Bytes: class.Sum(l.Bytes, s.Bytes(distinct)), MostRows: most, Search: Usually}
	bits := c.Size().BitLen()
	switch of := space.Sampling(); {
	case of.Tractable != nil:
		e.Search, e.Seconds, e.Quicker = Fixed, workSeconds*float64(of.Tractable.Work(distinct)), KindOfForm(f).Quicker
		return e
	case of.Mixed != nil:
		e.Seconds, e.Quicker, bits = workSeconds*float64(of.Mixed.Mixed().Work(distinct)), KindOfForm(f).Quicker, 0
		e.Search = Fixed
		for _, m := range model.Members(space) {
			stages := m.Sampling().Staged
			_, enumerated := m.(model.Enumerated)
			if enumerated || m.Sampling().Tractable != nil || stages != nil && stages.Summed() {
				continue
			}
			e.Search = Usually
			if stages != nil && stages.Quick(rows) {
				bits = max(bits, mostListed+1)
			} else if c := model.SearchedClass(m); c != nil {
				bits = max(bits, c.Size().BitLen())
			}
		}
	}
	e.Bytes = class.Sum(e.Bytes, class.Product(distinct, listedBytes+2*int64(len(s.Attributes))))
	stages := space.Sampling().Staged
	staged := stages != nil
	if staged {
		e.Seconds = workSeconds * float64(stages.Work(distinct))
	}
	switch {
	case e.Search == Fixed:
	case l.Tabulated:
		e.Search = NoSearch
	case bits <= mostListed:
		e.Search = Briefly
	case staged && stages.Quick(rows):
	case staged || bits > mostUsual:
		e.Search, e.Quicker = Unbounded, KindOfForm(f).Quicker
	}
	return e
}

// Time describes the estimated time of sampling a hypothesis in a few words.
func (e *Effort) Time() string {
	switch e.Search {
	case Fixed:
		return Seconds(e.Seconds)
	case NoSearch, Briefly:
		return "at most seconds"
	case Usually:
		return "usually seconds"
	}
	return "not bounded"
}

// Seconds formats a duration of n seconds, rounded up, as text.
func Seconds(n float64) string {
	switch {
	case n <= 1:
		return "a second"
	case n < 120:
		return fmt.Sprintf("%.0f seconds", math.Ceil(n))
	}
	return fmt.Sprintf("%.0f minutes", math.Ceil(n/60))
}

// Size formats a number of bytes as text in MiB or GiB, rounded up.
func Size(bytes int64) string {
	switch {
	case bytes < 1<<20:
		return "1 MiB"
	case bytes < 1<<30:
		return fmt.Sprintf("%d MiB", bytes>>20+1)
	}
	return fmt.Sprintf("%d GiB", bytes>>30+1)
}
