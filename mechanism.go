package sibyl

// A Mechanism is how a hypothesis is chosen; each is an option of the classes that it works
// for. Without one, a class has its usual mechanism.
type Mechanism struct {
	name     string
	settings []setting
}

// Searched is a mechanism that chooses from a class.
type Searched struct{ mechanism Mechanism }

func (m Searched) ofScorecard() any { return m.mechanism }
func (m Searched) ofHalfspace() any { return m.mechanism }
func (m Searched) ofFormula() any   { return m.mechanism }
func (m Searched) ofList() any      { return m.mechanism }
func (m Searched) ofParity() any    { return m.mechanism }
func (m Searched) ofGate() any      { return m.mechanism }
func (m Searched) ofUnion() any     { return m.mechanism }

// newMechanism returns the mechanism with its options, of which as tells the settings.
func newMechanism[O any](name string, options []O, as func(O) setting) Mechanism {
	m := Mechanism{name: name}
	for _, o := range options {
		m.settings = append(m.settings, as(o))
	}
	return m
}

// Exponential is the exponential mechanism: it draws a hypothesis, the likelier the fewer
// its errors. It is the usual one of every class that is searched, and pure.
func Exponential(options ...ExponentialOption) Searched {
	return Searched{newMechanism("exponential", options, ExponentialOption.ofExponential)}
}

// An ExponentialOption is one that the exponential mechanism has.
type ExponentialOption interface{ ofExponential() setting }

// RSPM adds noise to the costs and asks an oracle for the least.
func RSPM(options ...RSPMOption) Searched {
	return Searched{newMechanism("rspm", options, RSPMOption.ofRSPM)}
}

// An RSPMOption is one that RSPM has.
type RSPMOption interface{ ofRSPM() setting }

// OPDisc is RSPM with noise of spherical shape; with EpsilonDelta it is Gaussian.
func OPDisc(options ...OPDiscOption) Searched {
	return Searched{newMechanism("opdisc", options, OPDiscOption.ofOPDisc)}
}

// An OPDiscOption is one that OPDisc has.
type OPDiscOption interface{ ofOPDisc() setting }

// PRSMA runs RSPM on many parts of the data; its guarantee holds however the oracle fails,
// and it may release nothing (ErrNothing). It needs EpsilonDelta and NumberOfRows.
func PRSMA(options ...PRSMAOption) Searched {
	return Searched{newMechanism("prsma", options, PRSMAOption.ofPRSMA)}
}

// A PRSMAOption is one that PRSMA has.
type PRSMAOption interface{ ofPRSMA() setting }

// Boost runs the exponential mechanism on parts of the data, and picks from the results on
// the last part. It needs NumberOfRows.
func Boost(options ...BoostOption) Searched {
	return Searched{newMechanism("boost", options, BoostOption.ofBoost)}
}

// A BoostOption is one that Boost has.
type BoostOption interface{ ofBoost() setting }

// DescentMechanism is what Descent returns.
type DescentMechanism struct{ mechanism Mechanism }

func (m DescentMechanism) ofLogistic() any { return m.mechanism }

// Descent is logistic regression by gradient descent with noise in each step. Parameters
// that were tuned on the data cost privacy that ε does not cover. It needs EpsilonDelta and
// NumberOfRows.
func Descent(options ...DescentOption) DescentMechanism {
	return DescentMechanism{newMechanism("dpsgd", options, DescentOption.ofDescent)}
}

// A DescentOption is one that Descent has.
type DescentOption interface{ ofDescent() setting }

// MinimisersMechanism is what Minimisers returns.
type MinimisersMechanism struct{ mechanism Mechanism }

func (m MinimisersMechanism) ofLogistic() any     { return m.mechanism }
func (m MinimisersMechanism) ofSVM() any          { return m.mechanism }
func (m MinimisersMechanism) ofLeastSquares() any { return m.mechanism }

// Minimisers is the mean of minimisers of randomly perturbed losses (OPSamp), with noise
// that drowns it on tables of usual sizes. It needs EpsilonDelta and NumberOfRows.
func Minimisers(options ...MinimisersOption) MinimisersMechanism {
	return MinimisersMechanism{newMechanism("opsamp", options, MinimisersOption.ofMinimisers)}
}

// A MinimisersOption is one that Minimisers has.
type MinimisersOption interface{ ofMinimisers() setting }

// BoxMechanism is what Box returns.
type BoxMechanism struct{ mechanism Mechanism }

func (m BoxMechanism) ofLogistic() any { return m.mechanism }
func (m BoxMechanism) ofSVM() any      { return m.mechanism }

// Box is the exponential mechanism over whole weights, the likelier the less their loss:
// pure.
func Box(options ...BoxOption) BoxMechanism {
	return BoxMechanism{newMechanism("exponential", options, BoxOption.ofBox)}
}

// A BoxOption is one that Box has.
type BoxOption interface{ ofBox() setting }
