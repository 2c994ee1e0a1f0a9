// Package importrules checks the layers of the module: a package imports only packages of lower layers
// (docs/explanation/architecture.md).
package importrules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/sibyl-dp/sibyl"

// A layer is a set of packages. Most layers are a directory of the module or of internal, with the packages below it.
// The packages below audit, class, learn and papers are separate layers, such as "class/"; so are some packages that any
// class may use, such as "class/literal". Names of layers omit internal/, since it does not matter for these rules.
type layer struct {
	name   string
	may    []string // the layers that its packages may import
	strict bool     // whether its packages may not import other modules
}

var layers = []layer{
	{name: "noise", strict: true},
	{name: "privacy", may: []string{"noise"}, strict: true},
	{name: "quote", strict: true},
	{name: "parameter", strict: true},
	{name: "strictjson", may: []string{"quote"}, strict: true},
	{name: "parallel", strict: true},
	{name: "table", may: []string{"parallel", "parameter", "quote", "strictjson"}},
	{name: "rule", may: []string{"quote", "strictjson", "table"}, strict: true},
	{name: "simplex", strict: true},
	{name: "matrix"},
	{name: "database", may: []string{"quote"}, strict: true},
	{name: "source", may: []string{"database", "parallel", "parameter", "quote", "source", "strictjson", "table"}},
	{name: "parquet", may: []string{"source", "table"}},
	{name: "schema", may: []string{"database", "parameter", "quote", "source", "strictjson", "table"}, strict: true},
	{name: "account", may: []string{"database", "privacy", "quote", "strictjson"}, strict: true},
	{name: "class", strict: true},
	{name: "class/literal", strict: true},
	{name: "class/decay", may: []string{"class"}, strict: true},
	{name: "class/tabulated", may: []string{"class"}, strict: true},
	{name: "class/lazy", may: []string{"class"}, strict: true},
	{name: "class/sparse", may: []string{"class", "class/", "class/decay", "class/lazy", "parallel"}, strict: true},
	{name: "class/", may: []string{"class", "class/decay", "class/literal", "class/tabulated", "parallel"}},
	{name: "search", may: []string{"class", "noise", "parallel"}, strict: true},
	{name: "learn", may: []string{"class", "matrix", "noise", "parallel", "privacy", "search", "table"}},
	{name: "learn/", may: []string{"class", "learn", "noise", "privacy", "search", "table"}},
	{name: "risk", may: []string{"learn", "noise", "privacy", "rule", "simplex", "strictjson", "table"}},
	{name: "synth", may: []string{"noise", "parallel", "privacy", "simplex", "strictjson", "synth", "table"}},
	{name: "compare", may: []string{"class", "class/", "class/sparse", "class/tabulated", "learn", "learn/", "matrix", "parallel", "rule", "search", "table"}},
	{name: "profile", may: []string{"noise", "privacy", "table"}},
	{name: "pairs", may: []string{"matrix", "noise", "privacy", "simplex", "table"}},
	{name: "audit", may: []string{"noise", "privacy"}},
	{name: "audit/", may: []string{"parallel"}},
	{name: "audittest", may: []string{"class", "class/", "learn", "noise", "privacy", "source", "table"}},
	{name: "profiles", may: []string{"parameter", "privacy", "table"}},
	{name: "report", may: []string{"compare", "privacy", "profiles", "quote", "risk", "rule", "table"}},
	{name: "publish", may: []string{"quote", "source"}},
	{name: "model", may: []string{"class", "class/", "class/literal", "class/sparse", "class/tabulated", "learn", "learn/", "parameter", "privacy", "quote", "report", "risk", "rule", "strictjson", "table"}},
	{name: "export", may: []string{"database", "export", "model", "quote", "report", "risk", "rule", "source", "table"}},
	{name: "synthetic", may: []string{"model", "privacy", "quote", "report", "rule", "source", "strictjson", "synth", "table"}},
	{name: "mechanism", may: []string{"class", "class/", "class/tabulated", "learn", "learn/", "mechanism", "model", "noise", "parameter", "privacy", "quote", "risk", "search", "strictjson", "table"}},
	{name: "evaluation", may: []string{"learn", "mechanism", "model", "privacy", "quote", "report", "risk", "strictjson", "table"}, strict: true},
	{name: "generated", may: []string{"table"}},
	{name: "papers", may: []string{"mechanism", "papers/"}},
	{name: "papers/", may: []string{"class", "class/", "class/literal", "class/tabulated", "compare", "generated", "learn", "learn/", "matrix", "mechanism", "model", "noise", "pairs", "papers", "papers/", "parallel", "parameter", "privacy", "quote", "release", "search", "simplex", "source", "synth", "table"}},
	{name: "release", may: []string{"account", "class", "evaluation", "learn", "mechanism", "model", "noise", "pairs", "parameter", "privacy", "profile", "profiles", "publish", "quote", "risk", "schema", "source", "strictjson", "synth", "synthetic", "table"}},
	{name: ".", may: []string{"account", "class", "export", "learn", "mechanism", "model", "parameter", "privacy", "publish", "quote", "release", "report", "risk", "schema", "source", "synthetic", "table"}},
	{name: "cli", may: []string{"parallel", "parameter", "privacy", "publish", "quote", "release"}},
	{name: "web", may: []string{"account", "database", "evaluation", "export", "generated", "learn", "mechanism", "model", "parallel", "parameter", "privacy", "profiles", "publish", "quote", "release", "report", "risk", "schema", "source", "strictjson", "synth", "synthetic", "table"}},
	{name: "cmd", may: []string{"account", "class", "cli", "cmd", "compare", "database", "evaluation", "export", "learn", "mechanism", "model", "papers", "papers/", "parallel", "parameter", "parquet", "privacy", "profiles", "publish", "quote", "release", "report", "risk", "schema", "search", "source", "synthetic", "table", "web"}},
	{name: "duckdb"},
	{name: "browser", may: []string{"parallel"}},
	{name: "beam", may: []string{"account", "beam", "learn", "mechanism", "model", "noise", "papers", "papers/", "parquet", "privacy", "publish", "quote", "release", "report", "source", "table"}},
	{name: "noisetest", may: []string{"noise"}},
	{name: "privacytest", may: []string{"privacy"}},
	{name: "learntest", may: []string{"class", "class/", "learn", "noise", "privacy", "table"}},
	{name: "searchtest", may: []string{"class", "noise", "search"}},
	{name: "testing", may: []string{"source", "table"}},
}

