package cli

import (
	"errors"

	"github.com/spf13/pflag"
)

// A PathFlag is the value of a flag that names a file or directory. It rejects the empty value, which a
// script passes if a variable is not set, and "-", which usually means a standard stream.
type PathFlag string

// PathVar defines a flag with a PathFlag as its value.
func PathVar(flags *pflag.FlagSet, path *string, name, usage string) {
	flags.Var((*PathFlag)(path), name, usage)
}

func (p *PathFlag) Set(path string) error {
	switch path {
	case "":
		return errors.New("the name of the file is empty")
	case "-":
		return errors.New("this is not the name of a file; for a file with the name -, write ./-")
	}
	*p = PathFlag(path)
	return nil
}

func (p *PathFlag) String() string { return string(*p) }

func (p *PathFlag) Type() string { return "file" }
