package main

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A pack describes a Go package, as the command go list prints it.
type pack struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// packages holds the packages in some directories and all packages that they import, with their export data (compiled
// type information).
type packages struct {
	exports map[string]string // the path of the file with export data, by import path
	at      map[string]pack   // the packages by directory
}

// load lists the packages in the directories and all their imports. It runs the go command in root, which also builds
// export data where it is missing.
func load(ctx context.Context, root string, directories []string) (packages, error) {
	list := exec.CommandContext(ctx, "go", append([]string{"list", "-export", "-deps",
		"-json=ImportPath,Dir,Export,GoFiles"}, directories...)...)
	list.Dir = root
	list.Stderr = os.Stderr
	text, err := list.Output()
	if err != nil {
		return packages{}, fmt.Errorf("go list: %w", err)
	}
	all := packages{map[string]string{}, map[string]pack{}}
	for lines := json.NewDecoder(strings.NewReader(string(text))); lines.More(); {
		var p pack
		if err := lines.Decode(&p); err != nil {
			return packages{}, err
		}
		all.exports[p.ImportPath], all.at[p.Dir] = p.Export, p
	}
	return all, nil
}

// A checker type-checks packages. It must not be used concurrently.
type checker struct {
	files *token.FileSet
	known types.Importer
}

func (p packages) checker() checker {
	files := token.NewFileSet()
	return checker{files, importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(p.exports[path]) })}
}

// check type-checks the package p and returns its parsed files by name. The map changed holds new contents for some
// files, by their absolute paths. If report is not nil, check calls it with each error and continues.
func (c checker) check(p pack, changed map[string][]byte, info *types.Info, report func(error)) (map[string]*ast.File, *types.Package, error) {
	var parsed []*ast.File
	byName := map[string]*ast.File{}
	for _, name := range p.GoFiles {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		var source any
		if text, ok := changed[name]; ok {
			source = text
		}
		f, err := parser.ParseFile(c.files, name, source, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, nil, err
		}
		parsed = append(parsed, f)
		byName[name] = f
	}
	checked, err := (&types.Config{Importer: c.known, Error: report}).Check(p.ImportPath, c.files, parsed, info)
	return byName, checked, err
}
