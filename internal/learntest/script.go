package learntest

import (
	"context"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/noisetest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Step is a release of a mechanism in a test, together with a description of the randomness that
// the release should use, which was derived by hand.
type Step struct {
	want    string
	release func(noise.Coins) (any, error)
}

// Script returns the Step for a release, where want describes the randomness that it should use.
func Script(want string, release func(noise.Coins) (any, error)) Step { return Step{want, release} }

// On returns a function for Script that runs the mechanism m once on the table d.
func On[D, T any](m privacy.Mechanism[D, T], d D) func(noise.Coins) (any, error) {
	return func(c noise.Coins) (any, error) { return m.Release(context.Background(), d, c) }
}

// Follow returns a function for Script that plays three rounds of learn.Leader with the learner m.
// Each round has four equal rows.
func Follow(m learn.Stable[Record, Card]) func(noise.Coins) (any, error) {
	return func(c noise.Coins) (any, error) {
		l := Must(learn.NewLeader(m, 4))
		var all []Card
		for range 3 {
			h, err := l.Next(context.Background(), c)
			if err != nil {
				return nil, err
			}
			all = append(all, h)
			if err := l.See(Examples{{X: Record{0}, Label: true, Count: 4}}); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
}

// Transcripts checks that each release uses exactly the randomness that its proof describes: the
// kind, order and scale of the random values, and their independence between coordinates and calls.
//
// It compares a record of the random values and of the released values with files, whose headings
// describe the expected randomness.
func Transcripts(t *testing.T, files map[string][]Step) {
	for file, scripts := range files {
		t.Run(file, func(t *testing.T) {
			record := noisetest.Record(noise.Insecure(1))
			for _, s := range scripts {
				record.Note("%s", s.want)
				released, err := s.release(record)
				if err != nil {
					t.Fatal(err)
				}
				record.Note("released %v\n", released)
			}
			noisetest.Golden(t, file+".txt", record.String())
		})
	}
}
