package learn

import (
	"context"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// OnTable has a mechanism on examples read those of a table. Its guarantee is the mechanism's.
type OnTable[H any] struct {
	privacy.Mechanism[[]Example[table.Record], H]
}

// OnRecords has a mechanism on records read those of a table, where they are.
type OnRecords[H any] struct {
	privacy.Mechanism[Records[table.Record], H]
}

// Release releases from the records of the table.
func (m OnRecords[H]) Release(ctx context.Context, t *table.Table, coins noise.Coins) (H, error) {
	return m.Mechanism.Release(ctx, t, coins)
}

// Release releases from the examples of the table.
func (m OnTable[H]) Release(ctx context.Context, t *table.Table, coins noise.Coins) (H, error) {
	return m.Mechanism.Release(ctx, Examples(t), coins)
}
