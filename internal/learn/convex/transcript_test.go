package convex_test

import (
	"context"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/noisetest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Each step samples which rows it uses, equal rows independently, and adds noise to each column.
func TestDPSGDTranscript(t *testing.T) {
	f := features(t, convex.OneHot, 2)
	d := examples{{X: []uint16{0}, Count: 3}, {X: []uint16{1}, Label: true, Count: 2}}
	record := noisetest.Record(noise.Insecure(1))
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
		for _, share := range []string{"0.2", "1"} {
			o := convex.Descent{Share: decimal(t, share), Steps: 2, Clip: decimal(t, "0.3"), Rate: 1, Batch: 1, Grid: 10}
			m, err := convex.NewDPSGD(f, o, decimal(t, "1"), decimal(t, "1e-3"), r)
			if err != nil {
				t.Fatal(err)
			}
			record.Note("ε = 1, δ = 1/1000, %v, 2 steps of share %s, a bound of 3: σ² = %v", r, share, m.Sigma2())
			if _, err := m.Release(context.Background(), d, record); err != nil {
				t.Fatal(err)
			}
		}
	}
	noisetest.Golden(t, "dpsgd.txt", record.String())
}
