package main

import (
	"context"

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
	force   bool     // replace existing outputs
}

// begin prints the cautions and hints that precede the release, and checks that its inputs and
// outputs are usable. It returns the terms of the release and a function that must be called at
// the end; this function closes the account and the log and removes unpublished drafts.
func (f *spendFlags) begin(cmd *cobra.Command, i intent) (t release.Terms, end func(), err error) {
	caution(cmd, i.epsilon)
	hintOfPersons(cmd, i.schema, nil)
	files, err := claimInputs(cmd, i.data, i.inputs...)
	if err != nil {
		return t, nil, err
	}
	drafts, err := newDrafts(cmd.Context(), files, i.force, i.outputs...)
	if err != nil {
		return t, nil, err
	}
	t, closed, err := f.terms(cmd, files)
	if err != nil {
		discard(drafts)
		return t, nil, err
	}
	t.Publish = publishing(drafts...)
	return t, func() {
		closed()
		discard(drafts)
	}, nil
}

// newDrafts creates a draft of each path, for files that are public.
func newDrafts(ctx context.Context, files *publish.Claims, force bool, paths ...string) (drafts []*publish.Draft, err error) {
	for _, path := range paths {
		d, err := publish.NewDraft(ctx, files, path, force, publish.ForAll)
		if err != nil {
			discard(drafts)
			return nil, err
		}
		drafts = append(drafts, d)
	}
	return drafts, nil
}

func discard(drafts []*publish.Draft) {
	for _, d := range drafts {
		d.Discard()
	}
}

// publishing returns a function that writes the artefacts to the drafts, in the same order, and
// then publishes all drafts.
func publishing(drafts ...*publish.Draft) func(context.Context, [][]byte) error {
	return func(ctx context.Context, artefacts [][]byte) error {
		for i, text := range artefacts {
			if _, err := drafts[i].Write(text); err != nil {
				return err
			}
		}
		return publish.All(ctx, drafts...)
	}
}
