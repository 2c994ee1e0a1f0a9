package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/table"
)

// TestProgress checks that prsma tells a bar how far it is, and that the bar
// leaves nothing; without a terminal there is nothing.
func TestProgress(t *testing.T) {
	s := schemaOf(t, pairsSchema)
	o, err := newOracle("search", s, plain)
	if err != nil {
		t.Fatal(err)
	}
	m, err := overOracles(t)["prsma cube "]("search", o)
	if err != nil {
		t.Fatal(err)
	}
	var screen bytes.Buffer
	for _, b := range []*bar{{w: &screen}, {}} {
		m.observe(&privateLog{}, b)
		people := []learn.Example[table.Record]{{X: table.Record{0, 0}, Label: true, Count: 900}, {X: table.Record{2, 1}, Count: 1100}}
		if _, err := m.Release(context.Background(), people, noise.Insecure(1)); err != nil {
			t.Fatal(err)
		}
		before := screen.String()
		if !strings.Contains(before, "PRIVATE: part 2 of 5, 1 passed") || !strings.Contains(before, " left") {
			t.Errorf("drawn: %q", before)
		}
		if b.erase(); b.w != nil && !strings.HasSuffix(screen.String(), "\r\x1b[K") {
			t.Error("the bar leaves something")
		}
	}
}
