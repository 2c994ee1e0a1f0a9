package main

import (
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Every mutant of the lists builds: a run of all parts judges only some.
func TestListsBuild(t *testing.T) {
	all, err := read(".")
	if err != nil {
		t.Fatal(err)
	}
	for m, err := range typed(t, "../..", all) {
		if err != nil {
			t.Errorf("%s: %v", m, err)
		}
	}
}

// What does not build is found.
func TestTyped(t *testing.T) {
	root := write(t, toy)
	builds := mutant{Name: "a", File: "toy.go", Old: "2 * x", New: "3 * x"}
	not := mutant{Name: "b", File: "toy.go", Old: "2 * x", New: "2 * y"}
	wrong := typed(t, root, []mutant{builds, not})
	if err := wrong["a"]; err != nil {
		t.Error(err)
	}
	if err := wrong["b"]; err == nil || !strings.Contains(err.Error(), "undefined: y") {
		t.Errorf("error %v", err)
	}
}

// typed checks the types of each mutant's package and returns, by their names, what is
// wrong with the mutants. It asks the go command for what other packages export, which
// it builds or has built.
func typed(t *testing.T, root string, mutants []mutant) map[string]error {
	t.Helper()
	var directories []string
	for _, m := range mutants {
		directories = append(directories, "./"+path.Dir(m.File))
	}
	slices.Sort(directories)
	list := exec.CommandContext(t.Context(), "go", append([]string{"list", "-export", "-deps",
		"-json=ImportPath,Dir,Export,GoFiles"}, slices.Compact(directories)...)...)
	list.Dir = root
	list.Stderr = os.Stderr
	text, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	type pack struct {
		ImportPath, Dir, Export string
		GoFiles                 []string
	}
	exports, packages := map[string]string{}, map[string]pack{}
	for lines := json.NewDecoder(strings.NewReader(string(text))); lines.More(); {
		var p pack
		if err := lines.Decode(&p); err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath], packages[p.Dir] = p.Export, p
	}

	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	if top, err = filepath.EvalSymlinks(top); err != nil {
		t.Fatal(err)
	}
	check := func(m mutant, files *token.FileSet, known types.Importer) error {
		changed, err := m.apply(root)
		if err != nil {
			return err
		}
		file := filepath.Join(top, m.File)
		p := packages[filepath.Dir(file)]
		if !slices.Contains(p.GoFiles, filepath.Base(file)) {
			return nil // in assembler, or for other platforms
		}
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			name = filepath.Join(p.Dir, name)
			var source any
			if name == file {
				source = changed
			}
			f, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			parsed = append(parsed, f)
		}
		_, err = (&types.Config{Importer: known}).Check(p.ImportPath, files, parsed, nil)
		return err
	}

	wrong := map[string]error{}
	var lock sync.Mutex
	var wait sync.WaitGroup
	work := make(chan mutant)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			// Neither is safe for several goroutines at a time.
			files := token.NewFileSet()
			known := importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
			for m := range work {
				err := check(m, files, known)
				lock.Lock()
				wrong[m.Name] = err
				lock.Unlock()
			}
		})
	}
	for _, m := range mutants {
		work <- m
	}
	close(work)
	wait.Wait()
	return wrong
}
