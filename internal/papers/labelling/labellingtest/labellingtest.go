// Package labellingtest generates small classes of labellings for tests.
package labellingtest

import (
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/papers/labelling"
)

// A Case is a small class of scorecards, with one scorecard for each labelling of a sample.
type Case = scorecardtest.Case

// Fixed returns test cases with classes of labellings, by name.
func Fixed() map[string]Case {
	out := map[string]Case{}
	for name, c := range scorecardtest.Fixed() {
		out[name+", no sample"] = Labelled(c, nil)
		out[name+", one record"] = Labelled(c, c.Domain[:1])
		out[name+", the domain twice"] = Labelled(c, append(c.Domain[:len(c.Domain):len(c.Domain)], c.Domain...))
	}
	return out
}

// Random returns a random class of labellings with a random sample. Its candidates are a random class of at most
// the given number (most) of scorecards.
func Random(draw classtest.Draw, most int) Case {
	c := scorecardtest.Random(draw, most)
	var sample [][]uint16
	for range draw(0, 8) {
		sample = append(sample, c.Domain[draw(0, len(c.Domain)-1)])
	}
	return Labelled(c, sample)
}

// Labelled returns the class of the labellings of the sample by the scorecards of c.
func Labelled(c Case, sample [][]uint16) Case {
	l, err := labelling.New(labelling.Of(c.Class), sample)
	if err != nil {
		panic(err)
	}
	return Case{Class: l, Domain: c.Domain}
}
