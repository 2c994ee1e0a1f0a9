package main

import (
	"fmt"
	"io"
	"math/big"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/privacy"
)

// plannedEvaluation says how well evaluate would tell the errors of what is released, if
// it were given the same ε again.
type plannedEvaluation struct {
	Errors   *big.Int `json:"errors_within"`   // rows, with the confidence of all intervals
	Outcomes *big.Int `json:"outcomes_within"` // of each cell of the confusion matrix
	Fraction float64  `json:"errors_within_fraction"`

	share *big.Rat // the fraction
}

func planEvaluation(rows int64, epsilon privacy.Decimal, r privacy.Relation) (plannedEvaluation, error) {
	h, err := learn.NewHistogram(learn.Outcomes, epsilon, r)
	if err != nil {
		return plannedEvaluation{}, err
	}
	one, two := halfWidths(h)
	share := new(big.Rat).SetFrac(two, big.NewInt(rows))
	return plannedEvaluation{two, one, above(share), share}, nil
}

func (p plannedEvaluation) write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "\nTo evaluate it with the same ε once more would tell its errors to within %v rows, %s,\nand each kind of them to within %v, in 95 of 100 runs.\n", p.Errors, percentage(p.share, 1), p.Outcomes)
	return err
}
