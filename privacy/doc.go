// Package privacy describes the guarantees of differentially private mechanisms: neighbour
// relations, guarantees and their assumptions, composition, and conversion to (ε, δ). It
// depends neither on data nor on hypothesis classes, so everything in it can be computed
// before data is read.
//
// [NewPure], [NewBoundedRange], [NewZCDP], [NewGDP] and [NewApproximate] return a guarantee.
// A [GaussianBudget] is a guarantee of which the steps of a mechanism consume parts.
// [Compose] combines several guarantees, which are called the parts of the composition; an
// approximate part is one of type [Approximate]. The method Delta of a guarantee returns a
// δ for a given ε, and the function [Epsilon] returns an ε for a given δ. The parameters of
// mechanisms (ε, δ, ρ, μ²) are exact. The results of these conversions are rounded upward.
//
// [Compose] needs guarantees that are fixed in advance. A [Filter] bounds the total of releases
// whose guarantees are chosen adaptively.
//
// Letters, after Canonne, Kamath and Steinke (2020) and Cesar and Rogers (2021):
//
//	P, P′  the output distributions on two neighbouring tables
//	L      the privacy loss ln(P/P′)
//	ε, δ   the parameters of approximate differential privacy
//	δ(x)   the privacy curve: the supremum of P(A) − eˣ·P′(A) over neighbours and events A
//	ρ      the parameter of zero-concentrated differential privacy (zCDP)
//	μ      the parameter of Gaussian differential privacy (GDP)
//	α, β   the order α > 1 of a Rényi divergence, and β = α − 1
//
// The length of an interval that contains L with probability 1 is called the range. It is also
// written ε, because a range of ε implies ε-differential privacy.
//
// Proofs are in docs/explanation/proofs/privacy.md, filter.md and losses.md.
package privacy
