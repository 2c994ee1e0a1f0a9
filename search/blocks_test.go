package search

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
)

// After any number of joins, all blocks except the last have the same number of consecutive nodes. Each
// block has the sum of the weights of its nodes and the path of its first node. The number of blocks is
// within its limit.
func TestBlocks(t *testing.T) {
	random := rand.New(rand.NewPCG(41, 3))
	for _, sizes := range []scale{
		{block: 1, blocks: 2, bytes: 1 << 20}, {block: 3, blocks: 4, bytes: 1 << 20}, {block: 2, blocks: 1 << 20, bytes: 20}, {block: 1, blocks: 7, bytes: 50}, {block: 16, blocks: 1 << 20, bytes: 1 << 26},
	} {
		b := blocks{scale: sizes}
		for range 2 { // the second time after a reset
			b.reset()
			var weights []uint64
			var paths [][]int
			for range 300 {
				path := make([]int, random.IntN(4))
				for i := range path {
					path[i] = random.IntN(300)
				}
				units := 1 + random.Uint64N(1000)
				if !b.add(units, path) {
					t.Fatal("a node is refused")
				}
				weights, paths = append(weights, units), append(paths, path)
				if most := max(2, sizes.blocks) + 1; len(b.sums) > most || len(b.sums) > 3 && len(b.paths) > 2*sizes.bytes+32 {
					t.Fatalf("%+v: %d blocks, with %d bytes of paths", sizes, len(b.sums), len(b.paths))
				}
				for i := range b.sums {
					from, to := i*b.size, min((i+1)*b.size, len(weights))
					sum := uint64(0)
					for _, w := range weights[from:to] {
						sum += w
					}
					if got := b.start(i); b.weight(i) != sum || !slices.Equal(got, paths[from]) {
						t.Fatalf("%+v: block %d of nodes %d to %d weighs %d and begins at %v, not %d and %v", sizes, i, from, to, b.weight(i), got, sum, paths[from])
					}
				}
				if all := len(b.sums) * b.size; len(weights) > all || len(weights) <= all-b.size {
					t.Fatalf("%+v: %d blocks of %d for %d nodes", sizes, len(b.sums), b.size, len(weights))
				}
			}
		}
		for _, c := range []struct {
			before, units uint64
			ok            bool
		}{{1, 0, false}, {1, math.MaxInt64 - 1, true}, {1, math.MaxInt64, false}, {1 << 62, 1<<62 - 1, true}, {1 << 62, 1 << 62, false}, {5, math.MaxUint64, false}} {
			b.reset()
			if ok := b.add(c.before, nil) && b.add(c.units, nil); ok != c.ok {
				t.Errorf("%d and then %d units: %v", c.before, c.units, ok)
			}
		}
	}
}

// Blocks are joined when the first node of a new pair of blocks is added, if the number of blocks has
// reached its limit or the total length of the paths exceeds its limit.
func TestBlocksJoinAtTheirLimits(t *testing.T) {
	for limit := 2; limit <= 12; limit++ {
		for _, c := range []struct {
			sizes scale
			full  int // the number of blocks before blocks are joined
		}{
			{scale{block: 1, blocks: limit, bytes: 1 << 20}, limit + limit%2},
			{scale{block: 1, blocks: 1 << 20, bytes: limit}, limit + 2 - limit%2}, // each path has one byte
		} {
			b := blocks{scale: c.sizes}
			b.reset()
			for range c.full {
				if b.add(1, []int{1}); b.size != 1 {
					t.Fatalf("%+v: joined at %d blocks", c.sizes, len(b.sums))
				}
			}
			if b.add(1, []int{1}); b.size != 2 || len(b.sums) != c.full/2+1 {
				t.Errorf("%+v: %d blocks of %d nodes after %d nodes", c.sizes, len(b.sums), b.size, c.full+1)
			}
		}
	}
}

// wide is a walker at a node. It only knows the numbers of leaves of the children.
type wide struct {
	class.Walker[any]
	leaves []*big.Int
}

func (w wide) Children() int              { return len(w.leaves) }
func (w wide) ChildLeaves(i int) *big.Int { return new(big.Int).Set(w.leaves[i]) }
func (w wide) Leaves() *big.Int {
	total := new(big.Int)
	for _, n := range w.leaves {
		total.Add(total, n)
	}
	return total
}

// told are coins that return given integers and record the bounds with which they are called.
type told struct {
	noise.Coins
	below, of *big.Int
	sums      []uint64
}

func (c *told) Below(n *big.Int) *big.Int {
	c.of = new(big.Int).Set(n)
	return c.below // the caller must not change it
}

func (c *told) Pick(sums []uint64) int {
	c.sums = slices.Clone(sums)
	return 0
}

// A child is sampled with probability proportional to its number of leaves, even if this number exceeds
// 64 bits: each integer below the total number selects one leaf.
func TestChildByLeaves(t *testing.T) {
	big1 := new(big.Int).Lsh(big.NewInt(1), 70)
	leaves := []*big.Int{big.NewInt(3), big1, big.NewInt(1), new(big.Int).Sub(big1, big.NewInt(5)), big.NewInt(2)}
	coins := &told{}
	s := &sampler{coins: coins}
	s.w = wide{leaves: leaves}
	from := new(big.Int)
	for i, n := range leaves {
		last := new(big.Int).Sub(new(big.Int).Add(from, n), big.NewInt(1))
		for _, at := range []*big.Int{from, last} {
			coins.below = at
			if got := s.child(); got != i || coins.of.Cmp(s.w.Leaves()) != 0 {
				t.Errorf("of %v below %v child %d is drawn, not %d", at, coins.of, got, i)
			}
		}
		from = last.Add(last, big.NewInt(1))
	}
	s.w = wide{leaves: []*big.Int{big.NewInt(3), big.NewInt(1), big.NewInt(6)}}
	if s.child(); !slices.Equal(coins.sums, []uint64{3, 4, 10}) {
		t.Errorf("children of 3, 1 and 6 leaves have the sums %v", coins.sums)
	}
	s.w, coins.sums = wide{leaves: leaves[:1]}, nil
	if got := s.child(); got != 0 || coins.sums != nil {
		t.Errorf("an only child is drawn by %v", coins.sums)
	}
}

// units returns the least integer that is at least u/2^unit if it fits into 63 bits. log is approximate.
func TestUnits(t *testing.T) {
	random := rand.New(rand.NewPCG(43, 3))
	for range 3000 {
		u := class.Upper{Head: 1<<63 | random.Uint64(), Exponent: random.Int64N(400) - 200}
		if random.IntN(4) == 0 {
			u.Head = 1 << 63
		}
		shift := random.Int64N(73) - 2
		n, ok := units(u, u.Exponent+shift)
		if ok != (shift >= 1) {
			t.Fatalf("%+v at a unit of 2^%d more: %d, %v", u, shift, n, ok)
		}
		if least := new(big.Int).Lsh(new(big.Int).SetUint64(n-1), uint(max(shift, 0))); ok {
			enough := new(big.Int).Lsh(new(big.Int).SetUint64(n), uint(shift))
			if head := new(big.Int).SetUint64(u.Head); enough.Cmp(head) < 0 || least.Cmp(head) >= 0 {
				t.Fatalf("%+v at a unit of 2^%d more has %d units", u, shift, n)
			}
		}
		if exact := (math.Log2(float64(u.Head)) + float64(u.Exponent)) * (1 << 16); math.Abs(float64(log(u))-exact) > 1<<13 {
			t.Fatalf("log %+v is %d, not %.0f", u, log(u), exact)
		}
	}
}
