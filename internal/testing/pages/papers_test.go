// Package pages checks the documentation: the targets of links exist, and README.md is short. The page papers/README.md
// maps each statement of the papers to its code, proof, test and command. The tests check that everything that this page
// names exists, and that no numbered statement of a paper is missing.
package pages

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

const page = "papers/README.md"

var (
	span      = regexp.MustCompile("`([^`]*)`")
	link      = regexp.MustCompile(`\]\(([^)]*)\)`)
	qualified = regexp.MustCompile(`^([a-z0-9/]+)\.([A-Z]\w*)$`) // directory.Name
	heading   = regexp.MustCompile(`^#+ (.*)`)
	flagName  = regexp.MustCompile(`^--([a-z-]+)$`)
)

// A checker checks pages against the module in a directory. It reads each file once.
type checker struct {
	root  string
	names map[string]map[string]bool // by directory of a package, the names that it and its tests declare
	texts map[string][]string        // by directory of a package, the string literals of its files without tests
}

func newChecker(root string) *checker {
	return &checker{root, map[string]map[string]bool{}, map[string][]string{}}
}

// problems checks the text of the page at a path relative to the root. It returns the problems that it found, and the
// numbers of code spans and links that it checked.
func (c *checker) problems(at, text string) (problems []string, spans, links int) {
	fenced := false
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		if fenced {
			continue
		}
		report := func(err error) {
			if err != nil {
				problems = append(problems, fmt.Sprintf("%s:%d: %v", at, i+1, err))
			}
		}
		for _, m := range span.FindAllStringSubmatch(line, -1) {
			spans++
			report(c.span(m[1]))
		}
		for _, m := range link.FindAllStringSubmatch(span.ReplaceAllString(line, ""), -1) {
			links++
			report(c.link(path.Dir(at), m[1]))
		}
	}
	return problems, spans, links
}

// span checks a code span. It must be a command, a declared name after the directory of its package, or a path
// relative to the root, which may be a pattern with *.
func (c *checker) span(text string) error {
	if program, args, spaced := strings.Cut(text, " "); spaced && (program == "sibyl" || program == "sibyl-bench") {
		return c.command(program, strings.Fields(args))
	}
	if m := qualified.FindStringSubmatch(text); m != nil {
		declared, err := c.declared(m[1])
		if err != nil {
			return fmt.Errorf("%s: no package in %s: %w", text, m[1], err)
		}
		if !declared[m[2]] {
			return fmt.Errorf("%s: package %s declares no %s", text, m[1], m[2])
		}
		return nil
	}
	found, err := filepath.Glob(filepath.Join(c.root, filepath.FromSlash(text)))
	if err != nil || len(found) == 0 {
		return fmt.Errorf("%q is no path from the root, no declared name, and no command", text)
	}
	return nil
}

// command checks the words after the name of a program. They must be existing subcommands, classes, flags and mechanisms.
func (c *checker) command(program string, args []string) error {
	if _, err := c.declared("cmd/" + program); err != nil {
		return err
	}
	literals := c.texts["cmd/"+program]
	reference, err := os.ReadFile(filepath.Join(c.root, "docs", "reference", "classes.md"))
	if err != nil {
		return err
	}
	described := func(name string) bool { // a class or a mechanism
		return regexp.MustCompile(`(?m)^### ` + regexp.QuoteMeta(name) + `(,|$)`).Match(reference)
	}
	for i, arg := range args {
		previous := ""
		if i > 0 {
			previous = args[i-1]
		}
		f := flagName.FindStringSubmatch(arg)
		value := flagName.MatchString(previous)
		switch {
		case f != nil:
			if !slices.Contains(literals, f[1]) && !regexp.MustCompile("`"+arg+"[ `]").Match(reference) {
				return fmt.Errorf("%s has no flag %s", program, arg)
			}
		case previous == "--mechanism":
			if !described(arg) {
				return fmt.Errorf("%s has no mechanism %s", program, arg)
			}
		case value || arg == "CLASS":
		case slices.ContainsFunc(literals, func(use string) bool { return use == arg || strings.HasPrefix(use, arg+" ") }):
		case i > 0 && described(arg):
		default:
			return fmt.Errorf("%s has no command or class %s", program, arg)
		}
	}
	return nil
}

// declared returns the names that the Go files of a directory declare. Of its tests it includes only the names of tests,
// and of the other files all other names.
func (c *checker) declared(dir string) (map[string]bool, error) {
	if dir == "sibyl" { // the package of the root
		dir = "."
	}
	if names, ok := c.names[dir]; ok {
		return names, nil
	}
	below := dir
	if _, err := os.Stat(filepath.Join(c.root, filepath.FromSlash(dir))); err != nil {
		below = "internal/" + dir // names of packages are written without it
	}
	entries, err := os.ReadDir(filepath.Join(c.root, filepath.FromSlash(below)))
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(c.root, filepath.FromSlash(below), e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		inTests := strings.HasSuffix(e.Name(), "_test.go")
		add := func(id *ast.Ident, function bool) {
			runs := function && slices.ContainsFunc([]string{"Test", "Fuzz", "Example", "Benchmark"}, func(p string) bool { return strings.HasPrefix(id.Name, p) })
			if runs == inTests {
				names[id.Name] = true
			}
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					add(d.Name, true)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						add(s.Name, false)
					case *ast.ValueSpec:
						for _, id := range s.Names {
							add(id, false)
						}
					}
				}
			}
		}
		if inTests {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if s, err := strconv.Unquote(l.Value); err == nil {
					c.texts[dir] = append(c.texts[dir], s)
				}
			}
			return true
		})
	}
	if len(names) == 0 {
		return nil, fs.ErrNotExist
	}
	c.names[dir] = names
	return names, nil
}

