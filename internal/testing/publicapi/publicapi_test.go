// Package publicapi compares the public API of the module with the list testdata/api.txt, which has a line for each
// exported name. If the API changes, the test fails until `go test ./internal/testing/publicapi -update` has written
// the new list. Review the change of the list before you commit it.
//
// The list contains the exported names of the public packages, including fields and methods. It also contains those of
// internal types that a program can get by an alias, a field, a parameter or a result.
package publicapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
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
		t.Log("where the change is meant, write the list by: go test ./internal/testing/publicapi -update")
	}
}

// exported returns the lines of the list for the module in the directory root, sorted.
func exported(root string) ([]string, error) {
	l, err := load(root)
	if err != nil {
		return nil, err
	}
	for _, path := range l.public {
		pkg, err := l.importer.Import(path)
		if err != nil {
			return nil, err
		}
		for _, name := range pkg.Scope().Names() {
			if o := pkg.Scope().Lookup(name); o.Exported() {
				l.object(o)
			}
		}
	}
	slices.Sort(l.lines)
	return slices.Compact(l.lines), nil
}

// A lister collects the lines of the list.
type lister struct {
	module   string
	public   []string // paths of the public packages
	importer types.Importer
	listed   map[*types.TypeName]bool
	lines    []string
}

// A listed is a package as `go list` describes it.
type listed struct {
	ImportPath, Name, Export string
	Module                   struct{ Path string }
}

// list calls visit for each package that `go list` finds in the directory root for the arguments.
func list(root string, visit func(p listed), args ...string) error {
	// GOFLAGS stays as it is, because other flags, such as -trimpath, would build all packages again.
	command := exec.Command("go", append([]string{"list", "-mod=mod", "-json=ImportPath,Name,Export,Module"}, args...)...)
	command.Dir = root
	command.Env = append(os.Environ(), "GOWORK=off")
	var complaints bytes.Buffer
	command.Stderr = &complaints
	text, err := command.Output()
	if err != nil {
		return fmt.Errorf("%w: %s", err, &complaints)
	}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		visit(p)
	}
}

// load builds the public packages of the module in root, and returns a lister for them. The platform is that of the
// test, so that their builds are those that `go test` has made.
func load(root string) (*lister, error) {
	l := &lister{listed: map[*types.TypeName]bool{}}
	err := list(root, func(p listed) {
		l.module = p.Module.Path
		if inner := "/" + l.relative(p.ImportPath) + "/"; p.Name != "main" && !strings.Contains(inner, "/internal/") {
			l.public = append(l.public, p.ImportPath)
		}
	}, "-find", "./...")
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	err = list(root, func(p listed) { files[p.ImportPath] = p.Export }, append([]string{"-export", "-deps"}, l.public...)...)
	if err != nil {
		return nil, err
	}
	l.importer = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	return l, nil
}

// relative returns the path of a package relative to the module. It returns the path of a package of another module
// unchanged.
func (l *lister) relative(path string) string {
	if path == l.module {
		return "."
	}
	return strings.TrimPrefix(path, l.module+"/")
}

