// Package perturb holds the learners of the papers that perturb costs and take a minimiser of
// the sum, which an optimisation oracle finds (package oracle).
//
//	RSPM          adds noise to the bits of a separator. Pure ε-DP if the oracle is exact.
//	GaussianRSPM  is RSPM with Gaussian noise. (ε, δ).
//	OPDisc        adds noise along an embedding into a sphere. Pure, or (ε, δ) with Gaussian
//	              noise.
//
// The product draws from the exponential mechanism instead (learn.Exponential), which needs no
// oracle. Runs of RSPM that may fail are what package robust starts from.
//
// Letters, after Neel, Roth and Wu (2018), beside those of package learn:
//
//	m  the size of the separator, φ(q) its labelling by q
//	g  the grid: costs are multiplied by it, so that noise comes in steps of 1/g
//	t  the integer shift of RSPM, in steps of 1/g
//	k  the noise, an integer vector, in steps of 1/g
package perturb
