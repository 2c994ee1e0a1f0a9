package sibyl

// A chooser is how a hypothesis is chosen; each is an option of the classes that it works
// for. Without one, a class has its usual mechanism.
type chooser struct {
	name     string
	settings []setting
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

// RSPM adds noise to the costs and asks an oracle for the least.
func RSPM(options ...RSPMOption) SearchedOption {
	return newMechanism("rspm", options, RSPMOption.ofRSPM)
}

// An RSPMOption is one that RSPM has.
type RSPMOption interface{ ofRSPM() any }

// OPDisc is RSPM with noise of spherical shape; with EpsilonDelta it is Gaussian.
func OPDisc(options ...OPDiscOption) SearchedOption {
	return newMechanism("opdisc", options, OPDiscOption.ofOPDisc)
}

// An OPDiscOption is one that OPDisc has.
type OPDiscOption interface{ ofOPDisc() any }

// PRSMA runs RSPM on many parts of the data; its guarantee holds however the oracle fails,
// and it may release nothing (ErrNothing). It needs EpsilonDelta and NumberOfRows.
func PRSMA(options ...PRSMAOption) SearchedOption {
	return newMechanism("prsma", options, PRSMAOption.ofPRSMA)
}

// A PRSMAOption is one that PRSMA has.
type PRSMAOption interface{ ofPRSMA() any }

// Boost runs the exponential mechanism on parts of the data, and picks from the results on
// the last part. It needs NumberOfRows.
func Boost(options ...BoostOption) SearchedOption {
	return newMechanism("boost", options, BoostOption.ofBoost)
}

// A BoostOption is one that Boost has.
type BoostOption interface{ ofBoost() any }

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

// Minimisers is the mean of minimisers of randomly perturbed losses (OPSamp), with noise
// that drowns it on tables of usual sizes. It needs EpsilonDelta and NumberOfRows.
func Minimisers(options ...MinimisersOption) interface {
	LogisticOption
	SVMOption
	LeastSquaresOption
} {
	return newMechanism("opsamp", options, MinimisersOption.ofMinimisers)
}

// A MinimisersOption is one that Minimisers has.
type MinimisersOption interface{ ofMinimisers() any }

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
