package privacy

import (
	"context"

	"github.com/sibyl-dp/sibyl/noise"
)

// A Mechanism releases a T computed from private data D.
type Mechanism[D, T any] interface {
	// Guarantee is what every Release promises. It does not depend on data and
	// can be called before any is read.
	Guarantee() Guarantee
	// Release draws one output; all its randomness comes from coins. The
	// guarantee covers the value released and nothing else: not the time taken,
	// and not whether ctx was cancelled first, in which case nothing is
	// released and the error is ctx's. Any other error after data was read must
	// not depend on the data, unless the guarantee says it may.
	Release(ctx context.Context, d D, coins noise.Coins) (T, error)
}
