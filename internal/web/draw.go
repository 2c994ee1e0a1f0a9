package web

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/synthetic"
)

// A sampledFile describes a file of synthetic rows that were sampled from a released model.
type sampledFile struct {
	File  string
	Rows  int
	Model string
}

// A samplingRequest describes rows to sample from a released model. Sampling reads only released files, so
// it consumes no privacy budget.
type samplingRequest struct {
	model *synthetic.Model
	where *synthetic.Question // the condition that rows must satisfy, or nil
	rows  int64               // the number of rows; 0 means the number that the model estimates
	seed  uint64
	out   string // the name of the file
}

// drawRows starts a job that samples rows and writes them to a new file in the directory.
func drawRows(q *request) error {
	name := q.form.Get("file")
	d, err := q.samplingRequest(name)
	if err != nil {
		return q.resultPage(name, err)
	}
	j := &job{ID: secret(), Title: "Draw more rows", Cancel: "Cancelling leaves no file."}
	started := q.start(j, func(ctx context.Context) outcome {
		n, err := q.draw(ctx, d)
		if err != nil {
			if ctx.Err() != nil {
				err = errors.New("the sampling was cancelled; no file was written")
			}
			return outcome{Err: inWords(err)}
		}
		return outcome{Content: sampledFile{d.out, n, name}}
	})
	if !started {
		return q.resultPage(name, errors.New("another release or check is running; wait until it has ended"))
	}
	return q.redirect("job?id=" + j.ID)
}

// samplingRequest reads the form for sampling rows from the model in the given file, and checks it.
func (q *request) samplingRequest(name string) (d samplingRequest, err error) {
	r, err := q.open(name)
	switch {
	case err != nil:
		return d, err
	case r.data == nil:
		return d, fmt.Errorf("%s is not a model of synthetic data", quote.Name(name))
	}
	d.model = r.data
	if text := strings.TrimSpace(q.form.Get("where")); text != "" {
		if d.where, err = synthetic.ParseQuestion(d.model.Layout.Flat, text); err != nil {
			return d, err
		}
	}
	if d.rows, err = rowsOf(q.form.Get("rows")); err != nil {
		return d, err
	}
	if d.rows > synthetic.MostRows {
		return d, fmt.Errorf("the number of rows must be at most %d", int64(synthetic.MostRows))
	}
	if text := strings.TrimSpace(q.form.Get("seed")); text != "" {
		if d.seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			return d, errors.New("the seed must be a whole number, at least 0")
		}
	}
	ending := ".csv"
	if out := strings.TrimSpace(q.form.Get("out")); strings.HasSuffix(out, ".parquet") {
		ending = ".parquet"
	}
	if d.out, err = q.free(q.form.Get("out"), ending); err != nil {
		return d, err
	}
	return d, d.model.Layout.Writable(d.out, d.model.Void)
}

// draw samples synthetic rows, writes them to the requested file, and returns their number.
func (s *Server) draw(ctx context.Context, d samplingRequest) (int, error) {
	options := synthetic.Drawing{Seed: d.seed, Threads: runtime.GOMAXPROCS(0)}
	if d.rows == 0 {
		var err error
		if d.rows, err = d.model.Expected(ctx, d.where, options); err != nil {
			return 0, err
		}
	}
	path, err := s.path(d.out)
	if err != nil {
		return 0, err
	}
	out, err := publish.NewDraft(ctx, &publish.Claims{}, path, false, publish.ForAll)
	if err != nil {
		return 0, onPage(err, d.out)
	}
	defer out.Discard()
	rows, err := d.model.DrawWhere(ctx, d.where, int(d.rows), options)
	if err != nil {
		return 0, err
	}
	if err := rows.Write(ctx, out, d.out, d.model.Void, nil); err != nil {
		return 0, fmt.Errorf("%s: the file could not be written: %w", quote.Name(d.out), publish.Inner(err))
	}
	return rows.Len(), out.Publish(ctx)
}
