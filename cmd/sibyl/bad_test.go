//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// The tables in testdata/bad list bad inputs, which a confused or hostile user may give, and the message SAYS that each
// must cause. A line of a table is one of the following, or prose:
//
//	run: WORDS                   the command of the lines below
//	edit FILE OLD NEW => SAYS    the command, with OLD replaced by NEW in a file
//	write FILE TEXT => SAYS      the command, with TEXT as the content of a file
//	input TEXT => SAYS           the command, with TEXT on standard input
//	stream NAME => SAYS          the command, with an endless stream on standard input
//	with WORDS => SAYS           the command with additional words
//	$ WORDS => SAYS              another command
//
// A line that begins with "full: " is tried only in the full form (internal/testing/heavy), because it takes long
// and another line checks the same code. Words are plain or quoted as in Go, and "x"*3 means "xxx". The files of a table
// follow it in the same archive. All tables can use the files in shared.txtar, and the binary files of badfiles_test.go.
// With -update, the printed messages are written into the tables.

// leastBad is the minimum number of bad inputs in the tables. It detects that inputs are lost.
const leastBad = 1000

// packageName matches package names at the beginning of errors.
var packageName = regexp.MustCompile(`(^|: )(account|class|convex|database|coded|conjunction|declist|halfspace|learn|literal|model|noise|oracle|parity|privacy|readonce|scorecard|search|solver|source|table|tabulated|union): `)

// canary is a word in private cells of the tables' data and in passwords. No message may contain it.
const canary = "secret"

func TestBadInput(t *testing.T) {
	t.Setenv(accountVariable, "")
	tables, err := filepath.Glob("testdata/bad/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	shared, err := txtar.ParseFile("testdata/bad/shared.txtar")
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, path := range tables {
		table, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		total += bytes.Count(table.Comment, []byte(" => "))
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			writeBadFiles(t, string(table.Comment))
			for _, f := range append(shared.Files, table.Files...) {
				put(t, f.Name, string(f.Data))
			}
			said := badTable(t, string(table.Comment))
			if *update {
				table.Comment = []byte(said)
				put(t, filepath.Join(home, path), string(txtar.Format(table)))
			}
		})
	}
	if total < leastBad {
		t.Errorf("the tables hold only %d bad inputs", total)
	}
	t.Logf("%d bad inputs", total)
}

// TestBadPermissions runs tables of bad inputs whose files cannot be read or written.
func TestBadPermissions(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read and write all files")
	}
	shared, err := txtar.ParseFile("testdata/bad/shared.txtar")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, f := range shared.Files {
		put(t, f.Name, string(f.Data))
		put(t, "locked-"+f.Name, string(f.Data))
		if err := os.Chmod("locked-"+f.Name, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("locked", 0o500); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{"learn --data locked-d.csv --schema s.toml --epsilon 1 --out m2.json", "locked-d.csv: the file cannot be read: permission denied"},
		{"learn --data d.csv --schema locked-s.toml --epsilon 1 --out m2.json", "locked-s.toml: the schema cannot be read: permission denied"},
		{"learn --data d.csv --schema s.toml --epsilon 1 --out locked/m.json", "locked/m.json: the file cannot be written: permission denied"},
		{"learn --data d.csv --schema s.toml --epsilon 1 --out m2.json --private-log locked/log", "locked/log: the private log cannot be written: permission denied"},
		{"learn --data d.csv --schema s.toml --epsilon 1 --out m2.json --private-log locked-d.csv", "locked-d.csv: the private log cannot be written: permission denied"},
		{"show locked-m.json", "locked-m.json: the model cannot be read: permission denied"},
		{"show m.json --html locked/page.html", "locked/page.html: the file cannot be written: permission denied"},
		{"predict --model m.json --data d.csv --out locked/p.csv", "locked/p.csv: the file cannot be written: permission denied"},
		{"online --data d.csv --schema s.toml --epsilon 1 --rounds 2 --batch 4 --out locked", "locked/model-0001.json: the file cannot be written: permission denied"},
		{"online --data d.csv --schema s.toml --epsilon 1 --rounds 2 --batch 4 --out locked/new", "locked/new: the directory cannot be created: permission denied"},
	} {
		bad{at: c[0], args: words(t, c[0]), says: c[1]}.run(t)
	}
}

