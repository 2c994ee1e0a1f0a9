package learn

import (
	"context"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// OnTable makes a mechanism whose input is a list of examples accept a table. The guarantee stays
// the same.
type OnTable[H any] struct {
	privacy.Mechanism[[]Example[table.Record], H]
}

// OnRecords makes a mechanism whose input is Records accept a table, without copying the records.
// The guarantee stays the same.
type OnRecords[H any] struct {
	privacy.Mechanism[Records[table.Record], H]
}

// Release runs the mechanism on the records of the table t.
func (m OnRecords[H]) Release(ctx context.Context, t *table.Table, coins noise.Coins) (H, error) {
	return m.Mechanism.Release(ctx, t, coins)
}

// Release runs the mechanism on the examples of the table.
func (m OnTable[H]) Release(ctx context.Context, t *table.Table, coins noise.Coins) (H, error) {
	return m.Mechanism.Release(ctx, Examples(t), coins)
}
