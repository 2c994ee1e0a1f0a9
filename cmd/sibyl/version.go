package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
)

// jsonVersion is the version of the JSON interface (docs/reference/json-interface.md). It increases if
// a key is removed or changes its meaning; new keys do not change it.
const jsonVersion = 1

// versions is the output of the command sibyl version with --json.
type versions struct {
	Version  string `json:"version"`
	JSON     int    `json:"json"` // the version of the JSON interface, jsonVersion
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"` // whether the sources were modified since the revision
	Go       string `json:"go"`
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version",
		Args:  cli.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return printVersions(cmd) },
	}
}

func printVersions(cmd *cobra.Command) error {
	v := readVersions()
	return cli.Print(cmd, v, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "sibyl %s (%s)\n", v.Version, v.Go)
		return err
	})
}

func readVersions() versions {
	v := versions{Version: "(unknown)", JSON: jsonVersion, Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Version = info.Main.Version
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
