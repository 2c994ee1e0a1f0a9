package sibyl

import "github.com/sibyl-dp/sibyl/internal/mechanism"

// A chooser is how a hypothesis is chosen; each is an option of the classes that it works
// for. Without one, a class has its usual mechanism.
type chooser struct {
	name     string
	settings []setting
	by       Mechanism // in place of a name; else nil
}

// A SearchedOption is one that every class has of which a mechanism chooses.
type SearchedOption interface {
	ScorecardOption
	HalfspaceOption
	FormulaOption
	ListOption
	ParityOption
	GateOption
	UnionOption
}

// newMechanism returns the mechanism with its options, of which as tells the settings.
func newMechanism[O any](name string, options []O, as func(O) any) option {
	m := chooser{name: name}
	for _, o := range options {
		m.settings = append(m.settings, as(o).(setting))
	}
	return option{m}
}

// Exponential is the exponential mechanism: it draws a hypothesis, the likelier the fewer
// its errors. It is the usual one of every class that is searched, and pure.
func Exponential(options ...ExponentialOption) SearchedOption {
	return newMechanism("exponential", options, ExponentialOption.ofExponential)
}

// An ExponentialOption is one that the exponential mechanism has.
type ExponentialOption interface{ ofExponential() any }

// A Mechanism is how a hypothesis is chosen, as a value of another package: those of the papers
// are in package papers.
type Mechanism = mechanism.Mechanism

// By has the hypothesis chosen by a mechanism of another package, such as
// &papers.RSPM{Noise: "cube"}.
func By(m Mechanism) interface {
	SearchedOption
	LogisticOption
	SVMOption
	LeastSquaresOption
} {
	return option{chooser{by: m}}
}

// Weighted makes a naive Bayes model of half of ε, and draws from the other half what each
// attribute counts: nothing, half or all of its points. It is pure, and needs NumberOfRows.
func Weighted() NaiveBayesOption { return option{chooser{name: "weighted"}} }

// Descent is logistic regression by gradient descent with noise in each step. Parameters
// that were tuned on the data cost privacy that ε does not cover. It needs EpsilonDelta and
// NumberOfRows.
func Descent(options ...DescentOption) LogisticOption {
	return newMechanism("dpsgd", options, DescentOption.ofDescent)
}

// A DescentOption is one that Descent has.
type DescentOption interface{ ofDescent() any }

// Box is the exponential mechanism over whole weights, the likelier the less their loss:
// pure.
func Box(options ...BoxOption) interface {
	LogisticOption
	SVMOption
} {
	return newMechanism("exponential", options, BoxOption.ofBox)
}

// A BoxOption is one that Box has.
type BoxOption interface{ ofBox() any }
