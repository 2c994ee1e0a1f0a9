package source_test

import (
	"context"
	"os"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/made"
)

// A slowReader returns a few bytes per read, so that progress is reported several times.
type slowReader struct{ file *os.File }

func (r slowReader) Read(p []byte) (int, error) { return r.file.Read(p[:min(len(p), 200)]) }

func TestProgress(t *testing.T) {
	inDirectory(t)
	if err := made.People().WriteCSV("people.csv", heavy.Pick(100_000, 300_000)); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("people.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	last := int64(0)
	progress := func(done, total int64) {
		if done <= last || done > info.Size() || total != 0 {
			t.Errorf("%d of %d bytes after %d", done, total, last)
		}
		last = done
	}
	o := source.Options{Stdin: slowReader{file}, Progress: progress}
	if _, err := source.Read(context.Background(), "-", tabletest.Schema(t, made.People().Schema()), o); err != nil {
		t.Fatal(err)
	}
}
