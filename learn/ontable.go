package learn

import (
	"context"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
)

// OnTable has a mechanism on examples read those of a table. Its guarantee is the mechanism's.
type OnTable[H any] struct {
	privacy.Mechanism[[]Example[table.Record], H]
}

// OnOutcomes is OnTable of a mechanism on records with one of several outcomes.
type OnOutcomes[H any] struct {
	privacy.Mechanism[[]Observed[table.Record], H]
}

// Release releases from the records of the table.
func (m OnOutcomes[H]) Release(ctx context.Context, t *table.Table, coins noise.Coins) (H, error) {
	return m.Mechanism.Release(ctx, Observe(t), coins)
}

// Release releases from the examples of the table.
func (m OnTable[H]) Release(ctx context.Context, t *table.Table, coins noise.Coins) (H, error) {
	return m.Mechanism.Release(ctx, Examples(t), coins)
}
