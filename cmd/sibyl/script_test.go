package main

import (
	"bytes"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/text/encoding/charmap"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/made"
	_ "github.com/sibyl-dp/sibyl/internal/testing/memoryfiles"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
)

var update = flag.Bool("update", false, "write what cmp finds into the scripts")

// A keepingSignals runs the tests with an additional handler for the signals that the command handles, except for that
// of the interrupt key. Without it, each command would enable the delivery of each signal when it starts and disable it
// when it ends. This takes longer than many commands.
type keepingSignals struct{ *testing.M }

func (m keepingSignals) Run() int {
	kept := slices.DeleteFunc(cli.Signals(), func(s os.Signal) bool { return s == os.Interrupt })
	signal.Notify(make(chan os.Signal, 1), kept...)
	return m.M.Run()
}

func TestMain(m *testing.M) {
	testscript.Main(keepingSignals{m}, map[string]func(){"sibyl": main, "sibyl-slow-file": slow(false), "sibyl-slow-directory": slow(true)})
}

func TestScripts(t *testing.T) {
	directory, err := filepath.Abs("testdata/script") // the working directory changes while scripts are read
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 directory,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Condition: func(name string) (bool, error) {
			if name == "heavy" {
				return heavy.On(), nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":   exits,
			"edit":    edit,
			"holds":   holds,
			"latin1":  latin1,
			"private": private,
			"query":   query,
			"book":    book,
			"survey":  survey,
		},
	})
}

// book OUT.xlsx NAME=FILE.csv... writes a workbook with a sheet for each file of text (made.SheetRows).
func book(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: book OUT NAME=FILE...")
	}
	var w made.Workbook
	for _, arg := range args[1:] {
		name, file, _ := strings.Cut(arg, "=")
		rows, err := csv.NewReader(strings.NewReader(ts.ReadFile(file))).ReadAll()
		ts.Check(err)
		w.Sheets = append(w.Sheets, made.WorkbookSheet{Name: name, Data: made.SheetRows(rows...)})
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), w.Bytes(), 0o600))
}

// survey OUT.csv ROWS writes a generated table of 35 columns (made.Survey).
func survey(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: survey OUT ROWS")
	}
	rows, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(made.Survey().WriteCSV(ts.MkAbs(args[0]), rows))
}

// exits CODE COMMAND... runs the command, which must exit with the code. It runs sibyl in this process, with an empty
// standard input, because this saves the start of a process. The script command exec sibyl starts a process.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	code := 0
	var stderr string
	var exit *exec.ExitError
	if args[1] == "sibyl" {
		code, stderr = within(ts, args[2:])
	} else if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code, stderr = exit.ExitCode(), ts.ReadFile("stderr")
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if want, err := strconv.Atoi(args[0]); err != nil || code != want {
		ts.Fatalf("exit code %d, want %s; standard error:\n%s", code, args[0], stderr)
	}
}

// surroundings is locked while a command uses the working directory and the environment of this process, because scripts
// run in parallel.
var surroundings sync.Mutex

// within runs sibyl with the directory and environment of a script.
func within(ts *testscript.TestScript, args []string) (code int, stderr string) {
	surroundings.Lock()
	defer surroundings.Unlock()
	was, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer os.Chdir(was)
	for _, name := range []string{accountVariable, "TMPDIR"} {
		value, set := os.LookupEnv(name)
		ts.Check(os.Setenv(name, ts.Getenv(name)))
		defer func() {
			if set {
				os.Setenv(name, value)
			} else {
				os.Unsetenv(name)
			}
		}()
	}
	var b strings.Builder
	code = run(args, strings.NewReader(""), ts.Stdout(), io.MultiWriter(ts.Stderr(), &b))
	return code, b.String()
}

// edit FILE OLD NEW replaces OLD by NEW in the file. OLD must occur exactly once.
func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	if n := strings.Count(text, args[1]); n != 1 {
		ts.Fatalf("%q occurs %d times in %s", args[1], n, args[0])
	}
	text = strings.Replace(text, args[1], args[2], 1)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

// holds FILE JSON checks that the file is JSON, and that it contains all keys of the argument JSON with the same values.
func holds(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] holds FILE JSON")
	}
	var have, want any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &have))
	ts.Check(json.Unmarshal([]byte(args[1]), &want))
	if contains(have, want) == neg {
		ts.Fatalf("%s is\n%s", args[0], ts.ReadFile(args[0]))
	}
}

// contains reports whether the JSON value have contains all keys of want with the same values.
func contains(have, want any) bool {
	h, ok := have.(map[string]any)
	w, also := want.(map[string]any)
	if !ok || !also {
		return reflect.DeepEqual(have, want)
	}
	for key, value := range w {
		other, found := h[key]
		if !found || !contains(other, value) {
			return false
		}
	}
	return true
}

// latin1 FILE converts the file to Windows-1252.
func latin1(ts *testscript.TestScript, neg bool, args []string) {
	text, err := charmap.Windows1252.NewEncoder().String(ts.ReadFile(args[0]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

// private FILE checks that only the owner can read the file.
func private(ts *testscript.TestScript, neg bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if (info.Mode().Perm() == 0o600) == neg {
		ts.Fatalf("the mode is %v", info.Mode())
	}
}

// query DATABASE FILE executes the statements of the file.
func query(ts *testscript.TestScript, neg bool, args []string) {
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	defer db.Close()
	for statement := range bytes.SplitSeq([]byte(ts.ReadFile(args[1])), []byte(";")) {
		_, err := db.Exec(string(statement))
		ts.Check(err)
	}
}
