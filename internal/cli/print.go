package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// Print prints a result on standard output. With the flag --json, it prints the given value as JSON;
// otherwise it calls the function text, which prints the result for human readers.
func Print(cmd *cobra.Command, value any, text func(w io.Writer) error) error {
	asJSON, err := cmd.Flags().GetBool("json")
	if err != nil {
		return err
	}
	if !asJSON {
		return text(cmd.OutOrStdout())
	}
	return Encode(cmd.OutOrStdout(), value)
}

// Encode writes a value as indented JSON.
func Encode(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// Note prints a message on standard error, in addition to the result of the command on standard output.
func Note(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintf(cmd.ErrOrStderr(), format+"\n", args...)
}
