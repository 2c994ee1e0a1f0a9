package audit

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"reflect"

	"github.com/sibyl-dp/sibyl/noise"
)

// SamplerLaws caches the distributions of samplers of noise. Each distribution is enumerated once,
// and then used by all enumerations with the same options. It must not be used concurrently.
type SamplerLaws struct {
	laws     map[string]*samplerLaw // nil for a sampler that is being enumerated
	name     []byte                 // the key of the last sampler
	uniforms map[uint64][]kid
	coins    map[ratio][]kid
}

// A ratio identifies a biased coin in the cache. If exp is true, the coin shows 1 with probability
// e^{-n/d}; otherwise with probability n/d.
type ratio struct {
	exp  bool
	n, d uint64
}

// A samplerLaw is the distribution of a sampler of noise, represented as a single random choice
// among the values.
type samplerLaw struct {
	values []*big.Int
	kids   []kid // kids[i] is the outcome values[i]
}

// NewSamplerLaws returns an empty cache of the probability distributions of samplers.
func NewSamplerLaws() *SamplerLaws {
	return &SamplerLaws{laws: map[string]*samplerLaw{}, uniforms: map[uint64][]kid{}, coins: map[ratio][]kid{}}
}

// finer sets the accuracy with which the distribution of a sampler is enumerated: paths whose
// probability is below finer times Options.Floor are not followed. The tails that are lost in
// samplers are then negligible.
const finer = 0x1p-10

// of returns the distribution of a sampler. If it is not in the cache, of computes it by running the sampler on all
// sequences of random bits.
func (l *SamplerLaws) of(s noise.Sampler, o Options) (*samplerLaw, error) {
	l.name = appendName(l.name[:0], s, o.Floor)
	if law, ok := l.laws[string(l.name)]; ok {
		if law == nil {
			return nil, fmt.Errorf("audit: sampler %s passes itself to Draw, so its distribution cannot be enumerated", s)
		}
		return law, nil
	}
	name := string(l.name)
	l.laws[name] = nil
	fine := o
	fine.Floor *= finer
	fine.Laws = l
	law, err := Enumerate(func(c noise.Coins) string { return s.Sample(c).String() }, fine)
	if err != nil {
		delete(l.laws, name)
		return nil, fmt.Errorf("law of %s: %w", s, err)
	}
	out := new(samplerLaw)
	for i, text := range law.Outcomes() {
		v, _ := new(big.Int).SetString(text, 10)
		out.values = append(out.values, v)
		out.kids = append(out.kids, kid{int32(i), law.lower[text]})
	}
	l.laws[name] = out
	return out, nil
}

// appendName appends a name that identifies a sampler by its type and the values of its fields. It is called for every
// sample, even for replayed ones, so it must be fast and formats no numbers.
func appendName(name []byte, s noise.Sampler, floor float64) []byte {
	v := reflect.ValueOf(s)
	name = append(name, v.Type().String()...)
	name = binary.LittleEndian.AppendUint64(append(name, 0), math.Float64bits(floor))
	if v.Kind() != reflect.Struct {
		return fmt.Append(name, s)
	}
	number := func(x *big.Int) {
		name = binary.AppendVarint(name, int64(len(x.Bits())*x.Sign()))
		for _, word := range x.Bits() {
			name = binary.LittleEndian.AppendUint64(name, uint64(word))
		}
	}
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			return fmt.Append(name, s)
		}
		switch x := v.Field(i).Interface().(type) {
		case int:
			name = binary.AppendVarint(name, int64(x))
		case *big.Int:
			number(x)
		case *big.Rat:
			number(x.Num())
			number(x.Denom())
		default:
			return fmt.Append(name, s)
		}
	}
	return name
}

func (l *SamplerLaws) uniform(n uint64) []kid {
	kids := l.uniforms[n]
	if kids == nil {
		p := massOfRatio(big.NewInt(1), new(big.Int).SetUint64(n))
		for i := range n {
			kids = append(kids, kid{int32(i), p})
		}
		l.uniforms[n] = kids
	}
	return kids
}

func (l *SamplerLaws) bernoulli(p *big.Rat) []kid {
	return l.coin(false, p, func() []kid {
		n, d := p.Num(), p.Denom()
		return either(massOfRatio(n, d), massOfRatio(new(big.Int).Sub(d, n), d))
	})
}

func (l *SamplerLaws) bernoulliExp(x *big.Rat) []kid {
	return l.coin(true, x, func() []kid { return either(massesOfExp(x)) })
}

// coin returns the outcomes of a biased coin, which shows 1 with probability e^{-x} if exp is true,
// and with probability x otherwise. If the cache does not contain the outcomes, coin calls the
// function compute. They are stored in the cache only if the numerator and the denominator of x
// have at most 64 bits.
func (l *SamplerLaws) coin(exp bool, x *big.Rat, compute func() []kid) []kid {
	if !x.Num().IsUint64() || !x.Denom().IsUint64() {
		return compute()
	}
	key := ratio{exp, x.Num().Uint64(), x.Denom().Uint64()}
	kids := l.coins[key]
	if kids == nil {
		kids = compute()
		l.coins[key] = kids
	}
	return kids
}

// either returns the two outcomes of a coin, the more likely one first. The parameters are the
// probabilities of 1 (yes) and of 0 (no).
func either(yes, no mass) []kid {
	if yes.less(no) {
		return []kid{{0, no}, {1, yes}}
	}
	return []kid{{1, yes}, {0, no}}
}
