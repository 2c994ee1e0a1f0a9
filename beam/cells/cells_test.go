package cells

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// TestMergeTooMany checks that Merge returns an error if a sum is too large.
func TestMergeTooMany(t *testing.T) {
	many := Append(Begin(2), []byte{0, 1}, 1<<62)
	sum, err := Merge(many, Append(Begin(2), []byte{0, 1}, 1<<62-1))
	if err != nil {
		t.Fatal(err)
	}
	if c := NewCursor(sum); c.Units != 1<<63-1 {
		t.Errorf("%d units", c.Units)
	}
	if _, err := Merge(many, many); err == nil {
		t.Error("the sum wraps")
	}
}

// TestPacking checks that Unpack is the inverse of Append, and that keys have the same order as codes.
func TestPacking(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		text, sizes := "[label]\ncolumn = \"y\"\nvalues = [\"0\", \"1\", \"2\"]\n", []int{}
		var list []int
		for j := range 1 + random.IntN(6) {
			size := 1 + random.IntN(1<<random.IntN(10))
			var values []string
			for v := range size {
				values = append(values, fmt.Sprintf("%q", fmt.Sprint(v)))
			}
			text += fmt.Sprintf("[[attribute]]\ncolumn = \"a%d\"\nvalues = [%s]\n", j, strings.Join(values, ", "))
			sizes, list = append(sizes, size), append(list, j)
		}
		s := tabletest.Schema(t, text)
		p := NewPacking(s, list)
		var before []uint16
		var beforeKey []byte
		for range 50 {
			all := make([]uint16, len(list)+1)
			for j, size := range append(sizes, 3) {
				all[j] = uint16(random.IntN(size))
			}
			last := len(list)
			key := p.Append(nil, all[:last], int(all[last]))
			codes := make([]uint16, last)
			outcome := p.Unpack(key, codes)
			if len(key) != p.Len() || !slices.Equal(codes, all[:last]) || outcome != int(all[last]) {
				t.Fatalf("%v of sizes %v: %v, %d of %d bytes", all, sizes, codes, outcome, len(key))
			}
			if before != nil && bytes.Compare(beforeKey, key) != slices.Compare(before, all) {
				t.Fatalf("%v and %v are in another order as keys", before, all)
			}
			before, beforeKey = all, key
		}
	}
}
