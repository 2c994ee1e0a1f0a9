package game

import "math"

// Facts are the public numbers by which the paper plans: n, ε, δ and β of the goal, m₁ and
// m₂, and the natural logarithms of |Q| and |X|.
type Facts struct {
	Rows                 float64
	Epsilon, Delta, Beta float64
	Separator, Digits    float64
	LogQueries, LogSize  float64
}

// Corollary is one of the three of Neel, Roth and Wu (2018), section 4, by its number: for a
// private oracle as good as the exponential mechanism, for Gaussian RSPM, for PRSMA. They
// are printed up to constants and logarithms, here taken as 1: numbers to compare with. The
// second rests on a privacy theorem that is false (docs/explanation/proofs/gaussian-rspm.md).
type Corollary int

// Rounds returns T as printed.
func (c Corollary) Rounds(f Facts) float64 {
	player := math.Pow(f.Digits, 0.75) * math.Sqrt(f.LogSize)
	power := f.Rows * f.Epsilon
	switch c {
	case 1:
		return math.Ceil(power * player / ((f.LogQueries - math.Log(f.Beta)) * math.Sqrt(-math.Log(f.Delta))))
	case 2:
		return math.Ceil(power * player / (math.Pow(f.Separator, 1.5) * math.Sqrt(math.Log(f.Separator/f.Beta)) * -math.Log(f.Delta)))
	}
	return math.Ceil(math.Pow(player*math.Sqrt(power)/(f.Separator*f.Separator+math.Sqrt(f.LogQueries)), 4.0/3))
}

// Error returns α as printed.
func (c Corollary) Error(f Facts) float64 {
	player := math.Pow(f.Digits, 0.75) * math.Sqrt(f.LogSize)
	power := f.Rows * f.Epsilon
	switch c {
	case 1:
		return math.Sqrt(player * math.Sqrt(-math.Log(f.Delta)) * (f.LogQueries - math.Log(f.Beta)) / power)
	case 2:
		return math.Sqrt(math.Pow(f.Separator, 1.5) * player * math.Sqrt(math.Log(f.Separator/f.Beta)) * -math.Log(f.Delta) / power)
	}
	return math.Cbrt(player) * (math.Pow(f.Separator, 4.0/3) + math.Cbrt(f.LogQueries)) / math.Cbrt(power)
}
