package source_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/made"
)

// TestCodes builds a table from the codes of a file's rows, and compares it with Read's.
func TestCodes(t *testing.T) {
	inDirectory(t)
	ctx := context.Background()
	s := tabletest.Schema(t, made.People().Schema())
	if err := made.People().WriteParquet("people.parquet", 500); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("people.parquet")
	if err != nil {
		t.Fatal(err)
	}
	b := s.Builder()
	if err := source.Codes(ctx, "people.parquet", file, s, func(codes []uint16, _ []byte) error { return source.Enter(b, codes, 1) }); err != nil {
		t.Fatal(err)
	}
	want, err := source.Read(ctx, "people.parquet", s, source.Options{})
	if err != nil || !b.Table().Equal(want) {
		t.Errorf("another table: %v", err)
	}
	if _, err := file.Stat(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the file is left open: %v", err)
	}
	err = source.Codes(ctx, "some name", strings.NewReader("a\n1,2"), tabletest.Schema(t, "[[attribute]]\ncolumn = \"a\"\nvalues = [\"1\"]"), func([]uint16, []byte) error { return nil })
	if err == nil || err.Error() != "some name:2: the record has 2 fields instead of 1; remove the surplus fields, or quote the fields that contain the delimiter" {
		t.Errorf("got %v", err)
	}
}

// TestPersonsInParts counts persons in parts. The table does not depend on the order of parts and
// rows.
func TestPersonsInParts(t *testing.T) {
	ctx := context.Background()
	random := rand.New(rand.NewPCG(7, 8))
	s := staysOf(t, 3)
	rows := append(stays(60, random), stay{"", "a", "7", "yes"}) // the last row has no person
	const parts = 4
	all := make([]*source.Persons, parts)
	for i := range all {
		all[i] = source.NewPersons(s)
		defer all[i].Close()
	}
	err := source.Codes(ctx, "stays", strings.NewReader(csvOf(rows)), s, func(codes []uint16, person []byte) error {
		return all[len(person)%parts].Add(person, codes)
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(all)
	b := s.Builder()
	for _, p := range all {
		if err := p.Enter(ctx, b); err != nil {
			t.Fatal(err)
		}
	}
	if !b.Table().Equal(readStays(t, s, rows)) {
		t.Error("another table")
	}
}
