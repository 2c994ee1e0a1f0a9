package privacy_test

import (
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/privacy"
)

func ExampleParseDecimal() {
	delta, err := privacy.ParseDecimal("1e-9")
	fmt.Println(delta, err)
	_, err = privacy.ParseDecimal("-1")
	fmt.Println(err)
	// Output:
	// 0.000000001 <nil>
	// "-1" is not a plain non-negative decimal of at most 100 digits, such as 0.5 or 1e-9
}

func ExampleRoundUp() {
	third, _ := privacy.RoundUp(big.NewRat(1, 3), 4)
	fmt.Println(third)
	// Output: 0.3334
}

// The ε of a thousand samples from the exponential mechanism together is far less than the sum of
// their ε.
func ExampleCompose() {
	epsilon, _ := privacy.ParseDecimal("0.01")
	delta, _ := privacy.ParseDecimal("1e-9")
	draw, err := privacy.NewBoundedRange(privacy.ReplaceOne, epsilon)
	if err != nil {
		fmt.Println(err)
		return
	}
	draws := make([]privacy.Guarantee, 1000)
	for i := range draws {
		draws[i] = draw
	}
	all, err := privacy.Compose(draws...)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range []privacy.Decimal{{}, delta} {
		total, _ := privacy.Epsilon(all, d)
		fmt.Printf("ε = %v at δ = %v\n", total, d)
	}
	// Output:
	// ε = 10 at δ = 0
	// ε = 0.910106603 at δ = 0.000000001
}

// A guarantee that depends on an oracle lists this assumption.
func ExampleNewPure() {
	epsilon, _ := privacy.ParseDecimal("0.5")
	g, err := privacy.NewPure(privacy.ReplaceOne, epsilon, privacy.ExactOracle)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Epsilon(), g.Relation())
	for _, a := range g.Assumes() {
		fmt.Println(a.Text())
	}
	// Output:
	// 0.5 replace
	// The oracle always answers, and its answers are true minimisers.
}

func ExampleZCDP() {
	delta, _ := privacy.ParseDecimal("1e-6")
	g, err := privacy.NewZCDP(privacy.AddRemove, big.NewRat(1, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	epsilon, _ := privacy.Epsilon(g, delta)
	fmt.Println(epsilon)
	// Output: 5.22153445
}
