package experiment

import (
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Epsilons lists the values of ε on the horizontal axis of Figure 1.
var Epsilons = []string{"0.01", "0.05", "0.1", "0.2", "0.5", "1", "2"}

// Figure1 returns the methods that a Plan compares to reproduce Figure 1 of Neel, Roth, Vietri and Wu
// (2019).
func Figure1() []Method {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	return []Method{
		ExponentialMethod("exponential, points -1..1", -1, 1, replace),
		OneHotOnly(ExponentialMethod("exponential, points -1..2", -1, 2, replace)),
		OneHotOnly(Balanced("exponential, points -1..1 or -1..2")),
		RSPM("RSPM, Laplace", perturb.Laplace, 0),
		RSPM("RSPM, cube", perturb.Cube, 0),
		RSPM("RSPM, cube, coded", perturb.Cube, 2),
		OPDiscPrinted("OPDisc as printed"),
		OPDisc("OPDisc, Gaussian", false),
		OPDisc("OPDisc, pure", true),
		OneHotOnly(OPDiscInBall("OPDisc, pure, the paper's class", true)),
		Descent("DP-SGD", replace),
		NaiveBayes("naive Bayes"),
		OneHotOnly(ExponentialMethod("exponential, points -1..2, add-remove", -1, 2, addRemove)),
		Descent("DP-SGD, add-remove", addRemove),
		Logistic("logistic regression"),
		Optimum("best scorecard, points -1..1", -1, 1),
		OneHotOnly(Optimum("best scorecard, points -1..2", -1, 2)),
	}
}
