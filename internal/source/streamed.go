package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// counts returns an implementation of table.Counts for the file. This is a table in memory, or, if the goroutines
// that read the file would keep more than most distinct records in total, streamed counts, which read the file again
// for each query. Both give the same answers. Rows of persons always become a table, because which rows are used
// depends on all rows of a person.
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

// A streamed is a Parquet file that is read again for each query. The file stays open, so a file that replaces it
// under the same name has no effect. If the open file itself changes, queries fail.
//
// Each query has the same sensitivity on every state of the file, so the guarantee holds even if a change goes
// unnoticed. The check uses only the time of modification, because this time does not depend on private data.
type streamed struct {
	*parquetFile
	changed time.Time
}

// stamp stores the time of modification, or the zero time if the file has none because its content is in memory.
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

// read reads all rows once, as table.ReadRows describes, and checks that the file has not changed.
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
