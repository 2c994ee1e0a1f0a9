package main

import (
	"fmt"
	"io"
	"math/big"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/papers/experiment"
	"github.com/sibyl-dp/sibyl/internal/papers/game"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newGame() *cobra.Command {
	f := &gameFlags{}
	cmd := &cobra.Command{
		Use:   "game",
		Short: "Play OracleQuery for conjunctions on generated tables",
		Long: `Game releases synthetic tables by the two-player game OracleQuery (Neel, Roth and Wu 2018,
section 4), for all monotone conjunctions of binary attributes, from generated tables. It uses
the private responses of the paper's three corollaries, and an improved data player. The number
of rounds minimizes the error bound. Game prints the error of the worst query, which is NOT
private; the bounds on this error after and before the release; and the corollary's bound with
its unstated constants set to 1. It skips a response if no number of rounds fits the given ε.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.IntSliceVar(&f.games.Attributes, "attributes", []int{8, 12, 16}, "the `numbers` of attributes")
	flags.IntSliceVar(&f.games.Rows, "rows", []int{10_000, 100_000}, "the `numbers` of rows")
	flags.StringVar(&f.epsilon, "epsilon", "1", "the `ε` of a whole game")
	flags.StringVar(&f.delta, "delta", "1e-6", "the `δ` of a whole game")
	flags.IntVar(&f.games.Most, "most-rounds", 300, "the maximum number of `rounds` of a game")
	flags.Uint64Var(&f.games.Seed, "seed", 1, "the `seed` of the tables and of all randomness")
	return cmd
}

type gameFlags struct {
	games          experiment.Games
	epsilon, delta string
}

func (f *gameFlags) run(cmd *cobra.Command) error {
	if err := f.read(); err != nil {
		return err
	}
	var all []experiment.Game
	lines := [][]string{experiment.GameColumns()}
	f.games.Tell = func(g experiment.Game) {
		all, lines = append(all, g), append(lines, g.Line())
		cli.Note(cmd, "%d attributes, %d rows, %s: done", g.Attributes, g.Rows, g.Response)
	}
	if err := f.games.Run(cmd.Context()); err != nil {
		return err
	}
	cli.Note(cmd, "NOT PRIVATE: these are exact errors on generated tables.")
	return cli.Print(cmd, all, func(w io.Writer) error { return report.WriteTable(w, lines, "rrllrrrrrrrrl") })
}

// read checks the flags and stores their values in f.games.
func (f *gameFlags) read() error {
	g := &f.games
	for _, d := range g.Attributes {
		if d < 2 || d > 16 {
			return fmt.Errorf("--attributes contains %d, but each number must be 2 to 16", d)
		}
	}
	for _, n := range g.Rows {
		if n < 1 || n > 5_000_000 {
			return fmt.Errorf("--rows contains %d, but each number must be 1 to 5000000", n)
		}
	}
	if len(g.Attributes) == 0 || len(g.Rows) == 0 {
		return fmt.Errorf("--attributes or --rows is empty; give at least one number for each")
	}
	if g.Most < 1 || g.Most > game.MostRounds {
		return fmt.Errorf("--most-rounds %d is outside 1..%d", g.Most, game.MostRounds)
	}
	if err := checkEpsilon(f.epsilon); err != nil {
		return err
	}
	var err error
	if g.Epsilon, err = privacy.ParseDecimal(f.epsilon); err != nil {
		return err
	}
	if g.Delta, err = privacy.ParseDecimal(f.delta); err != nil {
		return fmt.Errorf("--delta %w", err)
	}
	if g.Delta.IsZero() || g.Delta.Rat().Cmp(big.NewRat(1, 1)) >= 0 {
		return fmt.Errorf("--delta %s is not between 0 and 1", g.Delta)
	}
	return nil
}
