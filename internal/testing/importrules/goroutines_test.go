package importrules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// starters are the functions and types of the standard library that run a function on another goroutine than that of
// the caller, by package.
var starters = map[string][]string{
	"context": {"AfterFunc"},
	"runtime": {"AddCleanup", "SetFinalizer"},
	"sync":    {"WaitGroup"},
	"time":    {"AfterFunc"},
}

// starterPackages are packages whose only purpose is to start goroutines, by the last element of their path.
var starterPackages = []string{"conc", "errgroup", "pool", "singleflight"}

// started returns the positions in a file where a goroutine may be started.
func started(file *ast.File) (at []token.Pos) {
	imported := map[string][]string{} // the starters of a package, by its name in the file
	for _, spec := range file.Imports {
		from, _ := strconv.Unquote(spec.Path.Value)
		if slices.Contains(starterPackages, path.Base(from)) && strings.Contains(from, ".") {
			at = append(at, spec.Pos())
		}
		names, known := starters[from]
		if !known {
			continue
		}
		name := path.Base(from)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == "." {
			at = append(at, spec.Pos())
		}
		imported[name] = names
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			at = append(at, n.Pos())
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok && slices.Contains(imported[of.Name], n.Sel.Name) {
				at = append(at, n.Pos())
			}
		}
		return true
	})
	return at
}

// Only package parallel starts goroutines, because it passes their panics to the caller. A panic in any other goroutine
// ends the process with a stack trace, which may contain private data. Programs in bench are not checked, since they
// use public data.
func TestGoroutinesAreStartedByParallel(t *testing.T) {
	set := token.NewFileSet()
	files := map[string]int{}
	err := walk(t, func(pkg, path string) error {
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		files[strings.Split(pkg, "/")[0]]++
		if pkg == "parallel" {
			return nil
		}
		for _, at := range started(file) {
			t.Errorf("%v: a goroutine is started here; use parallel.Do or parallel.Group", set.Position(at))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, module := range []string{"learn", "cmd", "beam", "duckdb"} {
		if files[module] == 0 {
			t.Errorf("no file of %s was looked at", module)
		}
	}
}

// The function started finds each way of starting a goroutine, also if an import is renamed. It does not report code
// that only resembles one.
func TestStartedFinds(t *testing.T) {
	for _, c := range []struct {
		imports, body string
		found         int
	}{
		{``, `go f()`, 1},
		{``, `func() { defer func() { go func() {}() }() }()`, 1},
		{`import "sync"`, `var w sync.WaitGroup; w.Go(f)`, 1},
		{`import "sync"`, `w := new(sync.WaitGroup); w.Wait()`, 1},
		{`import s "sync"`, `type t struct { s.WaitGroup }; (&t{}).Go(f)`, 1},
		{`import . "sync"`, `var w WaitGroup; w.Go(f)`, 1},
		{`import "golang.org/x/sync/errgroup"`, `var g errgroup.Group; g.Go(f)`, 1},
		{`import e "golang.org/x/sync/errgroup"`, `new(e.Group).TryGo(f)`, 1},
		{`import "golang.org/x/sync/singleflight"`, `new(singleflight.Group).DoChan("", f)`, 1},
		{`import "github.com/sourcegraph/conc"`, `conc.NewWaitGroup().Go(f)`, 1},
		{`import "time"`, `time.AfterFunc(1, f)`, 1},
		{`import "time"`, `later := time.AfterFunc; later(1, f)`, 1},
		{`import clock "time"`, `clock.AfterFunc(1, f)`, 1},
		{`import "context"`, `context.AfterFunc(nil, f)`, 1},
		{`import "runtime"`, `runtime.SetFinalizer(x, f); runtime.AddCleanup(x, f, 1)`, 2},
		{`import "github.com/sibyl-dp/sibyl/internal/parallel"`, `var g parallel.Group; g.Go(f); g.Wait()`, 0},
		{`import "time"`, `<-time.After(1); time.NewTimer(1)`, 0},
		{`import "sync"`, `var m sync.Mutex; m.Lock()`, 0},
		{``, `time := x{}; time.AfterFunc(1, f)`, 0},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+c.imports+"\nfunc g() {\n"+c.body+"\n}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if at := started(file); len(at) != c.found {
			t.Errorf("%s; %s: %d places are found, %d are there", c.imports, c.body, len(at), c.found)
		}
	}
}
