package audit_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/synth"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A reconstruction game: the attributes of all persons are public, and each has a secret bit, which is the last column
// of the table. Every count of persons with the bit is a linear function of the bits.
const (
	reconstructed      = 16 // persons
	reconstructedSizes = 8  // values of each of three attributes
)

// publicAttributes returns the attributes of the persons, which are the same in every game.
func publicAttributes() (all [reconstructed][3]uint16) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range all {
		for j := range all[i] {
			all[i][j] = uint16(random.IntN(reconstructedSizes))
		}
	}
	return all
}

// linearReconstruction estimates the bits from the noisy counts of the bit and its contrasts with the attributes. It minimizes
// the squared errors in units of the noise, and the squared distance of each bit from ½ in units of its standard deviation.
func linearReconstruction(of *synth.Measured, public [reconstructed][3]uint16) []float64 {
	normal, right := mat.NewSymDense(reconstructed, nil), mat.NewVecDense(reconstructed, nil)
	equation := func(coefficients [reconstructed]float64, value, variance float64) {
		for i, a := range coefficients {
			for k := i; k < reconstructed; k++ {
				normal.SetSym(i, k, normal.At(i, k)+a*coefficients[k]/variance)
			}
			right.SetVec(i, right.AtVec(i)+a*value/variance)
		}
	}
	var every [reconstructed]float64
	for i := range every {
		var one [reconstructed]float64
		one[i], every[i] = 1, 1
		equation(one, .5, .25)
	}
	counts := of.Columns[3].Rows(of.Relation)
	variance, _ := of.Columns[3].Sigma2.Float64()
	equation(every, (counts[1]+reconstructed-counts[0])/2, variance/2)
	for _, p := range of.Pairs {
		a, b := p.Axes[0], p.Axes[1]
		if b.Column != 3 || b.Size != 2 {
			continue
		}
		contrasts, deviation := p.Rows(of.Relation), p.Deviation()
		for cell := range a.Size {
			// The contrast of the cell and the bit is n₁ - n/2 - N₁/r + N/2r, where n counts the persons of the cell, N all
			// persons, and n₁ and N₁ those with the bit.
			var coefficients [reconstructed]float64
			inside := 0.0
			for i, x := range public {
				if a.Cell(int(x[a.Column])) == cell {
					coefficients[i]++
					inside++
				}
				coefficients[i] -= 1 / float64(a.Size)
			}
			with, without := contrasts[2*cell+b.Cell(1)], contrasts[2*cell+b.Cell(0)]
			equation(coefficients, (with-without)/2+inside/2-reconstructed/(2*float64(a.Size)), deviation*deviation/2)
		}
	}
	var bits mat.VecDense
	var factors mat.Cholesky
	if !factors.Factorize(normal) || factors.SolveVecTo(&bits, right) != nil {
		return make([]float64, reconstructed)
	}
	return bits.RawVector().Data
}

// An attacker who knows all attributes reconstructs nearly all secret bits from exact one- and two-way counts. From
// the noisy counts of synthetic data at ε = 1, the attacker learns at most ε about the bit of a person, when the
// person's row is replaced.
func TestReconstruction(t *testing.T) {
	public, random := publicAttributes(), rand.New(rand.NewPCG(3, 4))
	var d synth.Domain
	for range 3 {
		d.Columns = append(d.Columns, synth.Column{Size: reconstructedSizes})
	}
	d.Columns = append(d.Columns, synth.Column{Size: 2})
	sizes := []int{reconstructedSizes, reconstructedSizes, reconstructedSizes, 2}
	rho, err := privacy.RhoWithin(privacytest.Decimal(t, "1"), privacytest.Decimal(t, "1e-6"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		rho   privacy.Decimal
		exact bool
	}{"ε = 1": {rho, false}, "almost exact": {privacytest.Decimal(t, "100000"), true}} {
		plan, err := synth.NewPlan(d, synth.Budget{Relation: privacy.ReplaceOne, Rho: c.rho, Pairwise: true})
		if err != nil {
			t.Fatal(err)
		}
		m, seed := synth.NewMechanism(plan, synth.Fitting{Options: loglinear.Options{}}), uint64(0)
		right, all := 0, 0
		// game returns the estimated bit of a random person, whose bit is given.
		game := func(bit uint16) func() float64 {
			return func() float64 {
				var bits [reconstructed]uint16
				for i := range bits {
					bits[i] = uint16(random.IntN(2))
				}
				target := random.IntN(reconstructed)
				bits[target] = bit
				b := table.NewBuilder(sizes)
				for i, x := range public {
					if err := b.Add(table.Record{x[0], x[1], x[2], bits[i]}, false, 1); err != nil {
						t.Fatal(err)
					}
				}
				seed++
				made, err := m.Release(context.Background(), b.Table(), noise.Insecure(seed))
				if err != nil {
					t.Fatal(err)
				}
				estimated := linearReconstruction(made.Measured, public)
				for i, x := range estimated {
					all++
					right += audittest.Bit(x > .5 == (bits[i] == 1))
				}
				return estimated[target]
			}
		}
		events := audit.AtLeast(func(x float64) float64 { return x }, 0, .25, .5, .75, 1)
		for _, event := range events {
			events = append(events, func(x float64) bool { return !event(x) })
		}
		draws := heavy.Pick(200, 5000)
		e := audit.Attack(game(1), game(0), events, draws, 1e-6, 1e-6)
		share := float64(right) / float64(all)
		t.Logf("%s: %.4f of the bits reconstructed, ε ≥ %.3f", name, share, e.Epsilon)
		if refuted := e.Epsilon > 1; refuted != c.exact {
			t.Errorf("%s: the attack proves ε ≥ %.3f, and 1 is claimed", name, e.Epsilon)
		}
		if c.exact && share < .95 {
			t.Errorf("%s: %.4f of the bits are reconstructed", name, share)
		}
	}
}
