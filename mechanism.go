package sibyl

import (
	"cmp"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
)

// A Mechanism selects a hypothesis of a class with differential privacy. The structs of this
// package and of package papers implement it. A nil Mechanism means the default mechanism of the
// class.
type Mechanism interface {
	// Choose returns the mechanism's name and parameters, in a form that Learn reads.
	Choose() mechanism.Choice
}

// Exponential is the exponential mechanism (McSherry and Talwar 2007). It samples a hypothesis with
// probability exactly proportional to e^(−λ·cost). The cost is the number of misclassified rows,
// weighted by Settings.FalsePositive and Settings.FalseNegative, plus penalties. The factor λ
// follows from ε and the neighbour relation. The guarantee is pure ε-DP.
//
// Exponential is the default mechanism of all classes that are searched or sampled, such as
// Scorecard and Tree.
type Exponential struct {
	// Sample is the number of rows in a secret random subsample from which the hypothesis is learned. It requires
	// Settings.Rows. SampleRate, an exact decimal, is the probability with which each row enters such a subsample. It
	// requires AddRemove. If both are zero values, all rows are used. Tree, Sparse and unions that contain one of
	// them support neither.
	Sample     int64
	SampleRate string

	// ConstantWork makes the running time of a draw independent of how many rows are equal to each other. Only Tree
	// supports it. It requires ReplaceOne and Settings.Rows.
	ConstantWork bool
	// Loss is Misclassification or, for Tree, Graded.
	Loss Loss
}

// A Loss is the cost function of Exponential.
type Loss string

const (
	// Misclassification is the number of misclassified rows.
	Misclassification Loss = ""
	// Graded is the squared error of the risk that a tree states. A leaf of the tree states one of
	// four risks. This loss prefers trees that rank people well. Only Tree supports it, for a label
	// with two classes.
	Graded Loss = mechanism.GradedName
)

// Choose returns the name and the parameters of the mechanism, as Mechanism requires.
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

// Weighted first computes log-odds for each category from noisy counts, with 60 % of ε. With the rest of ε, the
// exponential mechanism selects a weight for each attribute. The points of the attribute are multiplied by this
// weight. The guarantee is pure ε-DP. Settings.Rows is required.
type Weighted struct{}

// Choose returns the name and the parameters of the mechanism, as Mechanism requires.
func (Weighted) Choose() mechanism.Choice {
	return mechanism.Choose(mechanism.WeightedName, func(mechanism.Mechanism) bool { return true })
}

// Columns is the encoding of a categorical attribute as 0/1 features of a linear model.
type Columns string

const (
	OneHot    Columns = "one-hot"   // a feature for each category
	Reference Columns = "reference" // a feature for each category except the first
	Binary    Columns = "binary"    // a feature for each binary digit of the category's code
)

// Descent is logistic regression by noisy gradient descent (DP-SGD). It smooths the noisy gradients over adjacent
// intervals of an attribute, and shrinks the weights of attributes whose gradients are mostly noise. For CardAndTree, it
// samples a tree before the descent. The guarantee is (ε, δ)-DP. Settings.Delta and Settings.Rows are required.
//
// The guarantee does not cover the choice of the parameters below: tuning them on the private data reveals more than
// the guarantee states.
type Descent struct {
	Columns      Columns // empty is OneHot
	Steps        int     // the number of gradient steps; 0 means 400
	Clip         string  // the maximum Euclidean norm of a row's gradient, an exact decimal; longer gradients are scaled down to it; empty is 0.5, or 1 for CardAndTree
	Share        string  // the probability with which a step uses a row, an exact decimal; empty is 1
	LearningRate float64 // the length of a step, as a multiple of the mean gradient; 0 derives it from the noise
}

// Choose returns the name and the parameters of the mechanism, as Mechanism requires.
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

// Box is the exponential mechanism over linear models with integer weights between -Bound and Bound. It samples the
// weights with probability proportional to e^(−λ·loss). The factor λ follows from ε, the relation and the range of
// the loss. The guarantee is pure ε-DP. Box applies to Logistic and SVM.
type Box struct {
	Columns Columns // empty is OneHot
	Bound   int64   // weights are between -Bound and Bound; 0 means 4
	Ridge   int64   // the penalty per squared weight: for Logistic in thousandths of the logistic loss, for SVM in points
}

// Choose returns the name and the parameters of the mechanism, as Mechanism requires.
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
