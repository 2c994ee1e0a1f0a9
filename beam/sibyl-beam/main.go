// Command sibyl-beam counts tables of many files exactly, by Apache Beam, into a private file of
// counts that sibyl reads in place of the data. By itself it runs in one process, by Beam's own
// runner prism; --runner names another.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/sibyl-dp/sibyl/beam/count"
	"github.com/sibyl-dp/sibyl/beam/rows"
	"github.com/sibyl-dp/sibyl/publish"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/release"
	"github.com/sibyl-dp/sibyl/source"
)

var (
	data    = flag.String("data", "", "the data: CSV or Parquet files by a `pattern`, on disk or in a file system of Beam such as gs://bucket/rows-*.csv")
	schema  = flag.String("schema", "", "the schema, a TOML `file`")
	order   = flag.Int("order", 2, "count up to so many `attributes` together, and the label with them")
	all     = flag.Bool("all", false, "count all attributes together: the distinct records")
	out     = flag.String("out", "", "the `file` for the counts, Parquet, which is as private as the data")
	force   = flag.Bool("force", false, "replace an existing file")
	verbose = flag.Bool("verbose", false, "show what Beam logs")
)

func main() {
	flag.Parse()
	beam.Init() // which is all that a worker does
	if !*verbose {
		beamlog.SetLogger(silent{})
		slog.SetDefault(slog.New(slog.DiscardHandler))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "sibyl-beam: %v\n", err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, "NOT PRIVATE: this is for the curator of the data alone.")
	fmt.Printf("%s: exact counts. It is as private as the data: delete it when it has served.\n", quote.Name(*out))
}

// silent is a logger of Beam that says nothing.
type silent struct{}

func (silent) Log(context.Context, beamlog.Severity, int, string) {}

// run counts.
func run(ctx context.Context) error {
	j, err := job(ctx)
	if err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	if err := j.Build(s); err != nil {
		return err
	}
	clean, err := ownDirectory()
	if err != nil {
		return err
	}
	defer clean()
	err = beamx.Run(ctx, p)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errors.New("interrupted; no file was written")
	}
	if said, ok := rows.Sentence(err); ok {
		return errors.New(said)
	}
	return fmt.Errorf("the pipeline failed, and no file was written: %w", err)
}

// ownDirectory has temporary files made in a directory that clean removes: Beam leaves some.
func ownDirectory() (clean func(), err error) {
	directory, err := os.MkdirTemp("", "sibyl-beam-")
	if err != nil {
		return nil, fmt.Errorf("no temporary files can be made; name a directory for them in TMPDIR: %w", publish.Inner(err))
	}
	return func() { os.RemoveAll(directory) }, os.Setenv("TMPDIR", directory)
}

// job reads the flags, and refuses what public facts tell is wrong.
func job(ctx context.Context) (j count.Job, err error) {
	if flag.NArg() > 0 {
		return j, errors.New("sibyl-beam takes flags only, and one of its arguments belongs to none; a --data pattern stands in quotes, so that it arrives as it is")
	}
	for _, f := range []struct{ name, value string }{{"data", *data}, {"schema", *schema}, {"out", *out}} {
		if f.value == "" {
			return j, fmt.Errorf("--%s is not given; see sibyl-beam --help", f.name)
		}
	}
	if j.Schema, err = release.ReadDomain(*schema); err != nil {
		return j, err
	}
	if *all {
		*order = len(j.Schema.Attributes)
	}
	if j.Lists, err = source.Lists(j.Schema, *order); err != nil {
		return j, err
	}
	if j.Files, err = rows.Files(ctx, *data); err != nil {
		return j, err
	}
	j.Out = *out
	return j, rows.Writable(ctx, *out, append(j.Files, *schema), *force)
}
