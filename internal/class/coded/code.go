package coded

import "math/bits"

// mostSearched is the maximum number of code words for which the function columns searches for a
// good code. For more options, the code just repeats each binary digit of the option's index.
const mostSearched = 1 << 8

// words returns the code word of each option of a decision. The code words of different options
// differ in at least h bits. The code word of option 0 is 0. The code is linear: bit b of the code
// word of option o is the parity of o & columns[b].
func words(options, h int) [][]bool {
	columns := columns(bits.Len(uint(options-1)), h)
	out := make([][]bool, options)
	for o := range out {
		out[o] = make([]bool, len(columns))
		for b, column := range columns {
			out[o][b] = parity(o & column)
		}
	}
	return out
}

func parity(digits int) bool { return bits.OnesCount(uint(digits))&1 == 1 }

// columns returns the columns of a binary linear code for numbers of r binary digits, with a
// minimum distance of at least h. In the code word of number o, the bit of column c is the parity
// of o & c.
//
// The simplex code contains every column except 0 once and has minimum distance 2^(r-1). The
// function columns uses as many copies of this code as possible with a distance of at most h. Then
// it adds columns greedily: each step prefers a column that adds 1 to the code words with the
// fewest ones.
func columns(r, h int) []int {
	if r == 0 {
		return nil
	}
	var out []int
	if 1<<r > mostSearched {
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
	deficit := make([]int64, 1<<r) // deficit[o] is h minus the weight of the code word of o, or 0 if that is negative
	for o := range deficit {
		deficit[o] = int64(h)
	}
	for {
		best, most := 0, int64(0)
		for column := 1; column < 1<<r; column++ {
			gain := int64(0)
			for o, s := range deficit {
				if parity(o & column) {
					gain += s * s * s * s
				}
			}
			if gain > most {
				best, most = column, gain
			}
		}
		if best == 0 {
			return out
		}
		out = append(out, best)
		for o := range deficit {
			if parity(o & best) {
				deficit[o] = max(0, deficit[o]-1)
			}
		}
	}
}
