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

// Sample returns a hypothesis q with probability exactly proportional to e^{-λ·c(q)}. This is the
// exponential mechanism over the whole tree. It fails only with the context's error. λ must be
// positive.
//
// Method: adaptive rejection, proved in docs/explanation/proofs/adaptive-rejection.md. A frontier
// partitions the class into nodes v with N(v) leaves and bound L(v). Each round has three steps:
//
//  1. It samples a node v with probability proportional to an integer weight of at least
//     N(v)·e^{-λL(v)}.
//  2. It samples a leaf q below v uniformly.
//  3. It accepts q with probability N(v)·e^{-λc(q)} divided by the weight of v.
//
// For every frontier, an accepted q has the required distribution. After some rejected rounds, the
// frontier is refined and the rounds continue. There is no limit on the work: only the running time
// depends on the costs. The computation uses no floating point.
//
// Time: section 8 of that page bounds the expected number of visited nodes. This number is small if
// all hypotheses have nearly the same cost, as on an empty table. It is never more than a constant
// multiple of the number of nodes of the whole tree. Memory is bounded.
//
// If the tree is class.Shared, frontiers are computed on up to GOMAXPROCS threads. The result and
// the consumed random bits do not depend on the number of threads.
func Sample[H any](ctx context.Context, t class.Tree[H], lambda *big.Rat, coins noise.Coins) (H, error) {
	h, _, err := SampleEffort(ctx, t, lambda, coins)
	return h, err
}

// Effort is the work that a sample took. It depends on the data, so it is private.
type Effort struct {
	Passes, Nodes, Rounds int64 // numbers of frontiers, visited nodes and rounds
	Descents              int64 // number of rounds on nodes with a class.Mass
}

// SampleEffort samples like Sample. It also returns the work of the search, which depends on the
// data and is private.
func SampleEffort[H any](ctx context.Context, t class.Tree[H], lambda *big.Rat, coins noise.Coins) (h H, e Effort, err error) {
	sizes := usual
	sizes.threads = runtime.GOMAXPROCS(0)
	q, e, err := sample(ctx, erase(t), lambda, coins, sizes)
	h, _ = q.(H)
	return h, e, err
}

// erase returns the tree t with hypotheses of type any, so that the code that samples need not be
// generic. The compiler would compile generic code again in each package that uses a mechanism.
func erase[H any](t class.Tree[H]) class.Tree[any] {
	if same, ok := t.(class.Tree[any]); ok {
		return same
	}
	return class.MapTree(t, func(h H) any { return h })
}

// A scale holds the parameters of a sampler that affect only its time and memory.
type scale struct {
	block  int   // number of nodes of a block before blocks are joined
	blocks int   // number of blocks at which pairs of them are joined
	bytes  int   // total length of the paths, in bytes, at which pairs of blocks are joined
	steps  int64 // minimum number of steps that the first frontier may take
	round  int64 // number of allowed steps of a frontier for each round on it
	batch  int64 // number of rounds of the first batch; each further batch has twice as many

	threads int // maximum number of threads
	segment int // minimum number of nodes for a task of a thread
}

// usual is the scale that Sample uses. Blocks have 16 nodes because a walk over 16 nodes takes
// about as long as moving the walker to the first of them.
var usual = scale{block: 16, blocks: 1 << 20, bytes: 1 << 26, steps: 64, round: 96, batch: 1, segment: 1 << 10}

