package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/source"
)

// toDisk flushes a file to the disk. Tests replace it to simulate a slow disk.
var toDisk = (*os.File).Sync

// claimInputs checks that standard output and standard error can be written, that the data can be read, unless
// it is nil, and that all these files and the files at the paths are distinct. The result records them, so that
// outputs cannot overwrite them.
func claimInputs(cmd *cobra.Command, data *dataFlags, paths ...string) (*publish.Claims, error) {
	type stream struct {
		name  string
		is    any
		write bool
	}
	streams := []stream{{"standard error", cmd.ErrOrStderr(), true}, {"standard output", cmd.OutOrStdout(), true}}
	if data != nil {
		if data.location == "-" {
			streams = append(streams, stream{"standard input", cmd.InOrStdin(), false})
		}
		paths = append(paths, source.Files(data.location)...)
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

// publishText writes the text to a public file, either completely or not at all. It replaces an existing file only
// if force is set.
func publishText(cmd *cobra.Command, files *publish.Claims, path string, force bool, text []byte) error {
	out, err := publish.NewDraft(cmd.Context(), files, path, force, publish.ForAll)
	if err != nil {
		return err
	}
	defer out.Discard()
	if _, err := out.Write(text); err != nil {
		return err
	}
	return out.Publish(cmd.Context())
}
