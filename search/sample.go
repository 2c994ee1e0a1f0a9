package search

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"runtime"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
)

// Sample draws a hypothesis q with probability proportional to e^{-λ·c(q)},
// exactly: the exponential mechanism over the whole tree. It returns an error
// only when the context ends, and then nothing was drawn.
//
// Method: adaptive rejection, proved in docs/explanation/proofs/adaptive-rejection.md. A
// frontier partitions the class into nodes v with N(v) leaves and bound L(v).
// A round draws v with probability proportional to an integer weight that is
// at least N(v)·e^{-λL(v)}, then a uniform leaf q below it, and accepts q with
// the probability e^{-λc(q)}·N(v) over the weight. Whatever the frontier, an
// accepted q has the wanted law; after some rejections the frontier is refined
// and the rounds go on. There is no budget: only the running time depends on
// the costs. No floating point takes part.
//
// λ must be positive. Cost: section 8 of that page bounds the expected number
// of nodes walked by the table's profile of costs: how many nodes look as good,
// for their size, as all hypotheses together are. It is small where all
// cost nearly the same, as on an empty table, and never more than some multiple
// of the whole tree, whatever the ratio of the sizes of its nodes. Memory is
// bounded.
//
// Of a tree that is class.Shared, frontiers are walked on as many threads as there are
// processors. What is drawn, and by which coins, does not depend on their number.
func Sample[H any](ctx context.Context, t class.Tree[H], lambda *big.Rat, coins noise.Coins) (H, error) {
	h, _, err := SampleEffort(ctx, t, lambda, coins)
	return h, err
}

// Effort is what a draw cost: a private diagnostic.
type Effort struct {
	Passes, Nodes, Rounds int64
	Descents              int64 // of the rounds: on nodes with a mass
}

// SampleEffort is Sample, and also tells what the draw cost, which is private.
func SampleEffort[H any](ctx context.Context, t class.Tree[H], lambda *big.Rat, coins noise.Coins) (h H, e Effort, err error) {
	sizes := usual
	sizes.threads = runtime.GOMAXPROCS(0)
	return sample(ctx, t, lambda, coins, sizes)
}

// A scale holds the sizes at which a sampler changes what it does. They bear on
// time and memory only.
type scale struct {
	block  int   // nodes of a block, before blocks are joined
	blocks int   // from how many on they are joined
	bytes  int   // from what length of their paths on they are joined
	steps  int64 // allowed to the first frontier at least
	round  int64 // steps of a frontier that are worth a round on it
	batch  int64 // rounds made at a time at first, and then twice as many each time

	threads int // at most
	stretch int // nodes that are worth a task of a thread
}

// Walking 16 nodes costs about as much as walking down to them.
var usual = scale{block: 16, blocks: 1 << 20, bytes: 1 << 26, steps: 64, round: 96, batch: 1, stretch: 1 << 10}

func sample[H any](ctx context.Context, t class.Tree[H], lambda *big.Rat, coins noise.Coins, sizes scale) (h H, e Effort, err error) {
	sizes.threads = int(min(int64(sizes.threads), 1+moreWalkers/max(1, class.WalkerBytes(t))))
	s := &sampler[H]{
		frontier: newFrontier(t, lambda, sizes),
		coins:    coins, lambda: lambda, ceiling: t.Ceiling(),
	}
	if s.w.Exact() {
		h, _ = s.descend(math.MaxInt64)
		return h, e, nil
	}
	pace, err := s.coarsest(ctx, sizes.steps)
	start := noise.Mark(coins)
	for frontiers := uint64(1); err == nil; {
		noise.Forget(coins, start, "search", frontiers)
		e.Passes++
		e.Nodes += s.steps
		s.work = 0
		left := 1 + pace.most/sizes.round
		for n := sizes.batch; left > 0 && s.work <= pace.most; n *= 2 {
			n = min(n, left, mostBatch)
			left -= n
			e.Rounds += n
			var ok bool
			h, ok, err = s.rounds(ctx, int(n))
			e.Descents = s.descents
			if ok || err != nil {
				return h, e, err
			}
		}
		if s.open == 0 { // every weight is exact
			err = ctx.Err()
			continue
		}
		frontiers++
		err = s.refine(ctx, &pace)
	}
	return h, e, err
}

type sampler[H any] struct {
	frontier[H]
	coins   noise.Coins
	lambda  *big.Rat
	ceiling int64
	work    int64 // of the rounds on a frontier, in steps

	descents int64 // rounds on nodes with a mass
}

// moreWalkers is how much memory, in bytes, the walkers of all threads but one may take.
const moreWalkers = 1 << 26

// mostBatch bounds the memory that a batch of rounds takes.
const mostBatch = 1 << 20

// descentSteps is what a round on a node with a mass counts, in steps.
const descentSteps = 32

// childrenPerStep is how many children are chosen from at the cost of a step.
const childrenPerStep = 8

// A draw is a round with the block that it drew.
type draw struct{ block, number int }

