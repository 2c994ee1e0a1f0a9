// Command sibyl-beam processes tables in many files with Apache Beam. It has two commands:
//
//   - count writes exact counts of marginals to a private file, which sibyl reads instead of the data.
//   - learn releases a model by the mechanism prsma. Workers solve the parts into which prsma divides the table.
//
// The default runner is Beam's own runner prism, which runs in this process; --runner selects another runner.
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

// These constants are the exit codes of sibyl-beam, which are the same as those of sibyl.
const (
	exitUsage   = 1 // invalid usage or input; nothing was written
	exitNothing = 3 // nothing was released after the data was read
	exitPartly  = 4 // a model was released, but some output could not be written

	exitInterrupted = 130
)

var errInterrupted = errors.New("interrupted; nothing was written")

// A command is a subcommand of sibyl-beam.
type command struct {
	name, usage, what string
	// flags defines the flags. The argument word is what stands between the command and its flags, or "".
	flags func(word string) error
	run   func(context.Context) error
}

var commands = []command{countCommand, learnCommand}

// garbage is the default of the environment variable GOGC, which sets how much the heap grows between garbage
// collections. It is below Go's default of 100, because prism keeps several copies of shuffled data in this process.
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

// execute runs the subcommand that the command-line arguments name.
func execute(args []string) error {
	c, args, err := commandOf(args)
	if err != nil {
		return err
	}
	flag.CommandLine.Init("sibyl-beam", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard)
	verbose := flag.Bool("verbose", false, "print the logs of Beam, which may contain private data")
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
	beam.Init() // does not return in a worker process
	if flag.NArg() > 0 {
		return errors.New("an argument is not a flag; put the pattern of --data in quotes, so that the shell does not expand it")
	}
	if !*verbose {
		beamlog.SetLogger(silent{})
		slog.SetDefault(slog.New(slog.DiscardHandler))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	u := new(publish.Unfinished)
	if err = c.run(publish.With(ctx, u)); err != nil && ctx.Err() != nil && !errors.As(err, new(publish.Partly)) {
		return interrupted(u.Charged())
	}
	return err
}

// interrupted returns the error of a command that a signal ended. It says so if the command had already charged a
// ledger.
func interrupted(charged bool) error {
	if charged {
		return fmt.Errorf("%w, but %s", errInterrupted, release.Kept)
	}
	return errInterrupted
}

// commandOf returns the subcommand that the first argument names, and the remaining arguments.
//
// If the first argument names no subcommand, commandOf returns a subcommand that reports this error when it is run.
// The error must not come earlier: Beam starts worker processes of this program with flags only, and these processes
// end before a subcommand is run.
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
				return fmt.Errorf("unknown command %s; use %s", quote.Word(word), strings.Join(usages, ", or "))
			}
			return nil
		},
		run: func(context.Context) error {
			return fmt.Errorf("the command is missing; use %s", strings.Join(usages, ", or "))
		},
	}
	return nothing, args, nil
}

// silent is a logger for Beam that discards all messages.
type silent struct{}

func (silent) Log(context.Context, beamlog.Severity, int, string) {}

// runPipeline executes a pipeline with the runner that the flag --runner selects.
func runPipeline(ctx context.Context, p *beam.Pipeline) error { return beamx.Run(ctx, p) }

// local lists the values of --runner whose workers run on this machine.
var local = []string{"", "direct", "prism"}

// reachable returns an error if a flag names a file on this machine, but the workers run on other machines. The
// arguments are pairs of the name and the value of a flag.
func reachable(namesAndValues ...string) error {
	runner, place := flagText("runner"), flagText("environment_type")
	if slices.Contains(local, strings.ToLower(runner)) || strings.EqualFold(place, "LOOPBACK") {
		return nil
	}
	for i := 0; i < len(namesAndValues); i += 2 {
		if !rows.Elsewhere(namesAndValues[i+1]) {
			return fmt.Errorf("--%s: the workers of --runner %s cannot access files on this machine; name files that they can access, such as gs://bucket/name", namesAndValues[i], quote.Word(runner))
		}
	}
	return nil
}

// flagText returns the value of a flag, or an empty text if the flag is not defined.
func flagText(name string) string {
	if f := flag.Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// ownDirectory creates a directory for temporary files and sets TMPDIR to it. The function clean removes the
// directory, with the temporary files that Beam has left in it.
func ownDirectory() (directory string, clean func(), err error) {
	directory, err = os.MkdirTemp("", "sibyl-beam-")
	if err != nil {
		return "", nil, fmt.Errorf("temporary files cannot be created; set TMPDIR to a writable directory: %w", publish.Inner(err))
	}
	return directory, func() { os.RemoveAll(directory) }, os.Setenv("TMPDIR", directory)
}

// dataFlags are the flags for the data and its schema.
type dataFlags struct{ data, schema string }

func (f *dataFlags) register() {
	flag.StringVar(&f.data, "data", "", "the `pattern` of the data's CSV or Parquet files, on disk or in a file system of Beam, such as gs://bucket/rows-*.csv")
	flag.StringVar(&f.schema, "schema", "", "the schema, a TOML `file`")
}

// given returns an error if a required flag is empty. The arguments are pairs of the name and the value of a flag.
func given(namesAndValues ...string) error {
	for i := 0; i < len(namesAndValues); i += 2 {
		if namesAndValues[i+1] == "" {
			return fmt.Errorf("--%s is missing", namesAndValues[i])
		}
	}
	return nil
}