// banned are names of packages that do not describe a purpose.
var banned = []string{"base", "common", "errors", "helper", "helpers", "misc", "shared", "types", "util", "utils"}

// layerOf returns the layer of a package, by its path in the module.
func layerOf(pkg string) string {
	top, rest, _ := strings.Cut(pkg, "/")
	switch {
	case slices.Contains([]string{"class/decay", "class/lazy", "class/literal", "class/sparse", "class/tabulated"}, pkg):
		return pkg
	case slices.Contains([]string{"audit", "class", "learn", "papers"}, top) && rest != "":
		return top + "/"
	}
	return top
}

// servesTests reports whether a package may be imported only by tests.
func servesTests(pkg string) bool {
	return strings.HasSuffix(pkg, "test") || layerOf(pkg) == "testing" || pkg == "audit"
}

// problem returns the reason why the package from must not import to, or "" if it may.
func problem(from, to string) string {
	at := slices.IndexFunc(layers, func(r layer) bool { return r.name == layerOf(from) })
	if at < 0 {
		return fmt.Sprintf("package %s is in no layer; add its layer to the rules", from)
	}
	layer := layers[at]
	inner, own := strings.CutPrefix(to, module+"/")
	inner = strings.TrimPrefix(inner, "internal/")
	switch {
	case !own:
		if layer.strict && strings.Contains(strings.Split(to, "/")[0], ".") {
			return fmt.Sprintf("package %s imports %s; it stands on the standard library", from, to)
		}
	case servesTests(inner):
		if !servesTests(from) {
			return fmt.Sprintf("package %s imports %s, which serves tests", from, inner)
		}
	case servesTests(from) && layerOf(from) == layerOf(inner): // tests of a whole layer
	case strings.HasPrefix(from, inner+"/"): // a part of a package
	case !slices.Contains(layer.may, layerOf(inner)):
		return fmt.Sprintf("package %s imports %s, which is not below it", from, inner)
	}
	return ""
}

