package profile

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/noisetest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newCategories(t testing.TB, columns, most int, rho *big.Rat, delta string, r privacy.Relation) *Categories {
	t.Helper()
	budget, err := privacy.NewZCDP(r, rho)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewCategories(columns, most, budget, privacytest.Decimal(t, delta))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The bound on the tail holds, and is close where tails are small.
func TestTail(t *testing.T) {
	for _, variance := range []int64{1, 2, 7, 50, 1000, 123456} {
		sigma := math.Sqrt(float64(variance))
		total := 0.0
		for k := -int64(40*sigma) - 1; k <= int64(40*sigma)+1; k++ {
			total += math.Exp(-float64(k) * float64(k) / 2 / float64(variance))
		}
		for _, at := range []float64{0, 0.3, 1, 2, 3, 5, 6, 7, 10} {
			from := int64(at*sigma) + 1
			sum := 0.0
			for k := from + int64(30*sigma) + 1; k >= from; k-- {
				sum += math.Exp(-float64(k) * float64(k) / 2 / float64(variance))
			}
			bound, _ := tail(big.NewInt(variance), from).Float64()
			if exact := sum / total; bound < exact*(1-1e-12) || at >= 2 && bound > 1.3*exact || at >= 5 && bound > 1.08*exact {
				t.Errorf("σ² = %d: P(Z ≥ %d) is %g, bounded by %g", variance, from, exact, bound)
			}
		}
		for _, x := range []int64{0, -5} {
			if tail(big.NewInt(variance), x).Cmp(big.NewRat(1, 1)) != 0 {
				t.Errorf("P(Z ≥ %d) is not bounded by 1", x)
			}
		}
	}
	if far := tail(big.NewInt(1), math.MaxInt64); far.Sign() <= 0 || far.Cmp(big.NewRat(1, math.MaxInt64)) > 0 {
		t.Error("the tail at the greatest number is not a small positive number")
	}
}

// A threshold is the least one for which the bound on the probability is at most δ. For persons with one row, the test
// computes the bound on P(Z ≥ T - 1) itself.
func TestThreshold(t *testing.T) {
	for _, c := range []struct {
		columns   int
		rho       *big.Rat
		delta     string
		r         privacy.Relation
		variance  string
		threshold int64
	}{
		{1, big.NewRat(1, 2), "1e-9", privacy.AddRemove, "1", 8},
		{1, big.NewRat(1, 50), "1e-9", privacy.AddRemove, "25", 32},
		{1, big.NewRat(1, 50), "1e-9", privacy.ReplaceOne, "50", 44},
		{4, big.NewRat(1, 50), "1e-9", privacy.AddRemove, "100", 64},
		{1, big.NewRat(1, 51), "1e-9", privacy.AddRemove, "26", 33}, // σ² = 25.5
	} {
		m := newCategories(t, c.columns, 5, c.rho, c.delta, c.r)
		if m.Variance().String() != c.variance || m.Threshold() != c.threshold {
			t.Errorf("%+v: σ² = %v, T = %d", c, m.Variance(), m.Threshold())
		}
		share := 1e-9 / float64(c.columns)
		at, _ := tail(m.variance, m.threshold-1).Float64()
		below, _ := tail(m.variance, m.threshold-2).Float64()
		if at > share || below <= share {
			t.Errorf("%+v: the bound is %g at T and %g below", c, at, below)
		}
	}
}

func TestPartitions(t *testing.T) {
	seen := map[string]bool{}
	partitions(5, 5, nil, func(parts []int) {
		sum := 0
		for _, n := range parts {
			sum += n
		}
		if sum != 5 || !slices.IsSortedFunc(parts, func(a, b int) int { return b - a }) {
			t.Errorf("%v", parts)
		}
		seen[fmt.Sprint(parts)] = true
	})
	if len(seen) != 7 {
		t.Errorf("%d partitions", len(seen))
	}
}

// A value of Kept rows is released with probability 0.95 or a little more.
func TestKept(t *testing.T) {
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne.OfPersons(3)} {
		m := newCategories(t, 1, 5, big.NewRat(1, 500), "1e-6", r)
		units := m.Kept() * m.weight
		released := 0
		const runs = 4000
		coins := noise.Insecure(1)
		for range runs {
			got, err := m.Release(context.Background(), []map[string]int64{{"a": units}}, coins)
			if err != nil {
				t.Fatal(err)
			}
			released += len(got[0])
		}
		if share := float64(released) / runs; share < 0.945 || share > 0.985 {
			t.Errorf("%v: %d rows are released with probability %g", r, m.Kept(), share)
		}
	}
}

