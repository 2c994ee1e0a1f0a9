package privacy

import (
	"context"

	"github.com/sibyl-dp/sibyl/noise"
)

// A Mechanism is a randomised algorithm that computes a T from private data D.
type Mechanism[D, T any] interface {
	// Guarantee returns the guarantee of Release. It does not depend on data and
	// can be called before data is read.
	Guarantee() Guarantee
	// Release samples one output, with all randomness from coins. The guarantee
	// covers only the returned value. It covers neither the running time nor
	// whether ctx was cancelled first; in that case the error is that of ctx.
	// Any other error after data was read must not depend on the data, unless
	// the implementation's guarantee includes the error.
	Release(ctx context.Context, d D, coins noise.Coins) (T, error)
}