// link checks a link of a page in a directory, and the heading that it names.
func (c *checker) link(from, to string) error {
	if strings.Contains(to, "://") {
		return nil
	}
	file, anchor, named := strings.Cut(to, "#")
	at := filepath.Join(c.root, filepath.FromSlash(from), filepath.FromSlash(file))
	if !named {
		if _, err := os.Stat(at); err != nil {
			return fmt.Errorf("the link to %s leads nowhere", to)
		}
		return nil
	}
	text, err := os.ReadFile(at)
	if err != nil {
		return fmt.Errorf("the link to %s leads nowhere", to)
	}
	for line := range strings.Lines(string(text)) {
		if m := heading.FindStringSubmatch(strings.TrimSpace(line)); m != nil && slug(m[1]) == anchor {
			return nil
		}
	}
	return fmt.Errorf("the link to %s: no such heading", to)
}

// slug returns the anchor that GitHub gives to a heading.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Pc):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// A numbering is a sequence of numbers 1, 2, … of statements in a paper. Several kinds of statements may share it.
type numbering struct {
	paper string // the beginning of the heading of the paper's table
	kinds string // a regular expression for the kinds of statements
	last  int
}

var numberings = []numbering{
	{"Neel, Roth and Wu (2018)", "Definition", 18},
	{"Neel, Roth and Wu (2018)", "Theorem", 21},
	{"Neel, Roth and Wu (2018)", "Lemma", 20},
	{"Neel, Roth and Wu (2018)", "Corollary", 4},
	{"Neel, Roth and Wu (2018)", "Remark", 4},
	{"Neel, Roth and Wu (2018)", "Algorithm", 1},
	{"Neel, Roth and Wu (2018)", "Claim", 1},
	{"Neel, Roth and Wu (2018)", "Fact", 1},
	{"Neel, Roth, Vietri and Wu (2019)", "Definition 2[.]", 5},
	{"Neel, Roth, Vietri and Wu (2019)", "Definition A[.]", 2},
	{"Neel, Roth, Vietri and Wu (2019)", "Theorem|Lemma", 11},
	{"Neel, Roth, Vietri and Wu (2019)", "Algorithm", 3},
	{"Wang, Lei and Fienberg (2016)", "Definition|Theorem|Lemma|Corollary|Example|Statement", 38},
	{"Wang, Lei and Fienberg (2016)", "Algorithm", 1},
	{"Vadhan (2017)", "Definition 8[.]", 2},
}

// miscounted returns the numbers of a numbering that do not occur exactly once in the first cells of the paper's rows.
func miscounted(text string, n numbering) (wrong []string) {
	_, section, _ := strings.Cut(text, "\n## "+n.paper)
	section, _, _ = strings.Cut(section, "\n## ")
	seen := make([]int, n.last+1)
	for _, m := range regexp.MustCompile(`(?m)^\| (?:`+n.kinds+`) ?(\d+)\b`).FindAllStringSubmatch(section, -1) {
		number, _ := strconv.Atoi(m[1])
		if number < 1 || number > n.last {
			wrong = append(wrong, fmt.Sprintf("%s: there is no %s %d", n.paper, n.kinds, number))
			continue
		}
		seen[number]++
	}
	for i, times := range seen {
		if i > 0 && times != 1 {
			wrong = append(wrong, fmt.Sprintf("%s: %s %d has %d rows", n.paper, n.kinds, i, times))
		}
	}
	return wrong
}

var uses = regexp.MustCompile(`^(as printed|corrected|replaced|not implemented)\b`)

// malformed returns the malformed rows of statements. A row is malformed if its number of cells differs from that of the
// header, or if it states no use. It is also malformed if it has neither code nor proof, unless its use is "not
// implemented".
func malformed(text string) (rows []string) {
	cells := 0
	for i, line := range strings.Split(text, "\n") {
		row := strings.Split(line, "|")
		switch {
		case !strings.HasPrefix(line, "|"):
			cells = 0
		case cells == 0:
			cells = len(row)
		case len(row) != cells:
			rows = append(rows, fmt.Sprintf("%s:%d: %d cells under a head of %d", page, i+1, len(row)-2, cells-2))
		case strings.HasPrefix(line, "|-"):
		default:
			use := strings.TrimSpace(row[2])
			empty := strings.TrimSpace(row[3]+row[4]) == ""
			if !uses.MatchString(use) || empty && !strings.HasPrefix(use, "not implemented") {
				rows = append(rows, fmt.Sprintf("%s:%d: the use %q, or its code and proof", page, i+1, use))
			}
		}
	}
	return rows
}

