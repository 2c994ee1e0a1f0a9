package experiment

import (
	"context"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// Every game is played, or its result states that no number of rounds is possible. The bounds are above the error.
// The bound with the data player Hedge is smaller than that with Context-FTPL.
func TestGames(t *testing.T) {
	for _, v := range []struct {
		epsilon, delta string
		most, left     int
	}{{"1", "1e-6", heavy.Pick(4, 40), 1}, {"16", "0.01", 1, 0}} {
		epsilon := privacytest.Decimal(t, v.epsilon)
		delta := privacytest.Decimal(t, v.delta)
		var all []Game
		g := Games{Attributes: []int{4}, Rows: []int{20_000}, Epsilon: epsilon, Delta: delta, Most: v.most, Seed: 1, Tell: func(g Game) { all = append(all, g) }}
		if err := g.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if len(all) != len(gameKinds) {
			t.Fatalf("%d games were reported; want %d", len(all), len(gameKinds))
		}
		left := 0
		for _, g := range all {
			if len(g.Line()) != len(GameColumns()) {
				t.Errorf("a line has %d columns; the header has %d", len(g.Line()), len(GameColumns()))
			}
			if g.Left != "" {
				left++
				continue
			}
			if g.Error > g.Known || g.Error > g.Bound || g.Rounds < 1 || g.Rounds > v.most {
				t.Errorf("the error of the game exceeds its bounds: %+v", g)
			}
		}
		if left != v.left {
			t.Errorf("ε = %s: %d games were skipped; want %d", v.epsilon, left, v.left)
		}
		if all[0].Bound >= all[1].Bound {
			t.Errorf("ε = %s: the bound of Hedge, %g, must be less than that of Context-FTPL, %g", v.epsilon, all[0].Bound, all[1].Bound)
		}
	}
}
