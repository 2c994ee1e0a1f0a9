package game

import "math"

// Facts holds the parameters that occur in the paper's formulas for the number of rounds and for the error
// of the game.
type Facts struct {
	Rows                 float64 // n, the number of rows
	Epsilon, Delta, Beta float64 // ε and δ of the guarantee, and the failure probability β
	Separator, Digits    float64 // m₁ and m₂, the numbers of separator bits of Q and of the dual class
	LogQueries, LogSize  float64 // ln |Q| and ln |X|
}

// A Corollary is one of three corollaries of Neel, Roth and Wu (2018), section 4, by its number:
//
//	1  for a private oracle that is as accurate as the exponential mechanism
//	2  for Gaussian RSPM
//	3  for PRSMA
//
// The paper states the corollaries up to constants and logarithmic factors, which are set to 1 here. They
// are only for comparisons. Corollary 2 relies on a false privacy theorem
// (docs/explanation/proofs/gaussian-rspm.md).
type Corollary int

// Rounds returns the number T of rounds that the corollary states.
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

// Error returns the error α that the corollary states.
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
