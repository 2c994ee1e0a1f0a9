package audit_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
)

// vectorCoins is a random source that gives RSPM a chosen noise vector. It records the rate by which the logarithm
// of the noise's probability changes if all coordinates are shifted: a shift of every coordinate by s changes it by
// at most rate·s.
type vectorCoins struct {
	noise.Coins // nil, since RSPM makes no other random choice
	t           testing.TB

	vector []int64
	next   int
	rate   *big.Rat
}

func (c *vectorCoins) radius() (r int64) {
	for _, k := range c.vector {
		r = max(r, k, -k)
	}
	return r
}

func (c *vectorCoins) coordinate() int64 {
	if c.next++; c.next > len(c.vector) {
		c.t.Fatal("the mechanism sampled more coordinates than the separator has bits")
	}
	return c.vector[c.next-1]
}

func (c *vectorCoins) Draw(law noise.Sampler) *big.Int {
	switch law := law.(type) {
	case noise.Laplace: // each coordinate by itself
		c.rate = new(big.Rat).SetInt64(int64(len(c.vector)))
		c.rate.Quo(c.rate, law.Scale)
		return big.NewInt(c.coordinate())
	case noise.CubeRadius:
		c.rate = law.A
		return big.NewInt(c.radius())
	}
	c.t.Fatalf("unexpected noise %v", law)
	return nil
}

func (c *vectorCoins) Uint64n(n uint64) uint64 {
	r := c.radius()
	if n != uint64(2*r+1) {
		c.t.Fatalf("a coordinate is one of %d within a radius of %d", n, r)
	}
	return uint64(c.coordinate() + r)
}

// leastShift returns the least s ≥ 0 for which holds(s) is true. holds must be monotone. ok is false if no
// s up to 2^40 satisfies it.
func leastShift(holds func(s int64) bool) (s int64, ok bool) {
	if holds(0) {
		return 0, true
	}
	no, yes := int64(0), int64(1)
	for ; !holds(yes); no, yes = yes, 2*yes {
		if yes > 1<<40 {
			return 0, false
		}
	}
	for yes-no > 1 {
		if middle := (no + yes) / 2; holds(middle) {
			yes = middle
		} else {
			no = middle
		}
	}
	return yes, true
}

// The test covers neighbours of every shape that differ in a row or in a person. For each pair it chooses noise with
// which RSPM barely returns a given conjunction on the first table: a shift of the noise by one unit against the
// conjunction changes the output. It then computes the smallest shift of the noise, on all separator bits in favour
// of the conjunction, with which RSPM returns this conjunction on the second table too. This shift changes the
// probability of the noise by a factor of at most e^ε, and in some case by nearly e^ε.
func TestRSPMSweep(t *testing.T) {
	r, epsilon := rand.New(rand.NewPCG(5, 20)), privacytest.Decimal(t, "1")
	kinds, distances := []perturb.Noise{perturb.Laplace, perturb.Cube}, []int{1, 3}
	losses := []learn.Loss{learn.ZeroOne, {FalsePositive: 1, FalseNegative: 3}}
	for i, relation := range audittest.Relations {
		worst, pairs := 0.0, 0
		for j, s := range audittest.TwoLabels(audit.Shapes(5)) {
			if !heavy.On() && (i+j)%2 == 1 { // each table is tested under two of the relations
				continue
			}
			for draw := range heavy.Pick(8, 64) {
				kind, distance, loss := kinds[draw%2], distances[draw/2%2], losses[draw/4%2]
				var attributes []literal.Attribute
				for _, n := range s.Sizes {
					attributes = append(attributes, literal.Equal(n))
				}
				c, err := conjunction.New(attributes, conjunction.Options{Distance: distance, Most: 3})
				if err != nil {
					t.Fatal(err)
				}
				m, err := perturb.NewRSPM(oracle.Search(c), kind, epsilon, relation, loss, 8)
				if err != nil {
					t.Fatal(err)
				}
				var rate *big.Rat
				release := func(of []learn.Example[[]uint16], k []int64) conjunction.Formula {
					coins := &vectorCoins{t: t, vector: k}
					h, err := m.Release(context.Background(), of, coins)
					if err == nil && coins.next != len(k) {
						err = fmt.Errorf("the mechanism sampled %d coordinates of %d", coins.next, len(k))
					}
					if err != nil {
						t.Fatalf("%v: %s: %v", relation, s.Name, err)
					}
					rate = coins.rate
					return h
				}
				k := make([]int64, c.Separator())
				for b := range k {
					k[b] = r.Int64N(1 << (4 + 6*(draw%4)))
				}
				own := learn.Examples(audittest.TableOf(t, s, relation))
				chosen := release(own, k)
				bits := c.Separate(chosen)
				moved := func(by int64) []int64 { // against the chosen formula
					to := slices.Clone(k)
					for b, set := range bits {
						if set {
							to[b] += by
						} else {
							to[b] -= by
						}
					}
					return to
				}
				same := func(h conjunction.Formula) bool { return slices.Equal(h.Tests, chosen.Tests) }
				lost, ok := leastShift(func(s int64) bool { return !same(release(own, moved(s))) })
				if !ok {
					t.Errorf("%v: %s: the mechanism releases the same formula for all noise", relation, s.Name)
					continue
				}
				for _, other := range s.Neighbours(relation) {
					pairs++
					neighbour := learn.Examples(audittest.TableOf(t, other, relation))
					shift, ok := leastShift(func(s int64) bool { return same(release(neighbour, moved(lost-1-s))) })
					if !ok {
						t.Errorf("%v: %s: no noise gives the same formula on the neighbour", relation, other.Name)
						continue
					}
					loss := new(big.Rat).Mul(rate, new(big.Rat).SetInt64(shift))
					share, _ := new(big.Rat).Quo(loss, epsilon.Rat()).Float64()
					if worst = max(worst, share); loss.Cmp(epsilon.Rat()) > 0 {
						t.Errorf("%v: %s: the privacy loss is %.6f times ε", relation, other.Name, share)
					}
				}
			}
		}
		t.Logf("%v: at most %.4f of ε over %d pairs", relation, worst, pairs)
		if worst < 0.9 {
			t.Errorf("%v: the maximum privacy loss is only %.4f of ε, so the test checks too little", relation, worst)
		}
	}
}