func TestPage(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(page)))
	if err != nil {
		t.Fatal(err)
	}
	problems, spans, links := newChecker(root).problems(page, string(text))
	for _, n := range numberings {
		problems = append(problems, miscounted(string(text), n)...)
	}
	for _, p := range append(problems, malformed(string(text))...) {
		t.Error(p)
	}
	if spans < 200 || links < 100 {
		t.Errorf("%d code spans and %d links were looked at", spans, links)
	}
}

// Each kind of mistake is found, and correct text is not reported.
func TestProblemsFinds(t *testing.T) {
	c := newChecker(filepath.Join("..", "..", ".."))
	for _, v := range []struct {
		text  string
		wrong int
	}{
		{"`internal/papers/perturb/rspm.go`, `internal/papers/perturb/opdisc*.go`, `internal/papers/dual`", 0},
		{"`internal/learn/rspn.go`", 1},
		{"`internal/learn/rspn*.go`", 1},
		{"`rspm.go`, `internal/learn/`, `internal/papers/perturb/rspm.go `", 2},
		{"`papers/audit.TestNeelRothWuTheorem6`, `papers/game.TestTranscript`, `papers/game.ExampleOracleQuery`", 0},
		{"`audit.TestNeelRothWuTheorem66`", 1},
		{"`game.TestTranscript`", 1},
		{"`learn.Exponential`, `learn.NewLeader`, `sibyl.Learn`", 0},
		{"`learn.Rspm`, `learn.TestRSPM`, `audit.Opinion`", 3},
		{"`sibyl-bench game`, `sibyl learn CLASS --mechanism rspm --noise cube`, `sibyl learn logistic --mechanism opsamp`, `sibyl learn conjunction --negated`", 0},
		{"`sibyl-bench gmae`", 1},
		{"`sibyl bench game`", 1},
		{"`sibyl learn CLASS --mechanism rspn`", 1},
		{"`sibyl learn CLASS --noises cube`", 1},
		{"`sibyl learn logistics`", 1},
		{"`Lap(m/ε)`", 1},
		{"[a](../docs/explanation/proofs/rspm.md), [b](../docs/explanation/proofs/rspm.md#2-privacy), [c](https://example.org)", 0},
		{"[a](../docs/explanation/proofs/rspn.md)", 1},
		{"[b](../docs/explanation/proofs/rspm.md#2-privacies)", 1},
		{"[b](../docs/explanation/proofs/rspn.md#2-privacy)", 1},
		{"```\n`learn/rspn.go`\n```\n`learn/rspn.go`", 1},
	} {
		if problems, _, _ := c.problems(page, v.text); len(problems) != v.wrong {
			t.Errorf("%s: %d problems are found, there are %d: %q", v.text, len(problems), v.wrong, problems)
		}
	}
}

// A statement is reported if it is missing, if it occurs twice, or if the paper has no such statement. So is a malformed
// row.
func TestMiscountedFinds(t *testing.T) {
	n := numbering{"Someone (2020)", "Theorem|Lemma", 3}
	const others = "\n## Somebody (2019)\n\n| Theorem 1 | a |\n| Theorem 7 | b |\n"
	for _, v := range []struct {
		rows  string
		wrong int
	}{
		{"| Theorem 1 | a |\n| Lemma 2 | see Theorem 9 |\n| Lemma 3, of the tail | c |\n", 0},
		{"| Theorem 1 | a |\n| Lemma 3 | c |\n", 1},
		{"| Theorem 1 | a |\n| Lemma 2 | b |\n| Lemma 2 | b |\n| Lemma 3 | c |\n", 1},
		{"| Theorem 1 | a |\n| Lemma 2 | b |\n| Lemma 3 | c |\n| Lemma 4 | d |\n", 1},
		{"", 3},
	} {
		if wrong := miscounted(others+"\n## Someone (2020): a title\n\n"+v.rows+others, n); len(wrong) != v.wrong {
			t.Errorf("%q: %d are found, there are %d: %q", v.rows, len(wrong), v.wrong, wrong)
		}
	}
	const head = "| statement | use | code | proof |\n|---|---|---|---|\n"
	for _, v := range []struct {
		row string
		ok  bool
	}{
		{"| Lemma 1 | as printed | a | |", true},
		{"| Lemma 1 | replaced: see b | | b |", true},
		{"| Lemma 1 | not implemented: c | | |", true},
		{"| Lemma 1 | as printed | a |", false},
		{"| Lemma 1 | as printed | | |", false},
		{"| Lemma 1 | unknown | a | b |", false},
	} {
		if rows := malformed(head + v.row + "\n\n" + head + v.row); len(rows) == 0 != v.ok || !v.ok && len(rows) != 2 {
			t.Errorf("%s: %q", v.row, rows)
		}
	}
}
