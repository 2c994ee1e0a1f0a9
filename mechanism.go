package sibyl

import (
	"cmp"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
)

// A Mechanism is how a hypothesis of a class is chosen. The structs of this package and those of
// package papers are the mechanisms; nil stands for the usual one of the class.
type Mechanism interface {
	// Choose returns the choice of the mechanism, for Settings.
	Choose() mechanism.Choice
}

// Exponential is the exponential mechanism: it draws a hypothesis, with a higher probability the
// fewer it misclassifies. It is pure, and the usual mechanism of all classes that are searched or
// sampled.
type Exponential struct {
	// Sample draws on a secret random sample of so many rows, which needs Settings.Rows;
	// SampleRate on one that takes each row with a probability, an exact decimal, which needs
	// AddRemove. Zero values draw on all rows. Neither goes with Tree, Sparse or a Union of these.
	Sample     int64
	SampleRate string

	// ConstantWork does as much work for rows that are equal as for others, so that the time of a
	// draw does not depend on them. It goes with Tree and needs Settings.Rows.
	ConstantWork bool
	// Loss is Misclassification or, for Tree, Graded.
	Loss Loss
}

// A Loss is what Exponential charges a hypothesis for.
type Loss string

const (
	// Misclassification is the number of misclassified rows.
	Misclassification Loss = ""
	// Graded is the squared error of the risks of leaves, in four grades. It prefers trees that
	// rank people well.
	Graded Loss = mechanism.GradedName
)

// Choose returns the choice of the mechanism.
func (e Exponential) Choose() mechanism.Choice {
	return mechanism.Choose(mechanism.ExponentialName, func(m mechanism.Mechanism) bool {
		switch m := m.(type) {
		case *mechanism.Exponential:
			m.Size, m.Rate = e.Sample, e.SampleRate
			return e == Exponential{Sample: e.Sample, SampleRate: e.SampleRate}
		case *mechanism.Gibbs:
			m.ConstantWork, m.Loss = e.ConstantWork, string(e.Loss)
			return e == Exponential{ConstantWork: e.ConstantWork, Loss: e.Loss}
		}
		return e == Exponential{}
	})
}

// Weighted computes a naive Bayes model with half of ε, and draws with the other half what each
// attribute counts: nothing, half or all of its points. It is pure, and needs Settings.Rows.
type Weighted struct{}

// Choose returns the choice of the mechanism.
func (Weighted) Choose() mechanism.Choice {
	return mechanism.Choose(mechanism.WeightedName, func(mechanism.Mechanism) bool { return true })
}

// Columns says on which columns a linear model learns.
type Columns string

const (
	OneHot    Columns = "one-hot"   // one for each category
	Reference Columns = "reference" // one for each category but the first
	Binary    Columns = "binary"    // one for each binary digit of the category's number
)

// Descent is logistic regression by gradient descent with noise in each step. It needs
// Settings.Delta and Settings.Rows. Parameters that were tuned on the data cost privacy that ε
// does not cover.
type Descent struct {
	Columns      Columns // empty is OneHot
	Steps        int     // 0 is 400
	Clip         string  // the norm to which the gradient of a row is cut, an exact decimal; empty is 0.5
	Share        string  // the probability with which a step takes a row, an exact decimal; empty is 1
	LearningRate float64 // the length of a step, as a multiple of the mean gradient; 0 follows from the noise
}

// Choose returns the choice of the mechanism.
func (d Descent) Choose() mechanism.Choice {
	return mechanism.Choose(mechanism.DPSGDName, func(m mechanism.Mechanism) bool {
		of, is := m.(*mechanism.DPSGD)
		if !is {
			return false
		}
		of.Columns.Columns = cmp.Or(string(d.Columns), of.Columns.Columns)
		of.Clip, of.Share = cmp.Or(d.Clip, of.Clip), cmp.Or(d.Share, of.Share)
		of.Steps, of.Rate = d.Steps, d.LearningRate
		return true
	})
}

// Box is the exponential mechanism over linear models whose weights are whole points: it draws
// weights, with a higher probability the less their loss. It is pure, for Logistic and SVM.
type Box struct {
	Columns Columns // empty is OneHot
	Bound   int64   // weights lie within -Bound..Bound; 0 is 4
	Ridge   int64   // the charge for the square of each weight, in thousandths of a logistic loss or in points
}

// Choose returns the choice of the mechanism.
func (b Box) Choose() mechanism.Choice {
	return mechanism.Choose(mechanism.ExponentialName, func(m mechanism.Mechanism) bool {
		of, is := m.(*mechanism.Box)
		if !is {
			return false
		}
		of.Columns.Columns = cmp.Or(string(b.Columns), of.Columns.Columns)
		of.Bound, of.Ridge = cmp.Or(b.Bound, of.Bound), b.Ridge
		return true
	})
}
