// Package explicittest generates small explicit classes for tests.
package explicittest

import (
	"fmt"

	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/papers/explicit"
)

// A Case is a small explicit class over records of category codes.
type Case = classtest.Case[[]uint16, int]

// Fixed returns test cases with classes that are lists of hypotheses, by name.
func Fixed() map[string]Case {
	draw := classtest.FromSeed(1)
	return map[string]Case{
		"one hypothesis":         must(draw, 1, 3, 0, explicit.Options{}),
		"two":                    must(draw, 2, 1, 0, explicit.Options{}),
		"three with penalties":   must(draw, 3, 5, 2, explicit.Options{}),
		"one with a code":        must(draw, 1, 4, 0, explicit.Options{Code: [][]bool{{true, false}}}),
		"one with an empty code": must(draw, 1, 4, 0, explicit.Options{Code: [][]bool{{}}}),
		"repetition code":        must(draw, 2, 4, 0, explicit.Options{Code: [][]bool{{false, false, false}, {true, true, true}}}),
		"a code of 63 bits":      must(draw, 64, 6, 1, explicit.Options{Code: simplex(6)}),
		"many":                   must(draw, 600, 12, 3, explicit.Options{}),
		"only two labellings":    must(draw, 40, 1, 1, explicit.Options{}),
	}
}

// Random returns a random class with at most the given number of hypotheses.
func Random(draw classtest.Draw, most int) Case {
	n := draw(1, most)
	var o explicit.Options
	if bits := draw(0, 8); n <= 1<<bits {
		o.Code = simplex(bits)[:n]
	}
	return must(draw, n, draw(1, 12), draw(0, 3), o)
}

// simplex returns the 2^k codewords of the simplex code of length 2^k-1 and distance 2^(k-1). The bit with the
// index x-1 in codeword i is the parity of the bits of x&i.
func simplex(k int) [][]bool {
	code := make([][]bool, 1<<k)
	for i := range code {
		code[i] = make([]bool, 1<<k-1)
		for x := 1; x < 1<<k; x++ {
			for y := x & i; y > 0; y &= y - 1 {
				code[i][x-1] = !code[i][x-1]
			}
		}
	}
	return code
}

// must returns a test case whose class consists of n random labellings of a domain with the given number of
// records, each with a random penalty of at most mostPenalty. The function draw returns random numbers. must panics
// if explicit.New fails.
func must(draw classtest.Draw, n, records, mostPenalty int, o explicit.Options) Case {
	domain := make([][]uint16, records)
	for r := range domain {
		domain[r] = []uint16{uint16(r % 4), uint16(r / 4)}
	}
	key := func(x []uint16) [2]uint16 { return [2]uint16(x) }
	labellings := make([]explicit.Labelling, n)
	for i := range labellings {
		l := explicit.Labelling{Name: fmt.Sprintf("labelling %d", i+1), Penalty: int64(draw(0, mostPenalty))}
		for range domain {
			l.Labels = append(l.Labels, draw(0, 1) == 1)
		}
		labellings[i] = l
	}
	hypotheses, err := explicit.Labellings(domain, key, labellings)
	if err != nil {
		panic(err)
	}
	c, err := explicit.New(hypotheses, o)
	if err != nil {
		panic(err)
	}
	return Case{Class: c, Domain: domain}
}
