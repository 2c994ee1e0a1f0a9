package cli

import (
	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/publish"
)

// Claim checks that standard output and standard error can be written, that standard input can be read if stdin is
// set, and that all these and the files at the paths are distinct. The result records them, so that outputs
// cannot overwrite them.
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
