package audit

import "math"

// Evidence is the result of an attack on a privacy guarantee: the selected event, and the lower
// bound on ε that follows from it.
type Evidence struct {
	// Epsilon is a lower bound on ε, 0 if nothing was found. The probability that it exceeds the true ε is at most
	// Alpha.
	Epsilon, Alpha float64
	// Event is the number of the event that the attack uses. Swapped reports whether this event is more likely under
	// the second sampler.
	Event   int
	Swapped bool
	// Hits counts how often the event occurred among Draws samples: first for the sampler under which it is more
	// likely, then for the other one.
	Hits  [2]int
	Draws int
}

// Attack tries to distinguish the output distributions of a mechanism on two neighbouring tables. p and q sample from
// these distributions; all samples must be independent. Attack returns a lower bound on ε for the given δ. It takes
// 2·draws samples from each distribution. With the first half it selects the event that gives the strongest evidence,
// and with the second half it estimates the probabilities of this event. The bound is wrong with a probability of at
// most alpha, which must be in (0, 1).
func Attack[T any](p, q func() T, events []func(T) bool, draws int, delta, alpha float64) Evidence {
	e := Evidence{Alpha: alpha, Draws: draws}
	first, second := tally(p, events, draws), tally(q, events, draws)
	best := 0.0
	for i := range events {
		for swapped, hits := range [2][2]int{{first[i], second[i]}, {second[i], first[i]}} {
			if b := provedEpsilon(hits, draws, delta, alpha); b > best {
				best, e.Event, e.Swapped = b, i, swapped == 1
			}
		}
	}
	if best == 0 {
		return e
	}
	if e.Swapped {
		p, q = q, p
	}
	event := events[e.Event : e.Event+1]
	e.Hits = [2]int{tally(p, event, draws)[0], tally(q, event, draws)[0]}
	e.Epsilon = provedEpsilon(e.Hits, draws, delta, alpha)
	return e
}

// Each returns one event for each of the given outcomes. The event occurs if a sample equals the
// outcome.
func Each[T comparable](outcomes ...T) []func(T) bool {
	var events []func(T) bool
	for _, x := range outcomes {
		events = append(events, func(y T) bool { return x == y })
	}
	return events
}

// AtLeast returns one event for each threshold. The event occurs if the score of a sample is at
// least the threshold.
func AtLeast[T any](score func(T) float64, thresholds ...float64) []func(T) bool {
	var events []func(T) bool
	for _, t := range thresholds {
		events = append(events, func(y T) bool { return score(y) >= t })
	}
	return events
}

func tally[T any](draw func() T, events []func(T) bool, draws int) []int {
	hits := make([]int, len(events))
	for range draws {
		x := draw()
		for i, event := range events {
			if event(x) {
				hits[i]++
			}
		}
	}
	return hits
}

// provedEpsilon returns a lower bound on ln((P - δ)/Q), where P and Q are the probabilities of an
// event under two distributions. The event occurred hits[0] times in draws samples of the first
// distribution and hits[1] times in draws samples of the second. The bound is wrong with
// probability at most alpha.
func provedEpsilon(hits [2]int, draws int, delta, alpha float64) float64 {
	low, _ := proportion(hits[0], draws, alpha)
	_, high := proportion(hits[1], draws, alpha)
	if low <= delta {
		return 0
	}
	return max(0, math.Log((low-delta)/high)-logError)
}

// proportion returns a confidence interval for the probability of an event that occurred hits times
// in n independent draws. Each end is wrong with probability at most alpha/2, for every n. The
// interval contains the Clopper-Pearson interval.
//
// The ends are the solutions p of n·KL(hits/n‖p) = ln(2/alpha), where KL is the divergence of
// Bernoulli distributions. If the true probability lies beyond an end, then a count as extreme as
// hits has a probability below alpha/2, by Chernoff's bound.
func proportion(hits, n int, alpha float64) (low, high float64) {
	k := float64(hits) / float64(n)
	bound := math.Log(2/alpha) / float64(n) * (1 + 1e-9)
	end := func(outer float64) float64 {
		inner := k
		for range 100 {
			middle := (inner + outer) / 2
			if divergence(k, middle) > bound {
				outer = middle
			} else {
				inner = middle
			}
		}
		return outer
	}
	return end(0), end(1)
}

// divergence returns the Kullback-Leibler divergence of the Bernoulli distribution with probability k from that with
// probability p.
func divergence(k, p float64) float64 {
	d := 0.0
	if k > 0 {
		d += k * math.Log(k/p)
	}
	if k < 1 {
		d += (1 - k) * math.Log((1-k)/(1-p))
	}
	return d
}
