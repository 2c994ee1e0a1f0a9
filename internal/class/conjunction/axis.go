package conjunction

import (
	"encoding/binary"

	"github.com/sibyl-dp/sibyl/internal/class/literal"
)

// An axis is an attribute as the searches see it. Categories that no test tells
// apart are one atom. A record lives as long as the literals accept it; of a
// disjunction, as long as the literals reject it, so its tests stand here as
// their complements.
type axis struct {
	atoms int
	atom  []uint16   // of each category
	tests [][]uint16 // the atoms with which a record lives on, ascending
}

// newAxis returns the axis of an attribute.
func newAxis(a literal.Attribute, disjunction bool) axis {
	in := make([][]byte, a.Categories()) // the tests that accept each category
	for t, test := range accepted(a) {
		for _, c := range test {
			in[c] = binary.BigEndian.AppendUint32(in[c], uint32(t))
		}
	}
	x := axis{atom: make([]uint16, a.Categories())}
	number := map[string]uint16{}
	for c, tests := range in {
		k, known := number[string(tests)]
		if !known {
			k = uint16(x.atoms)
			number[string(tests)] = k
			x.atoms++
		}
		x.atom[c] = k
	}
	for _, test := range accepted(a) {
		// Atoms are numbered by their first categories, and a test accepts
		// every category of an atom or none, so these come in order.
		var atoms []uint16
		for _, c := range test {
			if k := x.atom[c]; len(atoms) == 0 || k > atoms[len(atoms)-1] {
				atoms = append(atoms, k)
			}
		}
		if disjunction {
			atoms = literal.Complement(atoms, x.atoms)
		}
		x.tests = append(x.tests, atoms)
	}
	return x
}

// accepted lists the categories that each test of the attribute accepts.
func accepted(a literal.Attribute) [][]uint16 {
	tests := make([][]uint16, a.Tests())
	for t := range tests {
		tests[t] = a.Accepted(t)
	}
	return tests
}