func TestImportsStayBelow(t *testing.T) {
	imports := read(t)
	if len(imports) < 10 {
		t.Fatalf("found %d packages", len(imports))
	}
	for from, tos := range imports {
		if name := filepath.Base(from); slices.Contains(banned, name) {
			t.Errorf("package %s: the name %s says nothing", from, name)
		}
		for _, to := range tos {
			if p := problem(from, to); p != "" {
				t.Error(p)
			}
		}
	}
}

// The rules refuse wrong imports.
func TestRulesRefuse(t *testing.T) {
	for _, c := range []struct {
		from, to string
		wrong    bool
	}{
		{"noise", "math/big", false},
		{"noise", module + "/privacy", true},
		{"noise", module + "/stattest", true},
		{"noise", "github.com/jackc/pgx/v5", true},
		{"privacy", module + "/noise", false},
		{"privacy", module + "/table", true},
		{"class", module + "/noise", true},
		{"class/scorecard", module + "/class", false},
		{"class/scorecard", module + "/search", true},
		{"class/parity", module + "/class/scorecard", true},
		{"class/parity", module + "/class/tabulated", false},
		{"class/tabulated", module + "/class", false},
		{"class/tabulated", module + "/class/parity", true},
		{"class", module + "/class/tabulated", true},
		{"class/lazy", module + "/class/sparse", true},
		{"class/sparse", module + "/class/scorecard", false},
		{"class/scorecard", module + "/class/sparse", true},
		{"learn", module + "/class/tabulated", true},
		{"class/scorecard/scorecardtest", module + "/class/scorecard", false},
		{"class/scorecard/scorecardtest", module + "/class/classtest", false},
		{"class/scorecard", module + "/class/classtest", true},
		{"source", module + "/census", true},
		{"testing/census", module + "/source", false},
		{"testing/census", module + "/learn", true},
		{"papers/mip", module + "/papers/numeric", false},
		{"papers/mip", module + "/papers/solver", false},
		{"papers/oracle", module + "/search", false},
		{"learn", module + "/papers/oracle", true},
		{"learn", module + "/internal/papers/perturb", true},
		{"mechanism", module + "/internal/papers/perturb", true},
		{"release", module + "/internal/papers/robust", true},
		{"papers/perturb", module + "/internal/learn", false},
		{"learn", module + "/papers/mip", true},
		{"learn/convex", module + "/privacy", false},
		{"learn/convex", module + "/class/scorecard", true},
		{"learn", module + "/learn/convex", true},
		{"search", module + "/class/scorecard", true},
		{"search", module + "/learn", true},
		{"learn", module + "/class/scorecard", true},
		{"learn", module + "/source", true},
		{"audit", module + "/learn", true},
		{"audit/mutants", module + "/privacy", true},
		{"source", module + "/table", false},
		{"account", module + "/privacy", false},
		{"account", module + "/source", true},
		{"account", "github.com/jackc/pgx/v5", true},
		{"parquet", module + "/source", false},
		{"table", module + "/source", true},
		{"cmd/sibyl", module + "/class/scorecard", true},
		{"cmd/sibyl", module + "/release", false},
		{"release", module + "/report", true},
		{"release", module + "/papers", true},
		{".", module + "/papers", true},
		{"papers", module + "/mechanism", false},
		{"model", module + "/release", true},
		{"report", module + "/model", true},
		{".", module + "/release", false},
		{".", module + "/search", true},
		{"tools", "fmt", true},
	} {
		if p := problem(c.from, c.to); (p != "") != c.wrong {
			t.Errorf("%s importing %s: %q", c.from, c.to, p)
		}
	}
}

