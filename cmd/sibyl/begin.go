package main

import (
	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// An intent holds the public facts of a release that is about to begin.
type intent struct {
	schema  *table.Schema
	epsilon privacy.Decimal
	data    *dataFlags
	inputs  []string // files to read other than the data
	outputs []string // files to write, one for each artefact
	force   bool     // whether existing outputs are replaced
}

// begin prepares a release: it prints warnings and hints, and checks that the inputs and outputs are usable. It
// returns the terms of the release. After the release, the caller must call end, which closes the account and the
// log, and removes unpublished drafts of files.
func (f *spendFlags) begin(cmd *cobra.Command, i intent) (t release.Terms, end func(), err error) {
	caution(cmd, i.epsilon)
	hintOfPersons(cmd, i.schema, nil)
	files, err := claimInputs(cmd, i.data, i.inputs...)
	if err != nil {
		return t, nil, err
	}
	drafts, err := publish.NewDrafts(cmd.Context(), files, i.force, publish.ForAll, i.outputs...)
	if err != nil {
		return t, nil, err
	}
	t, closed, err := f.terms(cmd, files)
	if err != nil {
		drafts.Discard()
		return t, nil, err
	}
	t.Publish = drafts.Publish
	return t, func() {
		closed()
		drafts.Discard()
	}, nil
}