// text returns a type as it is written in the list.
func (l *lister) text(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

func (l *lister) add(pkg *types.Package, format string, args ...any) {
	l.lines = append(l.lines, l.relative(pkg.Path())+": "+fmt.Sprintf(format, args...))
}

// object adds the lines of an object that a public package declares.
func (l *lister) object(o types.Object) {
	switch o := o.(type) {
	case *types.Const:
		l.add(o.Pkg(), "const %s", o.Name())
	case *types.Var:
		l.add(o.Pkg(), "var %s %s", o.Name(), l.text(o.Type()))
	case *types.Func:
		l.add(o.Pkg(), "func %s%s", o.Name(), strings.TrimPrefix(l.text(o.Type()), "func"))
	case *types.TypeName:
		if o.IsAlias() {
			l.add(o.Pkg(), "type %s = %s", o.Name(), l.text(types.Unalias(o.Type())))
		} else {
			l.named(o.Type().(*types.Named))
		}
	}
	l.reach(o.Type())
}

// named adds the lines of a defined type, with its exported fields and methods.
func (l *lister) named(n *types.Named) {
	o := n.Origin().Obj()
	if l.listed[o] {
		return
	}
	l.listed[o] = true
	name := o.Name()
	switch u := n.Origin().Underlying().(type) {
	case *types.Struct:
		l.add(o.Pkg(), "type %s struct", name)
		for i := range u.NumFields() {
			if f := u.Field(i); f.Exported() {
				l.add(o.Pkg(), "type %s, %s %s", name, f.Name(), l.text(f.Type()))
				l.reach(f.Type())
			}
		}
	case *types.Interface:
		l.add(o.Pkg(), "type %s interface", name)
		for i := range u.NumEmbeddeds() {
			l.reach(u.EmbeddedType(i))
		}
		for i := range u.NumMethods() {
			if m := u.Method(i); m.Exported() {
				l.add(o.Pkg(), "type %s, %s %s", name, m.Name(), l.text(m.Type()))
				l.reach(m.Type())
			}
		}
		return
	default:
		l.add(o.Pkg(), "type %s %s", name, l.text(u))
		l.reach(u)
	}
	methods := types.NewMethodSet(types.NewPointer(n.Origin()))
	for i := range methods.Len() {
		m := methods.At(i)
		if !m.Obj().Exported() || l.elsewhere(n.Origin(), m.Index()) {
			continue
		}
		receiver := name
		if types.NewMethodSet(n.Origin()).Lookup(m.Obj().Pkg(), m.Obj().Name()) == nil {
			receiver = "*" + name
		}
		l.add(o.Pkg(), "func (%s) %s%s", receiver, m.Obj().Name(), strings.TrimPrefix(l.text(m.Type()), "func"))
		l.reach(m.Type())
	}
}

// elsewhere reports whether a method belongs to an embedded type that is exported. The list then contains it there.
func (l *lister) elsewhere(n *types.Named, index []int) bool {
	s, ok := n.Underlying().(*types.Struct)
	return ok && len(index) > 1 && s.Field(index[0]).Exported()
}

// reach adds the lines of the internal types that a program can get from a value of type t.
func (l *lister) reach(t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		l.reach(types.Unalias(t))
	case *types.Named:
		for i := range t.TypeArgs().Len() {
			l.reach(t.TypeArgs().At(i))
		}
		o := t.Origin().Obj()
		if o.Pkg() != nil && o.Exported() && strings.HasPrefix(o.Pkg().Path()+"/", l.module+"/") && !slices.Contains(l.public, o.Pkg().Path()) {
			l.named(t)
		}
	case *types.Pointer:
		l.reach(t.Elem())
	case *types.Slice:
		l.reach(t.Elem())
	case *types.Array:
		l.reach(t.Elem())
	case *types.Chan:
		l.reach(t.Elem())
	case *types.Map:
		l.reach(t.Key())
		l.reach(t.Elem())
	case *types.Tuple:
		for i := range t.Len() {
			l.reach(t.At(i).Type())
		}
	case *types.Signature:
		l.reach(t.Params())
		l.reach(t.Results())
	case *types.Struct:
		for i := range t.NumFields() {
			if t.Field(i).Exported() {
				l.reach(t.Field(i).Type())
			}
		}
	case *types.Interface:
		for i := range t.NumMethods() {
			l.reach(t.Method(i).Type())
		}
	}
}

// The list contains exported names, and those of internal types that a program can get. It contains no others.
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
	write("go.mod", "module m\n\ngo 1.26\n")
	write("m.go", `package m
import "m/internal/i"
type T struct { A, b int; Other; g }
type Other struct{}
func (Other) Promoted() {}
type I interface { M(x int) error; n() }
type F func(a, b int) (string,
	error)
type g struct { A int }
type L[X any] []X
type Held = i.Held
const C, d = 1, 2
var V int
var secret i.Unheld
func (t *T) Do(x ...int) map[string]*i.Result { return nil }
func (L[X]) Len() int { return 0 }
func (g) Deep() {}
func do() {}
`)
	write("m_test.go", "package m\nfunc TestHelper() {}\n")
	write("p/p_windows.go", "package p\nfunc Windows() {}\n")
	write("p/p.go", "package p\nfunc P() {}\n")
	write("internal/i/i.go", `package i
type Held struct { Field Inner; hidden Unheld }
type Inner int
func (Inner) String() string { return "" }
type Result struct{}
type Unheld struct{}
func I() {}
`)
	write("cmd/c/main.go", "package main\nfunc main() {}\n")
	write("nested/go.mod", "module n\n")
	write("nested/n.go", "package n\nfunc N() {}\n")
	got, err := exported(directory)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		".: const C", ".: func (*T) Do(x ...int) map[string]*i.Result", ".: func (L) Len() int", ".: func (Other) Promoted()", ".: func (T) Deep()",
		".: type F func(a int, b int) (string, error)", ".: type Held = i.Held",
		".: type I interface", ".: type I, M func(x int) error",
		".: type L []X", ".: type Other struct",
		".: type T struct", ".: type T, A int", ".: type T, Other m.Other",
		".: var V int", "internal/i: func (Inner) String() string", "internal/i: type Held struct", "internal/i: type Held, Field i.Inner",
		"internal/i: type Inner int", "internal/i: type Result struct", "p: func P()",
	}
	if !slices.Equal(got, want) {
		t.Errorf("exported are\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
