package publish

import "context"

// Drafts are drafts of files that are published together.
type Drafts []*Draft

// NewDrafts creates a draft for each path (see NewDraft).
func NewDrafts(ctx context.Context, files *Claims, force bool, a Access, paths ...string) (all Drafts, err error) {
	for _, path := range paths {
		d, err := NewDraft(ctx, files, path, force, a)
		if err != nil {
			all.Discard()
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// Publish writes each artefact to the draft with the same index, and then publishes all drafts.
func (all Drafts) Publish(ctx context.Context, artefacts [][]byte) error {
	for i, text := range artefacts {
		if _, err := all[i].Write(text); err != nil {
			return err
		}
	}
	return All(ctx, all...)
}

// Discard removes the drafts that were not published.
func (all Drafts) Discard() {
	for _, d := range all {
		d.Discard()
	}
}
