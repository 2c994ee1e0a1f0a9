// Package opsamp holds OPSamp (Neel, Roth, Vietri and Wu 2019, Algorithm 2, with the theorem
// corrected): it averages minimisers of randomly perturbed losses (logistic, hinge, squared) and
// adds Laplace noise. (ε, δ). At the sizes of usual tables its noise drowns the answer.
//
// Letters, beside those of package convex:
//
//	m, φ  the margin, z or for label 0 -z, and the loss of it
//	G     the greatest absolute slope of φ at margins that the weights can have
package opsamp
