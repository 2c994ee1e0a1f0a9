package risk

import (
	"encoding/json"
	"math/big"
)

// assessmentJSON is the JSON form of an Assessment. For labels with two outcomes it has the keys confusion,
// specificity and prevalence, and for labels with more it has matrix and precision.
type assessmentJSON struct {
	Of          Target         `json:"of"`
	Kind        Kind           `json:"kind"`
	Inside      Count          `json:"inside"`
	Outside     Count          `json:"outside"`
	Errors      Count          `json:"errors"`
	Confusion   *confusionJSON `json:"confusion,omitempty"`
	Matrix      [][]Count      `json:"matrix,omitempty"`
	Accuracy    Share          `json:"accuracy"`
	Sensitivity any            `json:"sensitivity"` // a Share, or a []Share
	Specificity *Share         `json:"specificity,omitempty"`
	Precision   []Share        `json:"precision,omitempty"`
	Prevalence  *Share         `json:"prevalence,omitempty"`
	Risks       []Risk         `json:"risks,omitempty"`
	Order       []int          `json:"order,omitempty"`
	Thresholds  []Threshold    `json:"thresholds,omitempty"`
	AUC         *Share         `json:"auc,omitempty"`
}

type confusionJSON struct {
	TruePositive  Count `json:"true_positive"`
	FalseNegative Count `json:"false_negative"`
	FalsePositive Count `json:"false_positive"`
	TrueNegative  Count `json:"true_negative"`
}

// MarshalJSON writes the assessment as JSON. Labels with two outcomes have other keys than labels with more.
func (a Assessment) MarshalJSON() ([]byte, error) {
	out := assessmentJSON{
		Of: a.Of, Kind: a.Kind, Inside: a.Inside, Outside: a.Outside, Errors: a.Errors, Accuracy: a.Accuracy,
		Sensitivity: a.Sensitivity, Precision: a.Precision, Risks: a.Risks, Order: a.Order, Thresholds: a.Thresholds, AUC: a.AUC,
	}
	if m := a.Confusion; len(m) == 2 {
		out.Confusion = &confusionJSON{m[1][1], m[1][0], m[0][1], m[0][0]}
		out.Sensitivity, out.Specificity, out.Prevalence = a.Sensitivity[1], &a.Sensitivity[0], &a.Prevalence
	} else {
		out.Matrix = m
	}
	return json.Marshal(out)
}

// riskJSON is the JSON form of a Risk. For labels with two outcomes it has the keys least, most and risk, and for
// labels with more it has grade and risks.
type riskJSON struct {
	Grade  *int     `json:"grade,omitempty"`
	Least  *int     `json:"least,omitempty"`
	Most   *int     `json:"most,omitempty"`
	Rows   *big.Int `json:"rows"`
	Risk   *Share   `json:"risk,omitempty"`
	Risks  []Share  `json:"risks,omitempty"`
	Pooled Pooling  `json:"pooled,omitempty"`
}

// MarshalJSON writes the risk as JSON. Labels with two outcomes have other keys than labels with more.
func (r Risk) MarshalJSON() ([]byte, error) { return json.Marshal(r.json()) }

func (r Risk) json() riskJSON {
	if len(r.Shares) == 1 {
		return riskJSON{Least: &r.Least, Most: &r.Most, Rows: r.Rows, Risk: &r.Shares[0], Pooled: r.Pooled}
	}
	return riskJSON{Grade: &r.Least, Rows: r.Rows, Risks: r.Shares}
}
