// Package noise samples integers from exact distributions. It provides the random source (Coins) and the noise of
// every private mechanism of Sibyl. The package depends neither on data nor on ε.
//
// Three functions return a random source:
//   - Crypto returns the one to use for every release. Each goroutine needs its own.
//   - New reads random bytes from another reader, such as a hardware source or a test tape.
//   - Insecure is for reproducible runs without any guarantee.
//
// Distributions:
//   - Laplace for pure, Gaussian for concentrated differential privacy.
//   - Cube, the K-norm noise of the maximum norm, for a vector of m coordinates that may all change by 1 at once. The
//     guarantee is pure a-DP. A coordinate has a standard deviation of about 0.58·m/a; with Laplace noise it would be
//     1.41·m/a.
//   - Ball, the K-norm noise of the Euclidean norm, for a vector that changes by a bounded Euclidean distance.
//   - Gibbs for the exponential mechanism over a list of costs.
//   - Geometric and TruncatedGeometric for one-sided noise, and to build other samplers.
//
// ExpInterval and ExpIntervalRelative compute rigorous bounds on e^{-x}.
//
// # Exactness
//
// If the bytes of the source are independent and uniform, every sample has exactly the distribution that the comment
// of its type states. Parameters are rationals, and samplers compute with integers only: no floating-point number
// affects a sample. No tail is truncated. Supports are unbounded, so samples are big integers. The proofs are in
// docs/explanation/proofs/samplers.md.
//
// Only the values are exact. The running time depends on the sampled values, and is not hidden.
//
// The algorithms for Bernoulli(exp(-x)) and for the discrete Laplace and Gaussian distributions are those of Canonne,
// Kamath and Steinke, "The Discrete Gaussian for Differential Privacy" (2020), cited below as CKS.
//
// # Letters
//
//	x, X   the exponent of e^{-x}, and the rate of a geometric distribution
//	s, t   a rate is s/t in lowest terms, and a Laplace scale is t/s
//	u, v   the remainder and quotient of a geometric sample divided by t, as in CKS
//	γ      the rest of x after 1 was subtracted repeatedly, in [0, 1]
//	a, m   the rate and the dimension of Cube; R is its radius
//	σ²     the parameter of Gaussian
package noise
