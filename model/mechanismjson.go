package model

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/learn/convex"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/quote"
)

// mechanismJSON is a mechanism as it stands in JSON.
type mechanismJSON struct {
	Name         string            `json:"name"`
	Loss         *lossJSON         `json:"loss,omitempty"`
	Rate         string            `json:"rate,omitempty"`   // exact, "1/4"
	Sigma2       string            `json:"sigma2,omitempty"` // an integer
	Sample       *Sample           `json:"sample,omitempty"`
	Series       *Series           `json:"series,omitempty"`
	Boost        *boostJSON        `json:"boost,omitempty"`
	Box          *Box              `json:"box,omitempty"`
	Columns      *convex.Encoding  `json:"columns,omitempty"`
	Descent      *descentJSON      `json:"descent,omitempty"`
	Perturbation *perturbationJSON `json:"perturbation,omitempty"`
	Noise        string            `json:"noise,omitempty"`
	Grid         int64             `json:"grid,omitempty"`
	Shift        int64             `json:"shift,omitempty"`
	Oracle       string            `json:"oracle,omitempty"`
	NodeBudget   int64             `json:"node_budget,omitempty"`
	Plan         *planJSON         `json:"plan,omitempty"`
}

type lossJSON struct {
	FalsePositive int64 `json:"false_positive"`
	FalseNegative int64 `json:"false_negative"`
}

// boostJSON is a learn.BoostPlan.
type boostJSON struct {
	Rows       int64 `json:"rows"`
	Parts      int   `json:"parts"`
	Validation int64 `json:"validation"`
}

// descentJSON is a convex.Descent.
type descentJSON struct {
	Share privacy.Decimal `json:"share"`
	Steps int             `json:"steps"`
	Clip  privacy.Decimal `json:"clip"`
	Rate  float64         `json:"rate"`
	Batch float64         `json:"batch"`
	Grid  int64           `json:"grid"`
}

// perturbationJSON is a convex.Perturbation.
type perturbationJSON struct {
	Loss  convex.Loss     `json:"loss"`
	Bound int64           `json:"bound"`
	Calls int             `json:"calls"`
	Rate  privacy.Decimal `json:"rate"`
	Slack privacy.Decimal `json:"slack"`
}

// planJSON is a learn.PRSMAPlan.
type planJSON struct {
	Rows        int64           `json:"rows"`
	Parts       int             `json:"parts"`
	Runs        int64           `json:"runs"`
	Threshold   int             `json:"threshold"`
	TestEpsilon privacy.Decimal `json:"test_epsilon"`
	BaseEpsilon privacy.Decimal `json:"base_epsilon"`
	Floor       int             `json:"floor"`
	LogRatio    privacy.Decimal `json:"log_ratio"`
	Failing     privacy.Decimal `json:"failing"`
	Split       privacy.Decimal `json:"split"`
	Tilt        privacy.Decimal `json:"tilt"`
}

func (m Mechanism) document() mechanismJSON {
	j := mechanismJSON{
		Name: m.Name, Sample: m.Sample, Series: m.Series, Boost: (*boostJSON)(m.Boost),
		Box: m.Box, Columns: m.Columns, Descent: (*descentJSON)(m.Descent), Perturbation: (*perturbationJSON)(m.Perturbation),
		Noise: m.Noise, Grid: m.Grid, Shift: m.Shift,
		Oracle: m.Oracle, NodeBudget: m.NodeBudget, Plan: (*planJSON)(m.Plan),
	}
	if (m.Loss != learn.Loss{}) {
		j.Loss = (*lossJSON)(&m.Loss)
	}
	if m.Rate != nil {
		j.Rate = m.Rate.RatString()
	}
	if m.Sigma2 != nil {
		j.Sigma2 = m.Sigma2.String()
	}
	return j
}

// mostDigits bounds the text of a number.
const mostDigits = 1000

func (j mechanismJSON) mechanism() (Mechanism, error) {
	m := Mechanism{
		Name: j.Name, Sample: j.Sample, Series: j.Series, Boost: (*learn.BoostPlan)(j.Boost),
		Box: j.Box, Columns: j.Columns, Descent: (*convex.Descent)(j.Descent), Perturbation: (*convex.Perturbation)(j.Perturbation),
		Noise: j.Noise, Grid: j.Grid, Shift: j.Shift,
		Oracle: j.Oracle, NodeBudget: j.NodeBudget, Plan: (*learn.PRSMAPlan)(j.Plan),
	}
	if j.Loss != nil {
		m.Loss = learn.Loss(*j.Loss)
	}
	if j.Rate != "" {
		rate, ok := new(big.Rat), digits(strings.Replace(j.Rate, "/", "", 1))
		if ok {
			rate, ok = rate.SetString(j.Rate)
		}
		if !ok {
			return m, fmt.Errorf("the mechanism's rate %s is not an exact fraction such as 1/4", quote.Word(j.Rate))
		}
		m.Rate = rate
	}
	if j.Sigma2 != "" {
		if !digits(j.Sigma2) {
			return m, fmt.Errorf("the mechanism's sigma2 %s is not a whole number", quote.Word(j.Sigma2))
		}
		m.Sigma2, _ = new(big.Int).SetString(j.Sigma2, 10)
	}
	return m, nil
}

// digits tells whether a text is of digits only, and not too many.
func digits(text string) bool {
	return text != "" && len(text) <= mostDigits && strings.Trim(text, "0123456789") == ""
}
