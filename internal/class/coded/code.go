package coded

import "math/bits"

// mostTabled is the greatest number of options whose code is searched for; more
// get their number in binary, every digit repeated.
const mostTabled = 1 << 8

// words returns one word for each option. Words of different options differ in
// at least h places, and that of option 0 is all 0. With r binary digits of an
// option's number, place b of its word is the parity of those digits that
// column b selects: a linear code.
func words(options, h int) [][]bool {
	columns := columns(bits.Len(uint(options-1)), h)
	out := make([][]bool, options)
	for o := range out {
		out[o] = make([]bool, len(columns))
		for b, column := range columns {
			out[o][b] = odd(o & column)
		}
	}
	return out
}

func odd(digits int) bool { return bits.OnesCount(uint(digits))&1 == 1 }

// columns returns the columns of a linear code of r digits with distance h: as
// many simplex codes (every column but 0 once, which is distance 2^(r-1)) as
// there is room for, and the rest by greed, the column first that helps those
// words most that are most short of weight.
func columns(r, h int) []int {
	if r == 0 {
		return nil
	}
	var out []int
	if 1<<r > mostTabled {
		for digit := range r {
			for range h {
				out = append(out, 1<<digit)
			}
		}
		return out
	}
	for ; h >= 1<<(r-1); h -= 1 << (r - 1) {
		for column := 1; column < 1<<r; column++ {
			out = append(out, column)
		}
	}
	short := make([]int64, 1<<r) // of the word of each number but 0
	for o := range short {
		short[o] = int64(h)
	}
	for {
		best, most := 0, int64(0)
		for column := 1; column < 1<<r; column++ {
			helped := int64(0)
			for o, s := range short {
				if odd(o & column) {
					helped += s * s * s * s
				}
			}
			if helped > most {
				best, most = column, helped
			}
		}
		if best == 0 {
			return out
		}
		out = append(out, best)
		for o := range short {
			if odd(o & best) {
				short[o] = max(0, short[o]-1)
			}
		}
	}
}
