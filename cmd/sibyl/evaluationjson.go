package main

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/evaluation"
	"github.com/sibyl-dp/sibyl/internal/risk"
)

// This file defines the output of evaluate --json. A value is null if it depends on a private number of rows, or
// if it is a share of zero rows.

// evaluationJSON has the fields of an evaluation that all labels have, whatever their number of classes.
type evaluationJSON struct {
	Rows     *big.Int `json:"rows"`    // the number of rows; null under add-remove
	Inside   *big.Int `json:"inside"`  // the number of rows inside the schema's domain
	Outside  *big.Int `json:"outside"` // the number of rows with a value outside the domain
	Errors   *big.Int `json:"errors"`
	Cost     *big.Int `json:"cost,omitempty"` // the cost of the errors, if they do not all cost 1
	Accuracy *float64 `json:"accuracy"`
}

// binaryJSON is the JSON form of the evaluation of a model whose label has two classes.
type binaryJSON struct {
	evaluationJSON
	AUC         *float64           `json:"auc"` // also null if grades have no order
	Sensitivity *float64           `json:"sensitivity"`
	Specificity *float64           `json:"specificity"`
	Confusion   confusionJSON      `json:"confusion"`
	Kind        risk.Kind          `json:"kind"` // the kind of the grades
	Risks       []risk.Risk        `json:"risks"`
	Order       []int              `json:"order,omitempty"` // the numbers of the leaves, in ascending order of risk
	Thresholds  []risk.Threshold   `json:"thresholds,omitempty"`
	Calibration []risk.Calibration `json:"calibration,omitempty"` // the calibration, if the model states risks
	Always      string             `json:"always,omitempty"`      // the constant prediction of the model
	Advice      string             `json:"advice,omitempty"`
	*estimateJSON
}

type confusionJSON struct {
	TruePositive  *big.Int `json:"true_positive"`
	FalseNegative *big.Int `json:"false_negative"`
	FalsePositive *big.Int `json:"false_positive"`
	TrueNegative  *big.Int `json:"true_negative"`
}

// multiclassJSON is the JSON form of the evaluation of a model whose label has more than two classes.
type multiclassJSON struct {
	evaluationJSON
	Outcomes    []string     `json:"outcomes"`
	Matrix      [][]*big.Int `json:"matrix"` // for each class, the numbers of its rows by predicted class
	Sensitivity []*float64   `json:"sensitivity"`
	Precision   []*float64   `json:"precision"`
	Kind        risk.Kind    `json:"kind"` // the kind of the grades
	Always      string       `json:"always,omitempty"`
	Risks       []risk.Risk  `json:"risks,omitempty"`  // the risks observed among the rows of each leaf
	Stated      []risk.Risk  `json:"stated,omitempty"` // the risks that the model states
	*estimateJSON
}

// estimateJSON has the fields that only a private evaluation has.
type estimateJSON struct {
	Intervals  any     `json:"intervals"`  // intervals that cover the noise alone
	Population any     `json:"population"` // intervals for the population of which the rows are a random sample
	Confidence float64 `json:"confidence"` // the probability that all intervals hold
	guaranteed
}

// intervalsJSON has the confidence intervals of the counts and shares of an evaluation, rounded outward, for a
// label with two classes.
type intervalsJSON struct {
	Inside        [2]*big.Int  `json:"inside"`
	Outside       [2]*big.Int  `json:"outside"`
	Errors        [2]*big.Int  `json:"errors"`
	Cost          *[2]*big.Int `json:"cost,omitempty"`
	Accuracy      [2]float64   `json:"accuracy"`
	AUC           *[2]float64  `json:"auc,omitempty"`
	Sensitivity   [2]float64   `json:"sensitivity"`
	Specificity   [2]float64   `json:"specificity"`
	TruePositive  [2]*big.Int  `json:"true_positive"`
	FalseNegative [2]*big.Int  `json:"false_negative"`
	FalsePositive [2]*big.Int  `json:"false_positive"`
	TrueNegative  [2]*big.Int  `json:"true_negative"`
}