// badTable runs the lines of a table, and returns the table with the messages that the commands printed. After the lines
// of each command, it checks that these lines have not changed the working directory.
func badTable(t *testing.T, table string) (said string) {
	var command []string
	before := snapshot(t)
	unchanged := func(above int) {
		t.Helper()
		now := snapshot(t)
		for name := range now {
			if was, there := before[name]; !there || was != now[name] {
				t.Errorf("a case of the command above line %d left or changed %s", above, name)
			}
		}
		for name := range before {
			if _, there := now[name]; !there {
				t.Errorf("a case of the command above line %d removed %s", above, name)
			}
		}
		before = now
	}
	lines := strings.Split(table, "\n")
	defer func() { unchanged(len(lines)) }()
	for i, line := range lines {
		left, says, isCase := strings.Cut(line, " => ")
		if rest, found := strings.CutPrefix(left, "run: "); found {
			unchanged(i + 1)
			command = words(t, rest)
			continue
		}
		if !isCase {
			continue
		}
		c := bad{args: command, says: says, at: fmt.Sprintf("line %d: %s", i+1, line)}
		text, full := strings.CutPrefix(left, "full: ")
		if full && !heavy.On() {
			continue
		}
		verb, rest, _ := strings.Cut(text, " ")
		w := words(t, rest)
		switch {
		case verb == "$":
			c.args = w
		case verb == "with":
			c.args = append(slices.Clone(command), w...)
		case verb == "edit" && len(w) == 3:
			text, err := os.ReadFile(w[0])
			if err != nil || strings.Count(string(text), w[1]) != 1 {
				t.Fatalf("%s: %q is not there once, %v", c.at, w[1], err)
			}
			c.file, c.text = w[0], strings.Replace(string(text), w[1], w[2], 1)
		case verb == "write" && len(w) == 2:
			c.file, c.text = w[0], w[1]
		case verb == "input" && len(w) == 1:
			c.stdin = strings.NewReader(w[0])
		case verb == "stream" && len(w) == 1 && streams[w[0]] != nil:
			c.stdin = streams[w[0]]()
		default:
			t.Fatalf("%s: unknown", c.at)
		}
		if sentence := c.refuse(t); !strings.Contains(sentence, says) {
			lines[i] = left + " => " + sentence
		}
	}
	return strings.Join(lines, "\n")
}

// A bad is a command with a bad input. The command must be refused with exit code 1 and one sentence. This sentence
// must contain no private cell and no terminal control characters. No new files may remain.
type bad struct {
	at         string // the line of the table
	args       []string
	file, text string // a file that has this text for this case, unless file is ""
	stdin      io.Reader
	says       string

	any   bool // whether any message is right
	mayDo bool // the input may be valid; then its output is removed
}

// refuse runs the command, which must be refused, and returns its error message.
func (b bad) refuse(t *testing.T) string {
	t.Helper()
	if b.file != "" {
		was, err := os.ReadFile(b.file)
		put(t, b.file, b.text)
		defer func() {
			if err != nil {
				os.Remove(b.file)
				return
			}
			put(t, b.file, string(was))
		}()
	}
	sentence, _ := b.answer(t)
	return sentence
}

// run runs the command, compares the working directory before and after it, and restores the directory.
func (b bad) run(t *testing.T) {
	t.Helper()
	before := snapshot(t)
	_, done := b.answer(t)
	for name, is := range snapshot(t) {
		if was, there := before[name]; !there || was != is {
			if !done {
				t.Errorf("%s\nleft or changed %s", b.at, name)
			}
			if there && was.mode.IsRegular() {
				put(t, name, was.text)
			} else {
				os.RemoveAll(name)
			}
		}
		delete(before, name)
	}
	for name := range before {
		t.Errorf("%s\nremoved %s", b.at, name)
	}
}

