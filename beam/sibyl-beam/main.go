// Command sibyl-beam does what reads tables of many files by Apache Beam: it counts them exactly, into a
// private file of counts that sibyl reads in place of the data, and learns by the mechanism
// prsma, each part where a worker is. By itself it runs in one process, by Beam's own runner prism;
// --runner names another.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/sibyl-dp/sibyl/beam/rows"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
)

// Exit codes, as sibyl has them.
const (
	exitUsage   = 1 // bad usage or input, nothing written
	exitNothing = 3 // nothing released after the data was read
	exitPartly  = 4 // released, but not all of it could be written or told

	exitInterrupted = 130
)

var errInterrupted = errors.New("interrupted; nothing was written")

// A command is one of what sibyl-beam does.
type command struct {
	name, usage, what string
	// flags defines the flags, given what stands between name and flags.
	flags func(word string) error
	run   func(context.Context) error
}

var commands = []command{countCommand, learnCommand}

// garbage is how much of it, in per cent of what is in use, waits to be collected, where GOGC does
// not say so: prism holds what is shuffled in this process, and several times over.
const garbage = 50

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	err := execute(os.Args[1:])
	if err == nil {
		return
	}
	fmt.Fprintf(os.Stderr, "sibyl-beam: %s\n", quote.Line(err.Error()))
	switch {
	case errors.Is(err, errInterrupted):
		os.Exit(exitInterrupted)
	case errors.As(err, new(publish.Partly)):
		os.Exit(exitPartly)
	case errors.As(err, new(release.Withheld)):
		os.Exit(exitNothing)
	}
	os.Exit(exitUsage)
}

// execute does what the arguments ask for.
func execute(args []string) error {
	c, args, err := commandOf(args)
	if err != nil {
		return err
	}
	flag.CommandLine.Init("sibyl-beam", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard)
	verbose := flag.Bool("verbose", false, "show what Beam logs, which may hold private data")
	word := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		word, args = args[0], args[1:]
	}
	if err := c.flags(word); err != nil {
		return err
	}
	switch err := flag.CommandLine.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Printf("sibyl-beam %s: %s\n\n", c.usage, c.what)
		flag.CommandLine.SetOutput(os.Stdout)
		flag.PrintDefaults()
		return nil
	case err != nil:
		return fmt.Errorf("%w; sibyl-beam %s --help lists the flags", err, c.name)
	}
	beam.Init() // which is all that a worker does
	if flag.NArg() > 0 {
		return errors.New("one of the arguments belongs to no flag; a --data pattern stands in quotes, so that it arrives as it is")
	}
	if !*verbose {
		beamlog.SetLogger(silent{})
		slog.SetDefault(slog.New(slog.DiscardHandler))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err = c.run(ctx); err != nil && ctx.Err() != nil && !errors.As(err, new(publish.Partly)) {
		return errInterrupted
	}
	return err
}

// commandOf returns the command that the arguments name, and the rest of them. Workers are
// started with flags alone.
func commandOf(args []string) (command, []string, error) {
	var usages []string
	for _, c := range commands {
		if len(args) > 0 && args[0] == c.name {
			return c, args[1:], nil
		}
		usages = append(usages, "sibyl-beam "+c.usage)
	}
	nothing := command{
		name: commands[0].name, usage: "COMMAND", what: strings.Join(usages, ", or "),
		flags: func(word string) error {
			if word != "" {
				return fmt.Errorf("%s is no command; it is %s", quote.Word(word), strings.Join(usages, ", or "))
			}
			return nil
		},
		run: func(context.Context) error {
			return fmt.Errorf("there is no command; it is %s", strings.Join(usages, ", or "))
		},
	}
	return nothing, args, nil
}

// silent is a logger of Beam that says nothing.
type silent struct{}

func (silent) Log(context.Context, beamlog.Severity, int, string) {}

// runPipeline runs a pipeline by the runner that is asked for.
func runPipeline(ctx context.Context, p *beam.Pipeline) error { return beamx.Run(ctx, p) }

// local are the runners whose workers are on this machine.
var local = []string{"", "direct", "prism"}

// reachable refuses paths of this machine where workers are elsewhere, by the names and values of
// their flags in turn.
func reachable(pairs ...string) error {
	runner, place := flagText("runner"), flagText("environment_type")
	if slices.Contains(local, strings.ToLower(runner)) || strings.EqualFold(place, "LOOPBACK") {
		return nil
	}
	for i := 0; i < len(pairs); i += 2 {
		if !rows.Elsewhere(pairs[i+1]) {
			return fmt.Errorf("--%s: the workers of --runner %s do not reach files of this machine; name some that they do, such as gs://bucket/name", pairs[i], quote.Word(runner))
		}
	}
	return nil
}

// flagText returns the value of a flag, empty where there is no such flag.
func flagText(name string) string {
	if f := flag.Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// ownDirectory has temporary files made in a directory that clean removes: Beam leaves some.
func ownDirectory() (directory string, clean func(), err error) {
	directory, err = os.MkdirTemp("", "sibyl-beam-")
	if err != nil {
		return "", nil, fmt.Errorf("no temporary files can be made; name a directory for them in TMPDIR: %w", publish.Inner(err))
	}
	return directory, func() { os.RemoveAll(directory) }, os.Setenv("TMPDIR", directory)
}

// dataFlags say which data is read.
type dataFlags struct{ data, schema string }

func (f *dataFlags) register() {
	flag.StringVar(&f.data, "data", "", "the data: CSV or Parquet files by a `pattern`, on disk or in a file system of Beam such as gs://bucket/rows-*.csv")
	flag.StringVar(&f.schema, "schema", "", "the schema, a TOML `file`")
}

// given refuses flags that are empty, by their names and values in turn.
func given(pairs ...string) error {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			return fmt.Errorf("--%s is not given", pairs[i])
		}
	}
	return nil
}