func sample(ctx context.Context, t class.Tree[any], lambda *big.Rat, coins noise.Coins, sizes scale) (h any, e Effort, err error) {
	sizes.threads = int(min(int64(sizes.threads), 1+moreWalkers/max(1, class.WalkerBytes(t))))
	s := &sampler{
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

type sampler struct {
	frontier
	coins   noise.Coins
	lambda  *big.Rat
	ceiling int64
	work    int64 // steps of the rounds on the current frontier

	descents int64 // number of rounds on nodes with a mass
}

// moreWalkers limits the number of threads by their memory: all walkers except the first may
// together take at most this number of bytes.
const moreWalkers = 1 << 26

// mostBatch is the maximum number of rounds in a batch, which bounds memory.
const mostBatch = 1 << 20

// descentSteps estimates the time of a round that samples from a mass (see class.Mass), in steps of
// a walk.
const descentSteps = 32

// childrenPerStep estimates the time to sample one child of a node: adding up the leaf counts of
// childrenPerStep children takes as long as one step of a walk.
const childrenPerStep = 8

// A draw records which block of nodes a sampling round selected, and the number of this round.
type draw struct{ block, number int }

// sortDraws sorts draws by block, and draws of the same block by number.
func sortDraws(draws []draw) {
	slices.SortFunc(draws, func(a, b draw) int {
		return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.number, b.number))
	})
}

// rounds executes n independent rounds of rejection sampling, and returns the hypothesis of the
// first round that accepts one. It evaluates the rounds in the order of the selected blocks, so
// that each block is computed only once.
func (s *sampler) rounds(ctx context.Context, n int) (h any, ok bool, err error) {
	draws := make([]draw, n)
	for i := range draws {
		draws[i] = draw{s.coins.Pick(s.blocks.sums), i}
	}
	sortDraws(draws)
	var ahead map[int]row // rows of the next blocks
	first := n
	for i, d := range draws {
		if err := ctx.Err(); err != nil {
			return nil, false, err // not h: an earlier round may still accept
		}
		if d.number > first {
			continue
		}
		if _, walked := ahead[d.block]; !walked {
			if ahead, err = s.rowsOf(ctx, draws[i:], first); err != nil {
				return nil, false, err
			}
		}
		block := ahead[d.block]
		at := s.coins.Pick(block.sums)
		q, accepted, err := s.round(ctx, s.pathTo(d.block, block.nodes[:at+1]), block.nodes[at])
		if err != nil {
			return nil, false, err
		}
		if accepted {
			h, first = q, d.number
		}
	}
	return h, first < n, nil
}

// rowsOf computes the nodes of the blocks that come first in draws, for as many blocks as the
// frontier walkers compute at a time. The result maps a block to its row. The parameter first is
// the number of the first round that is known to accept; later rounds are not needed, so rowsOf
// omits their draws.
func (s *sampler) rowsOf(ctx context.Context, draws []draw, first int) (map[int]row, error) {
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

// round executes one round of rejection sampling at the node with the given path. It samples a
// hypothesis below the node: from the node's mass if it has one, and otherwise uniformly. The
// result ok reports whether the hypothesis is accepted.
func (s *sampler) round(ctx context.Context, path []int, node place) (h any, ok bool, err error) {
	if node.hasMass {
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

// descend samples a leaf below the walker's node uniformly. It returns the hypothesis of the leaf
// if the cost is at most the limit; otherwise ok is false. It stops early if a bound exceeds the
// limit. Afterwards the walker is at the same node as before.
//
// The method round calls descend with the limit L + K. Here L is the bound of the node, and K is a
// random number with a geometric distribution of ratio e^{-λ}. So a sampled leaf of cost c ≥ L is
// returned with probability e^{-λ(c-L)}.
func (s *sampler) descend(limit int64) (h any, ok bool) {
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

// child samples a child of the walker's node with probability proportional to its number of leaves.
func (s *sampler) child() int {
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

// settle decides at the end of a round whether the sampled hypothesis is accepted. It accepts with
// probability ratio·e^{-λ(cost-ref)} divided by the node's integer weight. The parameters ratio and
// cost depend on how the hypothesis was sampled:
//
//   - If a leaf was sampled uniformly, ratio is the number of leaves below the node, and cost is
//     the node's bound.
//   - If a descent reached a hypothesis with probability π, ratio is its prior divided by π, and
//     cost is its cost.
func (s *sampler) settle(node place, ratio *big.Rat, cost int64) bool {
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