// Only the packages papers and papers/…, the command and the module for Apache Beam may import papers or a package
// below it.
func TestProductImportsNothingOfTheWing(t *testing.T) {
	wing := []string{"papers", "papers/"}
	for _, r := range layers {
		if slices.Contains([]string{"papers", "papers/", "cmd", "beam"}, r.name) {
			continue
		}
		for _, may := range r.may {
			if slices.Contains(wing, may) {
				t.Errorf("layer %s of the product may import %s", r.name, may)
			}
		}
	}
}

// Only sibyl-bench links the experiments: sibyl, which more people build, does without them.
func TestSibylLinksNoExperiments(t *testing.T) {
	imports := read(t)
	for program, links := range map[string]bool{"cmd/sibyl": false, "cmd/sibyl-bench": true} {
		linked := map[string]bool{}
		var visit func(pkg string)
		visit = func(pkg string) {
			if linked[pkg] {
				return
			}
			linked[pkg] = true
			for _, to := range imports[pkg] {
				if inner, own := strings.CutPrefix(to, module+"/"); own {
					visit(strings.TrimPrefix(inner, "internal/"))
				}
			}
		}
		visit(program)
		if got := linked["papers/experiment"]; got != links {
			t.Errorf("%s links the experiments: %v", program, got)
		}
	}
}

// The tests in internal/audit import no package below internal/papers. These are audited by internal/papers/audit.
func TestAuditsOfTheProductImportNothingOfTheWing(t *testing.T) {
	files := 0
	for _, pattern := range []string{"../../audit/*.go", "../../audittest/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			files++
			for _, spec := range file.Imports {
				if strings.Contains(spec.Path.Value, "/internal/papers") {
					t.Errorf("%s imports %s", name, spec.Path.Value)
				}
			}
		}
	}
	if files < 30 {
		t.Errorf("found %d files", files)
	}
}

// compared returns the positions in a file where a relation is compared with ReplaceOne or AddRemove.
func compared(file *ast.File) (at []token.Pos) {
	constant := func(e ast.Expr) bool {
		s, ok := e.(*ast.SelectorExpr)
		return ok && (s.Sel.Name == "ReplaceOne" || s.Sel.Name == "AddRemove")
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && (constant(n.X) || constant(n.Y)) {
				at = append(at, n.Pos())
			}
		case *ast.CaseClause:
			if slices.ContainsFunc(n.List, constant) {
				at = append(at, n.Pos())
			}
		}
		return true
	})
	return at
}

// ReplaceOne and AddRemove are relations of rows. Code that compares a relation with one of them treats a relation of
// persons wrongly: replacing a person does not equal ReplaceOne, so it is taken for add-remove. Package audit is not
// checked, since it has only relations of rows.
func TestRelationsAreAsked(t *testing.T) {
	set := token.NewFileSet()
	files := 0
	err := walk(t, func(pkg, path string) error {
		if pkg == "privacy" || pkg == "audit" {
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		files++
		for _, at := range compared(file) {
			t.Errorf("%v: a relation is compared with one of rows; ask Replaces and Persons", set.Position(at))
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Fatalf("%d files, %v", files, err)
	}
	const wrong = "package p\nfunc f(r privacy.Relation) bool { switch r {\ncase privacy.AddRemove: }; return r == privacy.ReplaceOne || privacy.AddRemove != r }"
	file, err := parser.ParseFile(set, "", wrong, 0)
	if err != nil || len(compared(file)) != 3 {
		t.Errorf("%v, %v", compared(file), err)
	}
}

// read returns the imports of every package of the library and the command. It omits tests and the programs in bench,
// which may import any package.
func read(t *testing.T) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	err := walk(t, func(pkg, path string) error {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports[pkg] = append(imports[pkg], to)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return imports
}

// walk calls visit for the Go files of every package. It omits bench and tests.
func walk(t *testing.T, visit func(pkg, path string) error) error {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		if root == filepath.Dir(root) {
			t.Fatal("no go.mod above the working directory")
		}
		root = filepath.Dir(root)
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path == filepath.Join(root, "bench") || d.Name() == "testdata" || path != root && strings.HasPrefix(d.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		pkg, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		return visit(strings.TrimPrefix(filepath.ToSlash(pkg), "internal/"), path)
	})
}