// The values with the greatest noisy counts are released, sorted by name. Values with a count of 0 are never released.
func TestMost(t *testing.T) {
	m := newCategories(t, 2, 3, big.NewRat(1000, 1), "0.5", privacy.AddRemove)
	units := map[string]int64{"z": 500, "b": 400, "a": 100, "m": 300, "c": 200, "none": 0}
	got, err := m.Release(context.Background(), []map[string]int64{units, nil}, noise.Insecure(1))
	if err != nil || fmt.Sprint(got) != "[[b m z] []]" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := m.Release(context.Background(), nil, noise.Insecure(1)); err == nil {
		t.Error("a missing column is accepted")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Release(ctx, []map[string]int64{units, units}, noise.Insecure(1)); err == nil {
		t.Error("the release does not end")
	}
}

// Values with a count of 0 get no noise, so they are never released because of noise alone.
func TestNoUnits(t *testing.T) {
	m := newCategories(t, 1, 3, big.NewRat(1, 1000), "0.9", privacy.AddRemove)
	units := map[string]int64{}
	for i := range 200 {
		units[strconv.Itoa(i)] = 0
	}
	for seed := range uint64(20) {
		if got, err := m.Release(context.Background(), []map[string]int64{units}, noise.Insecure(seed)); err != nil || len(got[0]) > 0 {
			t.Errorf("%v, %v", got, err)
		}
	}
}

func TestNewCategories(t *testing.T) {
	small, _ := privacy.ParseDecimal("1e-9")
	one := zcdp(t, big.NewRat(1, 1))
	for _, c := range []struct {
		columns, most int
		budget        privacy.GaussianBudget
		delta         privacy.Decimal
	}{
		{0, 1, one, small}, {1, 0, one, small}, {1, 1001, one, small}, {1, 1, one, privacy.Decimal{}},
		{1, 1, zcdp(t, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 200))), small},
	} {
		if m, err := NewCategories(c.columns, c.most, c.budget, c.delta); err == nil {
			t.Errorf("%+v gives %+v", c, m)
		}
	}
}

// A release uses exactly the randomness that the proof describes.
func TestCategoriesTranscript(t *testing.T) {
	record := noisetest.Record(noise.Insecure(3))
	for _, c := range []struct {
		want    string
		rho     *big.Rat
		r       privacy.Relation
		columns []map[string]int64
	}{
		{"ρ = 1/50, add-remove, one column: σ² = 1/(2/50) = 25", big.NewRat(1, 50), privacy.AddRemove, []map[string]int64{{"b": 40, "a": 3, "c": 45}}},
		{"ρ = 1/50, replace, two columns: σ² = 2·2/(2/50) = 100", big.NewRat(1, 50), privacy.ReplaceOne, []map[string]int64{{"b": 100, "a": 3}, {"x": 70}}},
		{"ρ = 2, replace of persons of at most two rows, one column: σ² = 2·2²/4 = 2", big.NewRat(2, 1), privacy.ReplaceOne.OfPersons(2), []map[string]int64{{"b": 20, "a": 3}}},
	} {
		m := newCategories(t, len(c.columns), 5, c.rho, "1e-9", c.r)
		record.Note("%s; the threshold is %d", c.want, m.Threshold())
		released, err := m.Release(context.Background(), c.columns, record)
		if err != nil {
			t.Fatal(err)
		}
		record.Note("released %v\n", fmt.Sprint(released))
	}
	noisetest.Golden(t, "categories.txt", record.String())
}
