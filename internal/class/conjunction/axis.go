package conjunction

import (
	"encoding/binary"

	"github.com/sibyl-dp/sibyl/internal/class/literal"
)

// An axis is an attribute in the form that searches and tables use. Its categories are grouped into
// atoms: two categories belong to the same atom if no test distinguishes them. For each test, the
// axis lists the atoms whose records remain live (see the package comment). In a conjunction these
// are the atoms that the test accepts, and in a disjunction the atoms that it rejects.
type axis struct {
	atoms int
	atom  []uint16   // the atom of each category
	tests [][]uint16 // tests[t] lists the atoms whose records remain live under test t, in ascending order
}

// newAxis converts attribute a to an axis for a class of conjunctions, or of disjunctions.
func newAxis(a literal.Attribute, disjunction bool) axis {
	in := make([][]byte, a.Categories()) // for each category, the tests that accept it
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
		// Atoms are numbered in the order of their first categories. A test accepts all categories of an atom or
		// none. So the list of a test's atoms is in ascending order.
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

// accepted returns, for each test of the attribute a, the list of the categories that the test
// accepts.
func accepted(a literal.Attribute) [][]uint16 {
	tests := make([][]uint16, a.Tests())
	for t := range tests {
		tests[t] = a.Accepted(t)
	}
	return tests
}
