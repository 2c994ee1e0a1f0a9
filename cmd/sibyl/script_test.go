package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/text/encoding/charmap"

	_ "github.com/sibyl-dp/sibyl/internal/smallheap"
)

var update = flag.Bool("update", false, "write what cmp finds into the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sibyl": main, "sibyl-slow-file": slow(false), "sibyl-slow-directory": slow(true)})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":   exits,
			"edit":    edit,
			"holds":   holds,
			"latin1":  latin1,
			"private": private,
			"query":   query,
		},
	})
}

// exits CODE COMMAND... runs the command, which must exit with the code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	code := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if want, err := strconv.Atoi(args[0]); err != nil || code != want {
		ts.Fatalf("exit code %d, want %s; standard error:\n%s", code, args[0], ts.ReadFile("stderr"))
	}
}

// edit FILE OLD NEW replaces the only occurrence of OLD.
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

// holds FILE JSON: the file is JSON and has at least all that the JSON has.
func holds(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] holds FILE JSON")
	}
	var have, want any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &have))
	ts.Check(json.Unmarshal([]byte(args[1]), &want))
	if within(want, have) == neg {
		ts.Fatalf("%s is\n%s", args[0], ts.ReadFile(args[0]))
	}
}

// within tells whether all keys of want are in have with the same values.
func within(want, have any) bool {
	w, ok := want.(map[string]any)
	h, also := have.(map[string]any)
	if !ok || !also {
		return reflect.DeepEqual(want, have)
	}
	for key, value := range w {
		other, found := h[key]
		if !found || !within(value, other) {
			return false
		}
	}
	return true
}

// latin1 FILE writes the text of the file in Windows-1252.
func latin1(ts *testscript.TestScript, neg bool, args []string) {
	text, err := charmap.Windows1252.NewEncoder().String(ts.ReadFile(args[0]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

// private FILE: only the owner may read the file.
func private(ts *testscript.TestScript, neg bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if (info.Mode().Perm() == 0o600) == neg {
		ts.Fatalf("the mode is %v", info.Mode())
	}
}

// query DATABASE FILE runs the statements of the file.
func query(ts *testscript.TestScript, neg bool, args []string) {
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	defer db.Close()
	for statement := range bytes.SplitSeq([]byte(ts.ReadFile(args[1])), []byte(";")) {
		_, err := db.Exec(string(statement))
		ts.Check(err)
	}
}
