package table_test

import (
	"fmt"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// The rows held by two Builders with the same records take at most half of the estimate of Bytes,
// and those of many Builders little more than that.
func TestBytes(t *testing.T) {
	table.Limits(t, 1<<12, 1<<16, 1<<12)
	for _, size := range []int{1 << 10, 1<<15 + 1} {
		s := &table.Schema{}
		for j := range 5 {
			a := table.Attribute{Name: fmt.Sprint(j)}
			for c := range size {
				a.Values = append(a.Values, fmt.Sprint(c))
			}
			s.Attributes = append(s.Attributes, a)
		}
		for _, rows := range []int{1, 100, 3000, heavy.Pick(10_000, 100_000)} {
			told := s.Bytes(int64(rows)) - s.Bytes(0)
			for _, n := range []int{1, 2, 5, 16} {
				held := int64(0)
				for _, b := range s.Builders(n) {
					most := int64(0)
					for i := range rows {
						must(t, b.Add(table.Record{uint16(i % 1000), uint16(i / 1000), 0, 0, 0}, false, 1))
						most = max(most, table.Held(b))
					}
					held += most
				}
				if n > 2 && rows < 10_000 {
					continue
				}
				if 2*held > told+int64(n)<<12 {
					t.Errorf("%d rows of %d values, %d builders: %d bytes are held, %d told", rows, size, n, held, told)
				}
			}
		}
	}
}
