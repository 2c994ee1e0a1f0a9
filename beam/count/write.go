package count

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/sibyl-dp/sibyl/publish"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/source"
	_ "github.com/sibyl-dp/sibyl/source/parquet" // files of counts, and of rows
)

// A writer writes the file of counts. It does so whole, as often as it is run: a path of this
// machine is replaced at once, an object elsewhere is there when it is closed.
type writer struct {
	Task
	Out string
}

// ProcessElement takes all groups.
func (w *writer) ProcessElement(ctx context.Context, _ int, groups func(*Group) bool) error {
	all := make([][]cell, len(w.Lists))
	nulls := int64(0)
	var g Group
	for groups(&g) {
		for c := newCursor(g.Cells); c.key != nil; c.next() {
			if g.Number == nullGroup {
				nulls += c.units
				continue
			}
			list := listOf(g.Number)
			all[list] = append(all[list], cell{c.key, c.units})
		}
		g = Group{}
	}
	for _, cells := range all {
		slices.SortFunc(cells, func(a, b cell) int { return bytes.Compare(a.key, b.key) })
	}
	if strings.Contains(w.Out, "://") {
		return told(w.elsewhere(ctx, all, nulls))
	}
	return told(w.here(ctx, all, nulls))
}

// A cell has a key, which packs codes and outcome.
type cell struct {
	key   []byte
	units int64
}

// here writes to a path of this machine.
func (w *writer) here(ctx context.Context, all [][]cell, nulls int64) error {
	out, err := publish.NewDraft(ctx, &publish.Claims{}, w.Out, true, publish.ForCurator)
	if err != nil {
		return err
	}
	defer out.Discard()
	if err := w.write(out, all, nulls); err != nil {
		return err
	}
	return out.Publish(ctx)
}

// elsewhere writes to one of Beam's file systems.
func (w *writer) elsewhere(ctx context.Context, all [][]cell, nulls int64) error {
	system, err := filesystem.New(ctx, w.Out)
	if err != nil {
		return err
	}
	defer system.Close()
	out, err := system.OpenWrite(ctx, w.Out)
	if err == nil {
		if err = w.write(out, all, nulls); err == nil {
			err = out.Close()
		}
	}
	if err != nil {
		return fmt.Errorf("%s: the file cannot be written: %w", quote.Name(w.Out), err)
	}
	return nil
}

// write writes the cells of all lists.
func (w *writer) write(to io.Writer, all [][]cell, nulls int64) error {
	s, err := w.schema()
	if err != nil {
		return err
	}
	units := nulls
	for _, c := range all[0] {
		units += c.units
	}
	out, err := source.NewCountsWriter(to, s, w.Lists, units/s.Weight(), nulls)
	if err != nil {
		return err
	}
	for list, cells := range all {
		for _, c := range cells {
			codes := codesOf(c.key)
			last := len(codes) - 1
			if err := out.Add(list, codes[:last], int(codes[last]), c.units); err != nil {
				return err
			}
		}
	}
	return out.Close()
}

// Writable refuses a path of this machine that is there already, unless by force, is one of
// those that are read, or lies where no file can be made. Of what is elsewhere it knows nothing.
func Writable(ctx context.Context, out string, read []string, force bool) error {
	if strings.Contains(out, "://") {
		return nil
	}
	claims := &publish.Claims{}
	for _, path := range read {
		if err := claims.Reads(path); err != nil && !strings.Contains(path, "://") {
			return err
		}
	}
	draft, err := publish.NewDraft(ctx, claims, out, force, publish.ForCurator)
	if err == nil {
		draft.Discard()
	}
	return err
}
