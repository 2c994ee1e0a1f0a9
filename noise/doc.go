// Package noise draws exact random integers: the coins and the noise of every
// private mechanism of Sibyl. It knows nothing of data or of ε.
//
// What to use when:
//   - Crypto for anything released; one per goroutine.
//   - New over a reader of one's own, such as a hardware source or a test tape.
//   - Insecure for a reproducible run that guarantees nothing.
//   - Laplace for pure, Gaussian for concentrated differential privacy.
//   - Cube, the K-norm noise of the maximum norm, for a vector whose m
//     coordinates may all move by 1 at once: a standard deviation of about
//     0.58·m/a where Laplace noise of the same guarantee a has 1.41·m/a.
//   - Ball, the K-norm noise of the Euclidean norm, for a vector that moves by a
//     bounded Euclidean length.
//   - Gibbs for the exponential mechanism over a list of costs.
//   - Geometric and TruncatedGeometric as one-sided noise and building blocks.
//   - ExpInterval and ExpIntervalRelative where a proof needs e^{-x} in numbers.
//
// # Exactness
//
// If the bytes read are independent and uniform, every draw has exactly the law
// its comment states: parameters are rationals, arithmetic is on integers, no
// floating-point number occurs on a sampling path and no tail is cut. Supports
// are unbounded, so results are big integers. The proofs are in
// docs/explanation/proofs/samplers.md. Exactness concerns values only: running time depends
// on the values drawn, and is not hidden.
//
// The algorithms for Bernoulli(exp(-x)) and the discrete Laplace and Gaussian
// laws are those of Canonne, Kamath and Steinke, "The Discrete Gaussian for
// Differential Privacy" (2020); below, CKS.
//
// # Letters
//
//	x, X   exponent of e^{-x}, and the rate of a geometric law
//	s, t   a rate is s/t in lowest terms, and a Laplace scale t/s
//	u, v   CKS's remainder and quotient of a geometric draw by t
//	γ      the part of x that lies in [0, 1]
//	a, m   rate and dimension of the cube law; R its radius
//	σ²     Gaussian's parameter
package noise
