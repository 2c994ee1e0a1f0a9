package main

import (
	"context"
	"math/big"
	"slices"
	"time"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/oracle"
	"github.com/sibyl-dp/sibyl/table"
)

// measure calls the oracle with a limit on its time and returns its answer, and
// how long that took: the median of three calls where the first is short.
func measure(ctx context.Context, o minimizer, p class.Problem[table.Record], limit time.Duration) (s oracle.Solution[any], took time.Duration, err error) {
	const short, repeats = time.Second, 3
	var times []time.Duration
	for len(times) < repeats {
		s, took, err = call(ctx, o, p, limit)
		if err != nil || took >= short {
			return s, took, err
		}
		times = append(times, took)
	}
	slices.Sort(times)
	return s, times[repeats/2], nil
}

func call(ctx context.Context, o minimizer, p class.Problem[table.Record], limit time.Duration) (oracle.Solution[any], time.Duration, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	start := time.Now()
	s, err := o.Minimize(limited, p, oracle.Budget{})
	return s, time.Since(start), err
}

// short writes a large number in three digits.
func short(n *big.Int) string {
	if n.BitLen() < 20 {
		return n.String()
	}
	return new(big.Float).SetInt(n).Text('g', 3)
}
