package cli

import (
	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/publish"
)

// Claim returns a record of the files that a command uses, so that the command cannot write a file that it also
// reads. The record contains the files at the given paths, which the command reads, and its standard output and
// standard error. Standard input is included if stdin is true. Claim returns an error if standard output or standard
// error is one of the files that the command reads.
func Claim(cmd *cobra.Command, stdin bool, paths ...string) (*publish.Claims, error) {
	type stream struct {
		name  string
		is    any
		write bool
	}
	streams := []stream{{"standard error", cmd.ErrOrStderr(), true}, {"standard output", cmd.OutOrStdout(), true}}
	if stdin {
		streams = append(streams, stream{"standard input", cmd.InOrStdin(), false})
	}
	c := &publish.Claims{}
	for _, s := range streams {
		if err := c.Stream(s.name, s.is, s.write); err != nil {
			return nil, err
		}
	}
	for _, path := range paths {
		if err := c.Reads(path); err != nil {
			return nil, err
		}
	}
	return c, nil
}
