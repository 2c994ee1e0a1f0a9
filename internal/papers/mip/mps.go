package mip

import (
	"fmt"
	"io"
)

// writeMPS writes the program in the free MPS format. It writes all coefficients as integers.
func (p *program) writeMPS(w io.Writer) error {
	e := &errWriter{w: w}
	e.printf("NAME halfspace FREE\nROWS\n N cost\n")
	columns := make([][]term, len(p.variables)) // for each variable, its coefficients by row
	for i, r := range p.rows {
		kind := "G"
		if r.exact {
			kind = "E"
		}
		e.printf(" %s r%d\n", kind, i)
		for _, t := range r.sum {
			columns[t.variable] = append(columns[t.variable], term{i, t.coefficient})
		}
	}
	e.printf("COLUMNS\n M0 'MARKER' 'INTORG'\n")
	for v, column := range columns {
		e.printf(" %s cost %d\n", p.variables[v].name, p.variables[v].cost)
		for _, t := range column {
			e.printf(" %s r%d %d\n", p.variables[v].name, t.variable, t.coefficient)
		}
	}
	e.printf(" M1 'MARKER' 'INTEND'\nRHS\n")
	for i, r := range p.rows {
		if r.least != 0 {
			e.printf(" rhs r%d %d\n", i, r.least)
		}
	}
	e.printf("BOUNDS\n")
	for _, v := range p.variables {
		e.printf(" LO bound %s %d\n UP bound %s %d\n", v.name, v.lo, v.name, v.hi)
	}
	e.printf("ENDATA\n")
	return e.err
}

// An errWriter writes to w until a write fails. It keeps this error and ignores all later writes.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) printf(format string, args ...any) {
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, format, args...)
	}
}
