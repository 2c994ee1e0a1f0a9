package publish

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestScratch gives a name to each kind of scratch: nameless, nameless where link fails, and with a temporary name.
func TestScratch(t *testing.T) {
	for name, create := range map[string]func(*Unfinished, string, Access) (*scratch, error){"nameless": newScratch, "not named": newScratch, "named": newNamed} {
		t.Run(name, func(t *testing.T) {
			if name == "not named" { // although it has none
				defer func(with func(*os.File, string) error) { link = with }(link)
				link = func(*os.File, string) error { return fs.ErrPermission }
			}
			path := filepath.Join(t.TempDir(), "file")
			ready := func(text string) *scratch {
				s, err := create(&Unfinished{}, path, ForCurator)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.file.WriteString(text); err != nil {
					t.Fatal(err)
				}
				if err := s.settle(); err != nil {
					t.Fatal(err)
				}
				return s
			}
			first, second, third := ready("first"), ready("second"), ready("third")
			if err := first.take(path); err != nil {
				t.Error(err)
			}
			if err := second.take(path); !errors.Is(err, fs.ErrExist) {
				t.Errorf("a name that is not free: %v", err)
			}
			if text, err := os.ReadFile(path); err != nil || string(text) != "first" {
				t.Errorf("%q, %v", text, err)
			}
			if err := third.replace(path); err != nil {
				t.Error(err)
			}
			if text, err := os.ReadFile(path); err != nil || string(text) != "third" {
				t.Errorf("%q, %v", text, err)
			}
			for _, s := range []*scratch{first, second, third} {
				s.file.Close()
			}
			if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
				t.Errorf("left %v, %v", left, err)
			}
			info, err := os.Stat(path)
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
		})
	}
}

// draftOf returns a draft of the text.
func draftOf(t *testing.T, ctx context.Context, path, text string, force bool) *Draft {
	t.Helper()
	d, err := NewDraft(ctx, &Claims{}, path, force, ForAll)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.WriteString(text); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestForceReplacesWhatWasThere checks that a draft with force does not replace a file that was created after the
// draft.
func TestForceReplacesWhatWasThere(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "m.json")
	early := draftOf(t, ctx, path, "early", true)
	other := draftOf(t, ctx, path, "other", true)
	if err := other.Publish(ctx); err != nil {
		t.Fatal(err)
	}
	if err := early.Publish(ctx); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("where nothing was: %v", err)
	}
	late := draftOf(t, ctx, path, "late", true)
	rival := draftOf(t, ctx, path, "rival", true)
	if err := late.Publish(ctx); err != nil {
		t.Error(err)
	}
	if err := rival.Publish(ctx); err == nil || !strings.Contains(err.Error(), "changed while the command ran") {
		t.Errorf("where another was: %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "late" {
		t.Errorf("%q, %v", text, err)
	}
	for _, d := range []*Draft{early, other, late, rival} {
		d.Discard()
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestPublishPartly checks the error if the first of two files is published and the second is not: it must not
// state that nothing was written.
func TestPublishPartly(t *testing.T) {
	u := &Unfinished{}
	ctx := With(context.Background(), u)
	directory := t.TempDir()
	one, two := filepath.Join(directory, "one"), filepath.Join(directory, "two")
	drafts := []*Draft{draftOf(t, ctx, one, "1", false), draftOf(t, ctx, two, "2", false)}
	if err := os.WriteFile(two, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := All(ctx, drafts...)
	if !errors.As(err, new(Partly)) || !strings.Contains(err.Error(), one) || len(u.Left()) != 1 {
		t.Errorf("%v; %v", err, u.Left())
	}
}

// TestUnfinishedIsOver checks that after Abandon no file can be created or published.
func TestUnfinishedIsOver(t *testing.T) {
	u := &Unfinished{}
	ctx := With(context.Background(), u)
	directory := t.TempDir()
	path := filepath.Join(directory, "m.json")
	d := draftOf(t, ctx, path, "text", false)
	inner := filepath.Join(directory, "new")
	for range 2 {
		err := u.Begin(os.Remove, func() (string, error) { return inner, os.MkdirAll(inner, 0o700) })
		if err != nil {
			t.Fatal(err)
		}
		inner = filepath.Join(inner, "newer")
	}
	u.Abandon()
	if err := d.Publish(ctx); !errors.Is(err, errOver) {
		t.Errorf("published: %v", err)
	}
	if _, err := NewDraft(ctx, &Claims{}, path, false, ForAll); !errors.Is(err, errOver) {
		t.Errorf("begun: %v", err)
	}
	if left, err := os.ReadDir(directory); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestClaimsOfFilesToCome claims files that do not exist yet, by several names.
func TestClaimsOfFilesToCome(t *testing.T) {
	directory := t.TempDir()
	alias := filepath.Join(t.TempDir(), "alias")
	if err := os.Symlink(directory, alias); err != nil {
		t.Skip(err)
	}
	c := &Claims{}
	if _, err := c.Writes(filepath.Join(directory, "m.json")); err != nil {
		t.Fatal(err)
	}
	for path, free := range map[string]bool{
		filepath.Join(alias, "m.json"):                        false,
		filepath.Join(alias, "M.json"):                        false, // one file where case does not count
		filepath.Join(directory, "..", "m.json"):              true,
		filepath.Join(directory, "n.json"):                    true,
		filepath.Join(directory, "no directory", "n.json"):    true,
		directory + "/./m.json":                               false,
		filepath.Join(filepath.Dir(alias), "alias", "m.json"): false,
	} {
		if _, err := c.Writes(path); (err == nil) != free {
			t.Errorf("%s: %v", path, err)
		}
	}
	// A file that is opened may be one of the claimed files.
	log := &Claim{name: "log", path: filepath.Join(directory, "log"), write: true}
	if err := c.add(log); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(directory, "m.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(alias, "m.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Opened(log, info); !errors.As(err, new(Shared)) {
		t.Errorf("opened: %v", err)
	}
}

// An error of a write names the file once, whether the text was buffered or not.
func TestWriteFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.html")
	d, err := NewDraft(context.Background(), &Claims{}, path, false, ForAll)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Discard()
	d.scratch.file.Close()
	want := path + ": the file could not be written: file already closed"
	if _, err := d.Write(make([]byte, 1<<16)); err == nil || err.Error() != want || !errors.Is(err, os.ErrClosed) {
		t.Errorf("%v, want %s", err, want)
	}
	if err := d.Publish(context.Background()); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
