// Package publicapi keeps the list of what the module exports: testdata/api.txt, a line for
// each name. A change to the list is a promise made or broken, so the test fails until
// `go test ./internal/publicapi -update` has written the list, to be read before it is
// committed.
package publicapi

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden list")

const golden = "testdata/api.txt"

func TestPublicAPI(t *testing.T) {
	got, err := exported(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for _, line := range got {
		if _, found := slices.BinarySearch(want, line); !found {
			t.Errorf("exported and not in %s: %s", golden, line)
		}
	}
	for _, line := range want {
		if _, found := slices.BinarySearch(got, line); !found {
			t.Errorf("in %s and not exported: %s", golden, line)
		}
	}
	if t.Failed() {
		t.Log("where the change is meant, write the list by: go test ./internal/publicapi -update")
	}
}

// exported returns the exported names of the public packages of the module in a directory,
// in order. Packages below internal, commands, and nested modules are not public.
func exported(root string) (lines []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		pkg, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name := d.Name()
		if pkg != "." && (name == "internal" || name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
			return fs.SkipDir
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && pkg != "." {
			return fs.SkipDir
		}
		of, err := names(path)
		for _, line := range of {
			lines = append(lines, filepath.ToSlash(pkg)+": "+line)
		}
		return err
	})
	slices.Sort(lines)
	return slices.Compact(lines), err
}

// names returns a line for each exported name of the package in a directory, or nothing of a
// command.
func names(directory string) (lines []string, err error) {
	files, err := filepath.Glob(filepath.Join(directory, "*.go"))
	if err != nil {
		return nil, err
	}
	linux := build.Default
	linux.GOOS, linux.GOARCH, linux.CgoEnabled = "linux", "amd64", false
	for _, path := range files {
		if match, err := linux.MatchFile(filepath.Split(path)); err != nil || !match || strings.HasSuffix(path, "_test.go") {
			if err != nil {
				return nil, err
			}
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if file.Name.Name == "main" {
			return nil, nil
		}
		for _, d := range file.Decls {
			lines = append(lines, declared(set, d)...)
		}
	}
	return lines, nil
}

func declared(set *token.FileSet, d ast.Decl) (lines []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		receiver := ""
		if d.Recv != nil {
			receiver = text(set, d.Recv.List[0].Type)
			if !ast.IsExported(strings.TrimLeft(receiver, "*")) {
				return nil
			}
			receiver = "(" + receiver + ") "
		}
		if d.Name.IsExported() {
			lines = append(lines, "func "+receiver+d.Name.Name+strings.TrimPrefix(text(set, d.Type), "func"))
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					lines = append(lines, typed(set, spec)...)
				}
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if name.IsExported() {
						lines = append(lines, d.Tok.String()+" "+name.Name)
					}
				}
			}
		}
	}
	return lines
}

// typed returns a line for a type, and one for each exported field or method that it lists.
func typed(set *token.FileSet, spec *ast.TypeSpec) (lines []string) {
	of := func(kind string, fields *ast.FieldList) {
		lines = append(lines, "type "+spec.Name.Name+" "+kind)
		for _, f := range fields.List {
			if len(f.Names) == 0 {
				lines = append(lines, "type "+spec.Name.Name+", "+text(set, f.Type))
			}
			for _, name := range f.Names {
				if name.IsExported() {
					lines = append(lines, "type "+spec.Name.Name+", "+name.Name+" "+text(set, f.Type))
				}
			}
		}
	}
	switch u := spec.Type.(type) {
	case *ast.StructType:
		of("struct", u.Fields)
	case *ast.InterfaceType:
		of("interface", u.Methods)
	default:
		lines = append(lines, "type "+spec.Name.Name+" "+text(set, spec.Type))
	}
	return lines
}

// text is a type on one line.
func text(set *token.FileSet, n ast.Node) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, set, n); err != nil {
		return fmt.Sprint(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// What is exported is found, and what is not is left out.
func TestExported(t *testing.T) {
	directory := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		path := filepath.Join(directory, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module m\n")
	write("m.go", `package m
type T struct { A, b int; Other }
type I interface { M(x int) error; n() }
type F func(a, b int) (string,
	error)
type g struct { A int }
type L[X any] []X
const C, d = 1, 2
var V int
func (t *T) Do(x ...int) {}
func (L[X]) Len() int { return 0 }
func (g) Do() {}
func do() {}
`)
	write("m_test.go", "package m\nfunc TestHelper() {}\n")
	write("p/p_windows.go", "package p\nfunc Windows() {}\n")
	write("p/p.go", "package p\nfunc P() {}\n")
	write("internal/i/i.go", "package i\nfunc I() {}\n")
	write("cmd/c/main.go", "package main\nfunc Main() {}\n")
	write("nested/go.mod", "module n\n")
	write("nested/n.go", "package n\nfunc N() {}\n")
	got, err := exported(directory)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		".: const C", ".: func (*T) Do(x ...int)", ".: func (L[X]) Len() int",
		".: type F func(a, b int) (string, error)",
		".: type I interface", ".: type I, M func(x int) error",
		".: type L []X",
		".: type T struct", ".: type T, A int", ".: type T, Other",
		".: var V", "p: func P()",
	}
	if !slices.Equal(got, want) {
		t.Errorf("exported are\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
