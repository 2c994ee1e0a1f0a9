package main

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/sibyl-dp/sibyl/internal/cli"
)

// A textFlag is the value of a flag that takes a text. It refuses an empty text, which a script passes if a
// variable is not set.
type textFlag string

var errEmpty = errors.New("the value must not be empty; leave the flag out")

// textVar defines a flag with a textFlag as its value.
func textVar(flags *pflag.FlagSet, text *string, name, usage string) {
	flags.Var((*textFlag)(text), name, usage)
}

func (t *textFlag) Set(text string) error {
	if text == "" {
		return errEmpty
	}
	*t = textFlag(text)
	return nil
}

func (t *textFlag) String() string { return string(*t) }

func (t *textFlag) Type() string { return "string" }

// A locationFlag is a cli.PathFlag for the location of data. It may also be "-", for standard input.
type locationFlag struct{ *cli.PathFlag }

func (l locationFlag) Set(location string) error {
	if location == "-" {
		*l.PathFlag = "-"
		return nil
	}
	return l.PathFlag.Set(location)
}

// A namesFlag is the value of a flag that takes a list of names, separated by commas. The flag may be given
// several times. It refuses an empty value.
type namesFlag []string

// namesVar defines a flag with a namesFlag as its value.
func namesVar(flags *pflag.FlagSet, names *[]string, name, usage string) {
	flags.Var((*namesFlag)(names), name, usage)
}

func (n *namesFlag) Set(text string) error {
	if text == "" {
		return errEmpty
	}
	r := csv.NewReader(strings.NewReader(text))
	names, err := r.Read()
	if err == io.EOF {
		return errEmpty
	}
	if err != nil {
		return err
	}
	if _, err := r.Read(); err != io.EOF {
		return errors.New("a name with a line break must be quoted")
	}
	*n = append(*n, names...)
	return nil
}

func (n *namesFlag) String() string { return strings.Join(*n, ",") }

func (n *namesFlag) Type() string { return "names" }
