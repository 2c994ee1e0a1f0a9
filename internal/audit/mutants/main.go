// Command mutants verifies that each line that affects privacy is tested. It reads lists, one TOML file per package. A
// list contains mutants: small changes that make a line wrong, each with the tests that must then fail. The command
// applies one change at a time, builds, runs the tests, and names the surviving mutants, with which no test fails.
//
//	go run ./internal/audit/mutants                    all mutants
//	go run ./internal/audit/mutants -run '^rspm'       those whose names match
//	go run ./internal/audit/mutants -sample 10         ten, selected by the date
//	go run ./internal/audit/mutants -sample 10 -by REV ten, selected by another word
//	go run ./internal/audit/mutants -auto [-file RE]   mutants of critical files that the command generates
//
// It must be run in the top directory of the checkout, and changes no file there. It exits with status 1 if a mutant
// survives, or if a list is wrong: if a mutant does not build, if the text to replace does not occur exactly once, or
// if tests fail without a mutant.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"
)

// lists is the directory of the lists of mutants, relative to the top of the repository.
const lists = "internal/audit/mutants"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, ".", lists, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run judges mutants of the lists in the directory lists, on the checkout in the directory root. The command-line
// arguments args select the mutants. run prints its report to out.
func run(ctx context.Context, root, lists string, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.SetOutput(out)
	named := flags.String("run", "", "judge only the mutants whose name or file the `regexp` matches")
	size := flags.Int("sample", 0, "judge only this `number` of mutants, a pseudorandom sample; 0 means all")
	by := flags.String("by", time.Now().Format(time.DateOnly), "any `word`, which determines the sample")
	auto := flags.Bool("auto", false, "judge mutants that the program generates, of the files that the lists in the directory automatic name; with -sample, those of one group of files")
	file := flags.String("file", "", "with -auto: judge only mutants of files whose names the `regexp` matches")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *auto {
		pattern, err := regexp.Compile(*file)
		if err != nil {
			return err
		}
		return automate(ctx, root, filepath.Join(lists, "automatic"), pattern, *size, *by, out)
	}
	pattern, err := regexp.Compile(*named)
	if err != nil {
		return err
	}
	all, err := read(lists)
	if err != nil {
		return err
	}
	chosen := matching(all, pattern)
	if *size > 0 && *size < len(chosen) {
		chosen = sample(chosen, *size, *by)
		fmt.Fprintf(out, "%d of %d mutants, chosen by %s\n", len(chosen), len(all), *by)
	}
	if len(chosen) == 0 {
		return errors.New("the lists contain no mutant whose name or file matches -run")
	}
	return judge(ctx, root, chosen, out)
}