// populationJSON has the confidence intervals of shares in the population from which the rows are sampled, for a
// label with two classes.
type populationJSON struct {
	Accuracy    [2]float64  `json:"accuracy"`
	AUC         *[2]float64 `json:"auc,omitempty"`
	Sensitivity [2]float64  `json:"sensitivity"`
	Specificity [2]float64  `json:"specificity"`
}

// evaluationOf returns the JSON form of an evaluation: a binaryJSON or a multiclassJSON.
func evaluationOf(e *evaluation.Evaluation) any {
	a := e.Assessment
	shared := evaluationJSON{Rows: e.Rows, Inside: a.Inside.Value, Outside: a.Outside.Value, Errors: a.Errors.Value, Accuracy: a.Accuracy.Value}
	if e.Cost != nil {
		shared.Cost = e.Cost.Value
	}
	var private *estimateJSON
	if p := e.Estimate; p != nil {
		private = &estimateJSON{a, p.Population, risk.Confidence, guaranteeOf(p.Guarantee, p.Void, p.Schema)}
		if a.Outcomes() == 2 {
			private.Intervals, private.Population = intervalsOf(e), population(p.Population)
		}
	}
	if a.Outcomes() > 2 {
		return multiclassOf(e, shared, private)
	}
	m := a.Confusion
	out := binaryJSON{
		evaluationJSON: shared, Sensitivity: a.Sensitivity[1].Value, Specificity: a.Sensitivity[0].Value,
		Confusion: confusionJSON{m[1][1].Value, m[1][0].Value, m[0][1].Value, m[0][0].Value},
		Kind:      a.Kind, Risks: a.Risks, Order: a.Order, Thresholds: a.Thresholds, Always: e.Always, Advice: e.Advice, estimateJSON: private,
	}
	if e.Stated != nil {
		out.Calibration = a.Calibration(e.Stated)
	}
	if a.AUC != nil {
		out.AUC = a.AUC.Value
	}
	return out
}

func multiclassOf(e *evaluation.Evaluation, shared evaluationJSON, private *estimateJSON) multiclassJSON {
	a := e.Assessment
	out := multiclassJSON{evaluationJSON: shared, Outcomes: e.Outcomes, Kind: a.Kind, Always: e.Always, Risks: a.Risks, estimateJSON: private}
	if e.Stated != nil {
		out.Stated = e.Stated.Risks
	}
	for o, row := range a.Confusion {
		var counts []*big.Int
		for _, n := range row {
			counts = append(counts, n.Value)
		}
		out.Matrix = append(out.Matrix, counts)
		out.Sensitivity = append(out.Sensitivity, a.Sensitivity[o].Value)
		out.Precision = append(out.Precision, a.Precision[o].Value)
	}
	return out
}

func intervalsOf(e *evaluation.Evaluation) intervalsJSON {
	ends := func(c risk.Count) [2]*big.Int { return [2]*big.Int{c.Least, c.Most} }
	a := e.Assessment
	m, shares := a.Confusion, population(a)
	out := intervalsJSON{
		Inside: ends(a.Inside), Outside: ends(a.Outside), Errors: ends(a.Errors),
		Accuracy: shares.Accuracy, AUC: shares.AUC, Sensitivity: shares.Sensitivity, Specificity: shares.Specificity,
		TruePositive: ends(m[1][1]), FalseNegative: ends(m[1][0]), FalsePositive: ends(m[0][1]), TrueNegative: ends(m[0][0]),
	}
	if e.Cost != nil {
		cost := ends(*e.Cost)
		out.Cost = &cost
	}
	return out
}

// population returns the confidence intervals of shares in the population, from an assessment for a label with
// two classes.
func population(a *risk.Assessment) populationJSON {
	ends := func(s risk.Share) [2]float64 { return [2]float64{s.Least, s.Most} }
	out := populationJSON{Accuracy: ends(a.Accuracy), Sensitivity: ends(a.Sensitivity[1]), Specificity: ends(a.Sensitivity[0])}
	if a.AUC != nil {
		area := ends(*a.AUC)
		out.AUC = &area
	}
	return out
}
