// Package perturb implements those learners of the papers that add noise to the costs of all
// hypotheses and release a minimizer of the noisy costs. An optimization oracle finds the
// minimizer (package oracle).
//
//	RSPM          samples one noise term for each bit of a separator. The cost of a hypothesis
//	              changes by the terms of its bits that are 1. The guarantee is pure ε-DP if the
//	              oracle is exact.
//	GaussianRSPM  is RSPM with Gaussian noise. Its guarantee is (ε, δ)-DP.
//	OPDisc        samples one noise term for each coordinate of an embedding into a sphere. The
//	              cost of a hypothesis changes by the inner product of the noise and its embedded
//	              point. The guarantee is pure ε-DP, or (ε, δ)-DP with Gaussian noise.
//
// By default Sibyl samples from the exponential mechanism instead (learn.Exponential), which needs
// no oracle. Package robust runs RSPM many times with an oracle that may fail (Runs).
//
// Letters, after Neel, Roth and Wu (2018), in addition to those of package learn:
//
//	m     the number of bits of the separator
//	φ(q)  the vector of the separator's bits of a hypothesis q
//	g     the grid: costs are multiplied by g, so that noise is a multiple of 1/g units of cost
//	t     the shift of the noise in the privacy proof, an integer in units of 1/g
//	k     the noise, an integer vector in units of 1/g
//	h     a lower bound on the Hamming distance between φ(q) and φ(q') for q ≠ q'
package perturb
