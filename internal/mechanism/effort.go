package mechanism

import (
	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// What a release takes is told before it, from public numbers alone: how long one
// took would tell of the data. docs/reference/guarantees.md argues what each kind of search
// promises.

// An Effort is what it takes to choose from a class.
type Effort struct {
	Cells    int64   `json:"cells"`     // of tables, at most
	Bytes    int64   `json:"bytes"`     // of memory, about, at most, with the records
	MostRows int64   `json:"most_rows"` // that are sure to fit
	Search   Outlook `json:"search"`
	Seconds  float64 `json:"seconds,omitempty"` // of a draw, or a part of it, without a search, about, on one thread
	Quicker  string  `json:"quicker,omitempty"` // what makes an open search, or a draw, shorter
}

// An Outlook says what is known of how long a search takes.
type Outlook string

// The outlooks.
const (
	NoSearch  Outlook = "none"    // all costs are in the tables
	Fixed     Outlook = "fixed"   // no search: the work is told by public numbers and the distinct records
	Briefly   Outlook = "bounded" // whatever the data says, seconds
	Usually   Outlook = "usual"   // depends on the data; no table that we know took minutes
	Unbounded Outlook = "open"    // depends on the data, and may take long
)

const (
	mostListed = 20 // bits of the size of a class whose tree may be walked whole
	mostUsual  = 50 // bits of the size of the classes that we measured to be quick
)

// workSeconds is how long a step of a class that is not searched takes, about.
const workSeconds = 10e-9

// listedBytes is what a record takes, beside its codes, where mechanisms list examples and points.
const listedBytes = 80

// EffortOf returns that of the space's class over so many rows.
func EffortOf(f model.Form, space model.Space, s *table.Schema, rows, most int64) Effort {
	c := ChosenFrom(space)
	l := Layout(c, s, rows)
	distinct := Records(s, rows)
	e := Effort{Cells: l.Cells, Bytes: class.Sum(l.Bytes, s.Bytes(distinct)), MostRows: most, Search: Usually}
	bits := c.Size().BitLen()
	switch of := space.(type) {
	case model.Summed:
		e.Search, e.Seconds, e.Quicker = Fixed, workSeconds*float64(of.Summed().Work(distinct)), KindOfForm(f).Quicker
		return e
	case model.Mixed:
		e.Seconds, e.Quicker, bits = workSeconds*float64(of.Mixed().Work(distinct)), KindOfForm(f).Quicker, 0
		for _, m := range model.Members(space) {
			if stages, staged := m.(model.Staged); staged && stages.Quick(rows) {
				bits = max(bits, mostListed+1)
			} else if c := model.SearchedClass(m); c != nil {
				bits = max(bits, c.Size().BitLen())
			}
		}
	}
	e.Bytes = class.Sum(e.Bytes, class.Product(distinct, listedBytes+2*int64(len(s.Attributes))))
	stages, staged := space.(model.Staged)
	if staged {
		e.Seconds = workSeconds * float64(stages.Work(distinct))
	}
	switch {
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
