// Package privacy states what a mechanism costs: neighbour relations,
// guarantees and the assumptions they rest on, their composition, and the
// conversion to (ε, δ). It knows nothing of data or hypothesis classes, and
// everything in it can be computed before any data is seen.
//
// Make a guarantee with [NewPure], [NewBoundedRange], [NewZCDP] or
// [NewApproximate], put several together with [Compose], and read the result
// with [Epsilon] or the guarantee's own Delta. What a mechanism takes in (ε, δ,
// ρ) is exact; what is reported (a δ for an ε, an ε for a δ) is rounded upward.
//
// Letters, after Canonne, Kamath and Steinke (2020) and Cesar and Rogers
// (2021): P and P′ are the output laws on two neighbours; L = ln(P/P′) is the
// privacy loss; ε and δ are the parameters of approximate differential
// privacy; δ(x) is the privacy curve, the largest value over neighbours of
// sup P(A) − eˣ·P′(A) over events A; ρ is the parameter of zero-concentrated
// differential privacy; α > 1 is the order of a Rényi divergence and β = α − 1.
// The length of an interval that holds L is the range, written ε as well
// because a range of ε implies ε-differential privacy.
//
// A [Filter] bounds releases whose guarantees are chosen along the way.
//
// Proofs of everything claimed here are in docs/explanation/proofs/privacy.md, filter.md
// and losses.md.
package privacy
