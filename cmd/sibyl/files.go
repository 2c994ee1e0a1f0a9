package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/source"
)

// toDisk flushes a file to the disk. Tests replace it to simulate a slow disk.
var toDisk = (*os.File).Sync

// claimInputs records the inputs and the standard streams of a command, so that no output file can overwrite them
// (see cli.Claim). The inputs are the files at the given paths and, unless data is nil, the data.
func claimInputs(cmd *cobra.Command, data *dataFlags, paths ...string) (*publish.Claims, error) {
	if data == nil {
		return cli.Claim(cmd, false, paths...)
	}
	return cli.Claim(cmd, data.location == "-", append(paths, source.Files(data.location)...)...)
}

// publishText writes a text to a public file, either completely or not at all. It replaces an existing file only
// if force is true.
func publishText(cmd *cobra.Command, files *publish.Claims, path string, force bool, text []byte) error {
	return publishFile(cmd, files, path, force, publish.ForAll, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// publishFile writes a public file, either completely or not at all. The function write writes its text.
// publishFile replaces an existing file only if force is true. If the file cannot be created, it returns an error
// before it calls write.
func publishFile(cmd *cobra.Command, files *publish.Claims, path string, force bool, access publish.Access, write func(w io.Writer) error) error {
	out, err := publish.NewDraft(cmd.Context(), files, path, force, access)
	if err != nil {
		return err
	}
	defer out.Discard()
	if err := write(out); err != nil {
		return err
	}
	return out.Publish(cmd.Context())
}
