package table

import (
	"math/big"
	"slices"
)

const (
	// MostChosenCuts is the maximum number of cuts that a profile chooses from private data for one column. If a
	// profile of a column has more cuts, the other cuts come from a public grid: numbers of at most two significant
	// digits, and the limits of the interval that contains 0.
	MostChosenCuts = 63
	// mostRefinedCuts is the maximum number of cuts that an attribute may have after Refined has added cuts.
	mostRefinedCuts = 2000
)

// Refined returns a schema with finer cuts for the attributes whose cuts a profile has taken from a public grid,
// which happens if most values are 0. Between two adjacent cuts that are integers of two significant digits, such as
// 1200 and 1300, Refined adds the integers of three significant digits, 1210 to 1290. An attribute that would then
// have more than mostRefinedCuts cuts is not changed. If no attribute changes, Refined returns s itself. The result
// depends on the schema alone, so it needs no privacy budget.
func (s *Schema) Refined() *Schema {
	refined := s
	for j := range s.Attributes {
		a := &s.Attributes[j]
		if len(a.Cuts) <= MostChosenCuts || a.Kind == DateKind || !s.profiled(a.Name) {
			continue
		}
		if cuts := refine(a.Cuts); len(cuts) > len(a.Cuts) && len(cuts) <= mostRefinedCuts {
			if refined == s {
				refined = s.clone()
			}
			refined.Attributes[j].Cuts = cuts
		}
	}
	return refined
}

// profiled reports whether a profile has chosen the categories of the attribute with this name.
func (s *Schema) profiled(name string) bool {
	return slices.ContainsFunc(s.Profiles, func(p Profile) bool { return slices.Contains(p.Columns, name) })
}

// refine adds cuts of three significant digits between adjacent cuts of two significant digits (see Refined).
func refine(cuts []Decimal) (finer []Decimal) {
	for i, cut := range cuts {
		finer = append(finer, cut)
		if i == len(cuts)-1 {
			break
		}
		from, to := cut.Rat(), cuts[i+1].Rat()
		if !from.IsInt() || !to.IsInt() {
			continue
		}
		low, step := from.Num(), new(big.Int).Sub(to.Num(), from.Num())
		least, ten := new(big.Int), big.NewInt(10)
		if least.Abs(low).CmpAbs(to.Num()) > 0 {
			least.Abs(to.Num())
		}
		tens, rest := new(big.Int).QuoRem(least, step, new(big.Int))
		if rest.Sign() != 0 || tens.Cmp(ten) < 0 || tens.Cmp(big.NewInt(99)) > 0 || !powerOfTen(step) {
			continue
		}
		step.Quo(step, ten)
		for at := new(big.Int).Add(low, step); at.Cmp(to.Num()) < 0; at = new(big.Int).Add(at, step) {
			finer = append(finer, Decimal(at.String()))
		}
	}
	return finer
}

// powerOfTen reports whether n is one of 10, 100, 1000, ….
func powerOfTen(n *big.Int) bool {
	text := n.String()
	return len(text) > 1 && text[0] == '1' && !slices.ContainsFunc([]byte(text[1:]), func(d byte) bool { return d != '0' })
}
