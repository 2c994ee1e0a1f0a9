package opsamp

import "testing"

// For every loss and all margins within reach, G bounds the absolute derivatives, and spread bounds the
// differences of losses.
func TestLossConstants(t *testing.T) {
	losses(t, func(t *testing.T, l phi) {
		for _, reach := range []int64{1, 3, 40} {
			const h = 1.0 / 64
			low, high, steepest := l.at(float64(reach)), l.at(-float64(reach)), 0.0
			for m := -float64(reach); m < float64(reach); m += h {
				steepest = max(steepest, (l.at(m)-l.at(m+h))/h, (l.at(m+h)-l.at(m))/h)
				low, high = min(low, l.at(m)), max(high, l.at(m))
			}
			if g := float64(l.lipschitz(reach)); steepest > g+1e-9 || reach == 40 && steepest < 0.99*g {
				t.Errorf("maximum slope %v at margins up to %d, but G = %v", steepest, reach, g)
			}
			if s := l.spread(float64(reach)); high-low > s+1e-9 || high-low < s-1e-9 {
				t.Errorf("losses differ by up to %v at margins up to %d; want %v", high-low, reach, s)
			}
		}
	})
}