// answer runs the command, and checks and returns the message on standard error. The result done reports that the
// command succeeded, which is only right if the input may be valid.
func (b bad) answer(t *testing.T) (sentence string, done bool) {
	t.Helper()
	if b.stdin == nil {
		b.stdin = strings.NewReader("")
	}
	var stdout, stderr bytes.Buffer
	code := run(b.args, b.stdin, &stdout, &stderr)
	if b.mayDo && code == cli.ExitDone {
		return "", true
	}
	said := stderr.String()
	sentence, prefixed := strings.CutPrefix(strings.TrimSuffix(said, "\n"), "sibyl: ")
	switch {
	case code != cli.ExitUsage:
		t.Errorf("%s\nexit code %d: %s", b.at, code, said)
	case stdout.Len() != 0:
		t.Errorf("%s\nprinted %s", b.at, &stdout)
	case !prefixed || !strings.HasSuffix(said, "\n") || strings.Count(said, "\n") != 1:
		t.Errorf("%s\nnot one line: %q", b.at, said)
	case quote.Line(sentence) != sentence:
		t.Errorf("%s\nnot printable, or too long: %q", b.at, said)
	case strings.Contains(strings.ToLower(said), canary):
		t.Errorf("%s\nquotes what is private: %s", b.at, said)
	case strings.Contains(said, "runtime error") || strings.Contains(said, ".go:") || strings.Contains(said, "json: cannot") || strings.Contains(said, "Go value") || strings.Contains(said, "strconv.") || packageName.MatchString(sentence):
		t.Errorf("%s\nspeaks of its own parts: %s", b.at, said)
	case b.any:
	case !*update && (b.says == "" || !strings.Contains(sentence, b.says)):
		t.Errorf("%s\nsays %s", b.at, sentence)
	}
	return sentence, false
}

// An entry is an entry of a directory: a file with its text, or another kind of entry without text.
type entry struct {
	mode fs.FileMode
	text string
}

// snapshot returns all entries of the working directory and those below it, by path.
func snapshot(t *testing.T) map[string]entry {
	t.Helper()
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]entry{}
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		e := entry{mode: info.Mode()}
		if e.mode.IsRegular() && e.mode.Perm() != 0 {
			e.text, err = contents(filepath.Join(home, path), info)
		}
		all[path] = e
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// mostKept is the maximum number of bytes of a file that seen caches.
const mostKept = 1 << 16

// seen caches the files that snapshots read, by absolute path.
var seen = map[string]readFile{}

type readFile struct {
	info fs.FileInfo
	text string
}

// settled is the time for which a file must not have changed before its text is cached. If a file is written
// twice within one tick of the kernel's clock, its modification time does not change, so this time would not
// identify the text.
const settled = 50 * time.Millisecond

// contents returns the text of the file that info describes. It reads the file only if the file has changed since it was
// cached.
func contents(path string, info fs.FileInfo) (string, error) {
	known, found := seen[path]
	if found && os.SameFile(known.info, info) && known.info.Size() == info.Size() && known.info.ModTime().Equal(info.ModTime()) {
		return known.text, nil
	}
	text, err := os.ReadFile(path)
	if err == nil && len(text) <= mostKept && time.Since(info.ModTime()) > settled {
		seen[path] = readFile{info, string(text)}
	}
	return string(text), err
}

// words splits a line of a table into words.
func words(t *testing.T, line string) (all []string) {
	t.Helper()
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimLeft(line, " ") {
		word := ""
		for line != "" && line[0] != ' ' {
			if line[0] != '"' && line[0] != '`' {
				n := strings.IndexAny(line, " \"`")
				if n < 0 {
					n = len(line)
				}
				word, line = word+line[:n], line[n:]
				continue
			}
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			text, err := strconv.Unquote(quoted)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			line = line[len(quoted):]
			if rest, found := strings.CutPrefix(line, "*"); found {
				n := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
				times, err := strconv.Atoi(rest[:n])
				if err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				text, line = strings.Repeat(text, times), rest[n:]
			}
			word += text
		}
		all = append(all, word)
	}
	return all
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
