package synth_test

import (
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/synth"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A budget of (1, 10⁻⁹) for three columns, planned before any data is read.
func ExampleNewPlan() {
	epsilon, _ := privacy.ParseDecimal("1")
	delta, _ := privacy.ParseDecimal("1e-9")
	mu, err := privacy.MuWithin(epsilon, delta)
	if err != nil {
		fmt.Println(err)
		return
	}
	domain := synth.Domain{Columns: []synth.Column{{Size: 80, Ordered: true}, {Size: 6}, {Size: 2}}, Outcome: true}
	plan, err := synth.NewPlan(domain, synth.Budget{Relation: privacy.AddRemove, Mu: mu, Rows: 50_000})
	if err != nil {
		fmt.Println(err)
		return
	}
	spent, _ := privacy.Epsilon(plan.Guarantee(), delta)
	fmt.Println("μ =", mu, "ε =", spent)
	fmt.Printf("noise of a pair's contrasts: %.1f; rounds: %d; pairs off by about %.3f\n", plan.Deviation(0), plan.Rounds, plan.PairError(50_000))
	// Output:
	// μ = 0.181974807 ε = 0.999999817
	// noise of a pair's contrasts: 13.0; rounds: 6; pairs off by about 0.020
}
