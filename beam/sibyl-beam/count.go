package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/sibyl-dp/sibyl/beam/count"
	"github.com/sibyl-dp/sibyl/beam/rows"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/source"
)

var countCommand = command{
	name: "count", usage: "count --data 'parts/*.csv' --schema S --out counts.parquet",
	what:  "writes exact counts of marginals to a file that sibyl reads in place of the data",
	flags: counting.register, run: counting.run,
}

var counting countFlags

type countFlags struct {
	dataFlags
	order      int
	all, force bool
	out        string
}

func (f *countFlags) register(word string) error {
	f.dataFlags.register()
	flag.IntVar(&f.order, "order", 2, "count all sets of up to this number of `attributes`, each together with the label")
	flag.BoolVar(&f.all, "all", false, "count all attributes together, that is the distinct records")
	flag.StringVar(&f.out, "out", "", "the Parquet `file` for the counts, which is as private as the data")
	flag.BoolVar(&f.force, "force", false, "replace an existing file")
	if word != "" {
		return fmt.Errorf("unexpected argument %s: count accepts only flags", quote.Word(word))
	}
	return nil
}

// run builds and executes the pipeline that counts the rows.
func (f *countFlags) run(ctx context.Context) error {
	j, err := f.job(ctx)
	if err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	if err := j.Build(s); err != nil {
		return err
	}
	_, clean, err := ownDirectory()
	if err != nil {
		return err
	}
	defer clean()
	if err := runPipeline(ctx, p); err != nil {
		if said, ok := rows.Sentence(err); ok {
			return errors.New(said)
		}
		return fmt.Errorf("the pipeline failed and wrote no file: %w", err)
	}
	if err := rows.There(ctx, f.out); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "NOT PRIVATE: only the curator of the data may read this output.")
	fmt.Printf("%s: exact counts. The file is as private as the data: delete it when you no longer need it.\n", quote.Name(f.out))
	return nil
}

// job returns the job that the flags describe. It reports all errors that do not depend on the data.
func (f *countFlags) job(ctx context.Context) (j count.Job, err error) {
	if err := given("data", f.data, "schema", f.schema, "out", f.out); err != nil {
		return j, err
	}
	if err := reachable("data", f.data, "out", f.out); err != nil {
		return j, err
	}
	if j.Schema, err = release.ReadDomain(f.schema); err != nil {
		return j, err
	}
	if f.all {
		f.order = len(j.Schema.Attributes)
	}
	if j.Lists, err = source.Lists(j.Schema, f.order); err != nil {
		return j, err
	}
	if j.Files, err = rows.Files(ctx, f.data); err != nil {
		return j, err
	}
	j.Out = f.out
	return j, rows.Writable(ctx, f.out, append(j.Files, f.schema), f.force)
}
