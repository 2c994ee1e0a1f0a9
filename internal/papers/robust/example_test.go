package robust_test

import (
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/papers/robust"
	"github.com/sibyl-dp/sibyl/privacy"
)

// This example plans PRSMA at ε = 1 and δ = 1/1000 before any data is read.
func ExamplePlanPRSMA() {
	epsilon, err := privacy.ParseDecimal("1")
	if err != nil {
		fmt.Println(err)
		return
	}
	delta, err := privacy.ParseDecimal("1e-3")
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := robust.PlanPRSMA(robust.PRSMAGoal{
		Rows: 15682, Epsilon: epsilon, Delta: delta, Refusal: 0.05, MostCalls: 1240})
	if err != nil {
		fmt.Println(err)
		return
	}
	bounds, err := plan.Check() // computed from the plan alone, independently of the search
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("within the calls:", plan.Calls() <= 1240)
	fmt.Println("within ε and δ:", bounds.Epsilon.Cmp(epsilon) <= 0 && bounds.Delta.Cmp(delta) <= 0)
	fmt.Printf("a run has ε′ = %.2f and %.0f%% of the rows\n", plan.Power()/float64(plan.PartRows()), 100/float64(plan.Parts))
	// Output:
	// within the calls: true
	// within ε and δ: true
	// a run has ε′ = 0.03 and 3% of the rows
}
