// Package learn holds the private learners: mechanisms that choose a
// hypothesis of a class with few errors on a private table.
//
//	Exponential  draws q with probability ∝ e^{-λc(q)}, exactly. Pure ε-DP
//	             with no assumption on any solver. Take this one.
//	RSPM         perturbs the costs through a separator and returns the
//	             minimiser an oracle finds. Pure ε-DP if the oracle is exact.
//	OPDisc       perturbs the costs along an embedding into a sphere. Pure, or
//	             (ε, δ) with Gaussian noise.
//	Subsample, Boost      wrap other mechanisms: a secret sample, disjoint parts.
//	Box          draws weights for a convex loss from a grid in a box, exactly.
//	Statistical  answers statistical queries; NaiveBayes asks it, and Weighted
//	             draws from the cards that its answers give; Either draws from them
//	             and a class with a prior together.
//	Histogram    counts the rows in public cells with noise, such as the outcomes of
//	             a hypothesis, from which its accuracy follows.
//	Leader       follows the private leader on a stream.
//
// These repeat what the papers prove, to be compared with:
//
//	PRSMA         runs RSPM many times on many parts, and so needs no oracle to
//	              answer; it needs very many records instead.
//	GaussianRSPM  is RSPM with Gaussian noise.
//	Elimination   learns a conjunction from one statistical query.
//
// Package learn/convex holds what learns linear models: the baseline of private
// gradient descent, and OPSamp, to be compared with too.
//
// Letters, after Neel, Roth and Wu (2018), Wang, Lei and Fienberg (2016):
//
//	n  rows of the table
//	q  a hypothesis, c(q) its cost: the loss over all rows
//	C  the cost range: the most that one record's loss differs between hypotheses
//	λ  the rate of the exponential mechanism
//	m  the size of the separator, φ(q) its labelling by q
//	g  the grid: costs are multiplied by it, so that noise comes in steps of 1/g
//	t  the integer shift of RSPM, in steps of 1/g
//	k  the noise, an integer vector, in steps of 1/g
package learn
