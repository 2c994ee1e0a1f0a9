// Package learn holds the private learners: mechanisms that choose a
// hypothesis of a class with few errors on a private table.
//
//	Exponential  draws q with probability ∝ e^{-λc(q)}, exactly. Pure ε-DP
//	             with no assumption on any solver. Take this one.
//	Gibbs        is Exponential with a prior, over a class whose partition function is
//	             computed rather than searched.
//	Mixture      is Exponential over a union of classes of both kinds.
//	Subsample    runs another mechanism on a secret sample.
//	Box          draws weights for a convex loss from a grid in a box, exactly.
//	NaiveBayes   learns a card from noisy counts of all columns.
//	WeightedNaiveBayes
//	             draws a card from those that such counts give with weights for attributes.
//	Either       draws from these cards and from a class with a prior together.
//	Histogram    counts the rows in public cells with noise, such as the outcomes of
//	             a hypothesis, from which its accuracy follows.
//	Leader       follows the private leader on a stream.
//
// What only the papers' mechanisms need is in packages below papers: RSPM, OPDisc, PRSMA,
// boosting, statistical queries. They rest on what learners share here: Example, Loss, Objective, Excess,
// Split.
//
// Package learn/convex holds what learns linear models.
//
// Letters, after Neel, Roth and Wu (2018), Wang, Lei and Fienberg (2016):
//
//	n  rows of the table
//	q  a hypothesis, c(q) its cost: the loss over all rows
//	C  the cost range: the most that one record's loss differs between hypotheses
//	λ  the rate of the exponential mechanism
package learn