// rounds makes n independent draws from the frontier, in the order in which
// they lie in the tree, and returns the first of them that is accepted.
func (s *sampler[H]) rounds(ctx context.Context, n int) (h H, ok bool, err error) {
	draws := make([]draw, n)
	for i := range draws {
		draws[i] = draw{s.coins.Pick(s.blocks.sums), i}
	}
	slices.SortFunc(draws, func(a, b draw) int {
		return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.number, b.number))
	})
	var ahead map[int]row // of the blocks to come
	first := n
	for i, d := range draws {
		if err := ctx.Err(); err != nil {
			var none H // an accepted h may not be the first yet
			return none, false, err
		}
		if d.number > first {
			continue
		}
		if _, walked := ahead[d.block]; !walked {
			if ahead, err = s.rowsOf(ctx, draws[i:], first); err != nil {
				var none H
				return none, false, err
			}
		}
		block := ahead[d.block]
		at := s.coins.Pick(block.sums)
		q, accepted, err := s.round(ctx, s.pathTo(d.block, block.nodes[:at+1]), block.nodes[at])
		if err != nil {
			var none H
			return none, false, err
		}
		if accepted {
			h, first = q, d.number
		}
	}
	return h, first < n, nil
}

// rowsOf returns the rows of the first of the draws, and of as many more as there are scouts
// for, but of none whose number is above first.
func (s *sampler[H]) rowsOf(ctx context.Context, draws []draw, first int) (map[int]row, error) {
	most := 1
	if len(s.others) > 0 {
		most = rowsAhead * (1 + len(s.others))
	}
	var blocks []int
	for _, d := range draws {
		if len(blocks) > 0 && d.block == blocks[len(blocks)-1] || d.number > first {
			continue
		}
		if len(blocks) == most {
			break
		}
		blocks = append(blocks, d.block)
	}
	rows, err := s.rows(ctx, blocks)
	out := map[int]row{}
	for i, b := range blocks {
		out[b] = rows[i]
	}
	return out, err
}

// round draws a hypothesis of the node at the path, through its mass if it has one and
// otherwise a uniform leaf, and reports whether it is accepted.
func (s *sampler[H]) round(ctx context.Context, path []int, node place) (h H, ok bool, err error) {
	if node.massed {
		s.descents++
		s.work += descentSteps
		h, ratio, cost, err := descend(ctx, s.massAt(path), s.coins)
		return h, err == nil && s.settle(node, ratio, cost), err
	}
	s.seek(path)
	leaves := s.w.Leaves()
	room := s.coins.Draw(noise.TruncatedGeometric{X: s.lambda, Cap: uint64(s.ceiling - node.bound)})
	h, ok = s.descend(node.bound + room.Int64())
	return h, ok && s.settle(node, new(big.Rat).SetInt(leaves), node.bound), nil
}

// descend draws a uniform leaf below the walker's node and returns its
// hypothesis, unless its cost exceeds limit, which the bounds may tell early.
// The walker is left where it was.
//
// A limit of L + K, K geometric with ratio e^{-λ}, is exceeded by a cost c ≥ L
// with probability 1 - e^{-λ(c-L)}.
func (s *sampler[H]) descend(limit int64) (h H, ok bool) {
	if s.w.Bound() > limit {
		return h, false
	}
	if s.w.Children() == 0 {
		return s.w.Hypothesis(), true
	}
	if _, entered := s.w.Down(s.child(), limit); !entered {
		return h, false
	}
	defer s.w.Up()
	return s.descend(limit)
}

// child draws a child of the walker's node in proportion to its leaves.
func (s *sampler[H]) child() int {
	n := s.w.Children()
	s.work += int64(1 + n/childrenPerStep)
	if n == 1 {
		return 0
	}
	total := s.w.Leaves()
	if total.IsUint64() {
		sums := make([]uint64, n)
		sum := uint64(0)
		for i := range sums {
			sum += s.w.ChildLeaves(i).Uint64()
			sums[i] = sum
		}
		return s.coins.Pick(sums)
	}
	rest := new(big.Int).Set(s.coins.Below(total))
	i := 0
	for part := s.w.ChildLeaves(i); rest.Cmp(part) >= 0; part = s.w.ChildLeaves(i) {
		rest.Sub(rest, part)
		i++
	}
	return i
}

// settle accepts with the probability ratio·e^{-λ(cost-ref)} over the node's integer
// weight. The ratio is N for a uniform leaf below a node of the bound cost, and
// prior/π for a hypothesis that a descent reached with probability π.
func (s *sampler[H]) settle(node place, ratio *big.Rat, cost int64) bool {
	weight := new(big.Int).SetUint64(node.units)
	inverse := new(big.Rat)
	if s.unit >= 0 {
		inverse.SetFrac(big.NewInt(1), weight.Lsh(weight, uint(s.unit)))
	} else {
		inverse.SetFrac(new(big.Int).Lsh(big.NewInt(1), uint(-s.unit)), weight)
	}
	x := new(big.Rat).SetInt64(cost - s.ref)
	return s.coins.BernoulliScaledExp(inverse.Mul(inverse, ratio), x.Mul(x, s.lambda))
}
