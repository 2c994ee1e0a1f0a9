package experiment

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// result returns a result with these means and standard errors of all measures.
func result(table, engine string, draws int, mean, err float64) Synthesized {
	area := 1 - mean
	s := Synthesized{Table: table, Epsilon: "1", Engine: engine, Draws: draws, Worst: &mean, Ones: &mean, Pairs: &mean, Triples: &mean, Area: &area}
	if draws > 1 {
		s.WorstError, s.OnesError, s.PairsError, s.TriplesError, s.AreaError = &err, &err, &err, &err, &err
	}
	return s
}

// The best other engine is compared, bootstrap and single draws are ignored, and differences within chance are not
// reported.
func TestAdvantages(t *testing.T) {
	all := Advantages("synth", []Synthesized{
		result("a", "synth", 4, .10, .001), result("a", "mst", 4, .20, .001), result("a", "aim", 4, .30, .001), result("a", "bootstrap", 4, .01, .001),
		result("b", "synth", 4, .30, .003), result("b", "mst", 4, .20, .001),
		result("c", "synth", 4, .201, .001), result("c", "aim", 4, .200, .001), result("c", "mst", 1, .1, 0),
		result("d", "synth", 4, .1, .001),
		result("e", "synth", 1, .1, 0), result("e", "mst", 4, .2, .001),
	})
	for _, a := range all {
		if a.Settings != 3 || a.Smaller != 1 || a.Larger != 2 || len(a.Below) != 1 || len(a.Above) != 1 {
			t.Fatalf("%+v", a)
		}
		if d := a.Below[0]; d.Table != "a" || d.Engine != "mst" || d.Errors > -50 {
			t.Errorf("%+v", d)
		}
		if d := a.Above[0]; d.Table != "b" || d.Engine != "mst" || d.Errors < 20 {
			t.Errorf("%+v", d)
		}
		if got, want := fmt.Sprint(a.Line()), fmt.Sprintf("[%s 3 1 2 1 1]", a.Measure); got != want {
			t.Errorf("%s; want %s", got, want)
		}
	}
}

// If no means differ, about one in twenty comparisons of many settings reports a difference, although the standard
// errors are estimated from few draws.
func TestAdvantagesOfEqualEngines(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const settings, draws = 20, 4
	trials, found := heavy.Pick(40, 1000), 0
	for range trials {
		var results []Synthesized
		for n := range settings {
			for _, engine := range []string{"synth", "mst"} {
				values := make([]float64, draws)
				for i := range values {
					values[i] = 1 + random.NormFloat64()/20
				}
				mean, err := meanOf(values)
				s := Synthesized{Table: fmt.Sprint(n), Epsilon: "1", Engine: engine, Draws: draws, Pairs: mean, PairsError: err}
				results = append(results, s)
			}
		}
		for _, a := range Advantages("synth", results) {
			if len(a.Below)+len(a.Above) > 0 {
				found++
			}
		}
	}
	if found > trials/10 {
		t.Errorf("%d of %d comparisons of equal engines found a difference", found, trials)
	}
}
