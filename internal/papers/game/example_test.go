package game_test

import (
	"context"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
	"github.com/sibyl-dp/sibyl/internal/papers/game"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// This example generates a synthetic table for all conjunctions on three bits, with ρ = 1/2 for twenty
// answers.
func ExampleOracleQuery() {
	sizes := []int{2, 2, 2}
	bit := literal.Equal(2)
	c, err := conjunction.New([]literal.Attribute{bit, bit, bit}, conjunction.Options{})
	if err != nil {
		panic(err)
	}
	const rounds, rows = 20, 9000
	epsilon, err := game.ShareEpsilon(big.NewRat(1, 2), rounds, true)
	if err != nil {
		panic(err)
	}
	player, err := game.NewHedge(sizes, rounds)
	if err != nil {
		panic(err)
	}
	m, err := game.New(c, sizes, game.ExponentialResponse[conjunction.Formula](epsilon, privacy.ReplaceOne), player,
		game.Options[conjunction.Formula]{Rounds: rounds, Draws: 500, Rows: rows})
	if err != nil {
		panic(err)
	}
	delta, _ := privacy.ParseDecimal("1e-6")
	total, err := privacy.Epsilon(m.Guarantee(), delta)
	if err != nil {
		panic(err)
	}
	fmt.Printf("ε = %.4s at δ = %v; the error is expected to be at most %.2f\n", total, delta, m.Bound(rows).Sum())

	table := []game.Record{{X: []uint16{0, 0, 0}, Count: 4000}, {X: []uint16{1, 1, 0}, Count: 3000}, {X: []uint16{1, 1, 1}, Count: 2000}}
	s, err := m.Release(context.Background(), table, noise.Insecure(1)) // noise.Crypto() for private tables
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d answers; now it is expected to be at most %.2f\n", len(s.Answers), s.Regret+m.Miss(rows))
	// Output:
	// ε = 5.22 at δ = 0.000001; the error is expected to be at most 0.29
	// 20 answers; now it is expected to be at most 0.18
}
