package source_test

import (
	"context"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
)

// TestPersonsOnFullDisk sorts rows on a small file system, if one can be mounted. It is full after
// several runs. The error must be errSpill, and the runs must be removed.
func TestPersonsOnFullDisk(t *testing.T) {
	directory := t.TempDir()
	if err := syscall.Mount("tmpfs", directory, "tmpfs", 0, "size=32k"); err != nil {
		t.Skip("no disk can be mounted: ", err)
	}
	defer syscall.Unmount(directory, syscall.MNT_DETACH)
	t.Setenv("TMPDIR", directory)
	source.SetPersonsMemory(t, 8<<10)
	s, few := staysOf(t, 3), stays(100, rand.New(rand.NewPCG(4, 0)))
	readStays(t, s, few)
	_, err := source.Read(context.Background(), "-", s, stdin(csvOf(stays(10_000, rand.New(rand.NewPCG(4, 0))))))
	const want = "the rows could not be sorted by person: the directory for temporary files is full or cannot be written; free space in it, or name another directory in TMPDIR"
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(directory); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	readStays(t, s, few)
}
