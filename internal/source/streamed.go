package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// counts returns an implementation of table.Counts for the Parquet file. It is normally a table in memory. If all
// goroutines together would keep more distinct records than the parameter most, it is a table.Streamed, which
// reads the file again for each query. Both give the same answers.
//
// If the schema has a Person, the result is always a table, because which rows of a person are used depends on all
// rows of this person, so queries cannot be answered batch by batch.
func (p *parquetFile) counts(ctx context.Context, most int) (table.Counts, error) {
	s := &streamed{parquetFile: p}
	if err := s.stamp(); err != nil {
		return nil, err
	}
	t, err := p.collapseUpTo(ctx, most)
	if !errors.Is(err, errManyRecords) {
		return t, err
	}
	p.meter = newMeter(p.meter.report, p.size)
	d, err := table.NewStreamed(ctx, p.schema, s.read)
	p.meter = newMeter(nil, p.size)
	return d, err
}

// A streamed is a Parquet file that stays open and is read again for each query. If another file replaces it under
// the same name, queries still read the open file. If the open file itself changes, queries fail.
//
// The file is considered unchanged if its time of modification is the same, because this time does not depend on
// private data. The privacy guarantee holds even if a change is missed, because the sensitivity of a query does
// not depend on the state of the file.
type streamed struct {
	*parquetFile
	changed time.Time
}

// stamp stores the time at which the file was last modified, or the zero time if the content of the file is in
// memory.
func (s *streamed) stamp() (err error) {
	s.changed, err = s.modified()
	return err
}

func (s *streamed) modified() (time.Time, error) {
	file, ok := s.file.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return time.Time{}, nil
	}
	info, err := file.Stat()
	if err != nil {
		return time.Time{}, Unreadable(s.name, err)
	}
	return info.ModTime(), nil
}

// read reads all rows once, as table.ReadRows describes. It returns an error if the file has changed since it was
// opened.
func (s *streamed) read(ctx context.Context, start func() func(columns [][]uint16)) error {
	err := s.eachGroup(ctx, s.workers(), func() func(context.Context, parquetGroup) error {
		visit := start()
		return func(ctx context.Context, g parquetGroup) error {
			return s.batches(ctx, g, func(columns [][]uint16, _ [][]byte) error {
				visit(columns)
				return nil
			})
		}
	})
	if err != nil {
		return err
	}
	now, err := s.modified()
	if err == nil && !now.Equal(s.changed) {
		err = fmt.Errorf("%s: the file changed while it was read; start again when no program writes to it", s.name)
	}
	return err
}
