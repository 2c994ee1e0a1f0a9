package privacy

import (
	"context"

	"github.com/sibyl-dp/sibyl/noise"
)

// A Mechanism is a randomized algorithm that computes an output of type T from private data of
// type D.
type Mechanism[D, T any] interface {
	// Guarantee returns the privacy guarantee of Release. The guarantee does not depend on
	// data, so Guarantee can be called before data is read.
	Guarantee() Guarantee
	// Release samples one output. All its randomness comes from coins. The guarantee covers
	// only the returned value. It covers neither the running time nor the event that ctx ends
	// before Release does, in which case Release returns the error of ctx. Any other error
	// after data was read must not depend on the data, unless the implementation's guarantee
	// covers this error.
	Release(ctx context.Context, d D, coins noise.Coins) (T, error)
}
