package source_test

import (
	"context"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
)

func TestAdult(t *testing.T) {
	for _, test := range []struct {
		schema, data string
		rows, nulls  int64
	}{
		{"adult/adult-7.toml", "adult/adult-balanced.data", 15682, 0},
		{"adult/adult-12.toml", "adult/adult-balanced.data", 15682, 0},
		{"adult/adult-12.toml", "adult/adult.data", 32561, 0},
		{"adult/adult-12.toml", "adult/adult.test", 16281, 0},
		{"adult-discrete/full.toml", "adult-discrete/adult.csv", 48842, 0},
		{"adult-discrete/binned.toml", "adult-discrete/adult.csv", 48842, 0},
	} {
		if !heavy.On() && test.rows < 20_000 && test.schema == "adult/adult-12.toml" {
			continue
		}
		s := census.Schema(t, test.schema)
		data := shareddata.Path(t, test.data)
		got, err := source.Read(context.Background(), data, s, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Rows() != test.rows || got.Nulls() != test.nulls {
			t.Errorf("%s: %d rows, %d null ones; want %d and %d", test.data, got.Rows(), got.Nulls(), test.rows, test.nulls)
		}
		byRow := table.NewBuilder(s.Sizes())
		err = source.Records(context.Background(), data, s, source.Options{}, func(r source.Row) error {
			if r.Null {
				return byRow.AddNull(1)
			}
			return byRow.Add(r.Record, r.Label, 1)
		})
		if err != nil {
			t.Fatal(err)
		}
		if !byRow.Table().Equal(got) {
			t.Errorf("%s: Records and Read differ", test.data)
		}
		t.Logf("%s by %s: %d distinct records", test.data, test.schema, got.Len())
	}
}
