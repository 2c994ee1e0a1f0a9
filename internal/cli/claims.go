package cli

import (
	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/publish"
)

// Claim prepares a command that writes files. It checks that standard output and standard error can be written,
// and that standard input can be read if stdin is set. It also checks that no two of these streams and of the
// files at the paths are the same file. The result records all of them, so that outputs cannot overwrite them.
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
