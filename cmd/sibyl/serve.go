package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/web"
)

func newServe() *cobra.Command {
	var o web.Options
	noBrowser := false
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show pages in a browser on this machine for all steps from a table to a released model",
		Long: `Serve shows pages for all steps in a browser: name the data, make the schema, open a
privacy budget ledger, plan, release, and read the results. It does what the commands do,
and its files are ordinary files in a directory, which the commands can use too. Nothing
is uploaded, and no page makes a request to another machine.

The browser opens a file that only you can read, to sign in. The server prints its address
and the name of this file. It answers this machine only. It ends on Ctrl-C, or when nobody
has used it for the time of --idle.

  sibyl serve
  sibyl serve --directory study --listen 127.0.0.1:8484 --no-browser`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Out = cmd.OutOrStdout()
			if !noBrowser {
				o.Browse = web.Browse
			}
			err := web.Serve(cmd.Context(), o)
			if errors.Is(err, context.Canceled) && cmd.Context().Err() != nil {
				return nil // Ctrl-C is how the server ends
			}
			return err
		},
	}
	o.Directory = "."
	cmd.Flags().StringVar(&o.Listen, "listen", "127.0.0.1:0", "the network `address` of this machine on which the server listens; port 0 stands for any free port")
	cli.PathVar(cmd.Flags(), &o.Directory, "directory", "the `directory` that contains the schemas, privacy budget ledgers and released files")
	cmd.Flags().DurationVar(&o.Idle, "idle", web.UsualIdle, "end the server when nobody has used it for this `duration`")
	cmd.Flags().BoolVar(&noBrowser, "no-browser", false, "do not open a browser")
	return cmd
}
