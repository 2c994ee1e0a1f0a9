// Package learn implements the private learners: mechanisms that select a hypothesis with few misclassifications on a
// private table.
//
//	Exponential  samples q with probability ∝ e^{-λc(q)}, exactly. It is pure ε-DP and assumes
//	             nothing about a solver. It is the usual choice.
//	Gibbs        is Exponential with a prior, over a class whose partition function can be computed.
//	Mixture      is Exponential over a union of classes for Exponential and classes for Gibbs.
//	Subsample    runs another mechanism on a secret sample of the rows.
//	Box          samples integer weights of a linear model with a convex loss, exactly.
//	NaiveBayes   computes a scorecard from noisy counts of each column with the label.
//	WeightedNaiveBayes
//	             computes log-odds from such counts, and samples a weight for each attribute.
//	Either       samples from the union of the scorecards of WeightedNaiveBayes and a class with a prior.
//	Newton       computes a weight for each attribute by one private Newton step of logistic regression.
//	NewtonEither selects privately between the scorecards of Newton and a class with a prior.
//	Histogram    releases noisy counts of rows in public cells. For example, the counts of the
//	             predictions of a hypothesis by label give its accuracy.
//	Leader       learns online, from a stream of examples ("follow the private leader").
//
// Packages below papers contain the mechanisms of the papers that are not run by default: RSPM, OPDisc, PRSMA,
// boosting, statistical queries. They use Example, Loss, Objective, Excess and Split of this package. Package
// learn/convex learns linear models.
//
// Letters, after Neel, Roth and Wu (2018), Wang, Lei and Fienberg (2016):
//
//	n  the number of rows of the table
//	q  a hypothesis; c(q) is its cost, the sum of the loss over all rows
//	C  the range of the loss: the maximum difference of the losses of two hypotheses on one record
//	λ  the rate of the exponential mechanism, the factor of the cost in e^{-λc(q)}
package learn
