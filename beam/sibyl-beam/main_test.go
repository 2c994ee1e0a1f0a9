package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/privacy"
)

// asCommand is the environment variable that makes the test binary run as the command.
const asCommand = "SIBYL_BEAM_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// sibylBeam runs the command, and returns its exit code, standard output and standard error.
func sibylBeam(t *testing.T, args string) (code int, stdout, stderr string) {
	t.Helper()
	var out, told bytes.Buffer
	c := exec.Command(os.Args[0], strings.Fields(args)...)
	c.Env = append(os.Environ(), asCommand+"=1")
	c.Stdout, c.Stderr = &out, &told
	if err := c.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.String(), told.String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// world creates a schema, two files with 300 rows together, a malformed file and an account in a new directory, and
// makes it the working directory.
func world(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	must(t, os.WriteFile("s.toml", []byte(`
[label]
column = "y"
positive = ["1"]
negative = ["0"]
[[attribute]]
column = "a"
values = ["0", "1"]
[[attribute]]
column = "b"
values = ["0", "1", "2"]
`), 0o600))
	for f := range 2 {
		text := "y,a,b\n"
		for i := range 150 {
			text += fmt.Sprintf("%d,%d,%d\n", i%2, (i+f)%2, i%3)
		}
		must(t, os.WriteFile(fmt.Sprintf("p%d.csv", f), []byte(text), 0o600))
	}
	must(t, os.WriteFile("bad.csv", []byte("y,a,b\n0,0\n"), 0o600))
	terms := account.Terms{Relation: privacy.ReplaceOne, Of: "a test"}
	for text, to := range map[string]*privacy.Decimal{"100": &terms.Epsilon, "0.9": &terms.Delta} {
		var err error
		*to, err = privacy.ParseDecimal(text)
		must(t, err)
	}
	must(t, account.Create(context.Background(), "a.db", terms))
}

// statement returns the statement of the account.
func statement(t *testing.T) *account.Statement {
	t.Helper()
	a, err := account.Open(context.Background(), "a.db")
	must(t, err)
	defer a.Close()
	s, err := a.Statement(context.Background())
	must(t, err)
	return s
}

// reserved returns the reserved amount of the account, as JSON.
func reserved(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(statement(t).Reserved)
	must(t, err)
	return string(text)
}

const asked = "learn --schema s.toml --rows 300 --epsilon 4 --delta 0.05 --calls 200 "

// TestLearn releases a model, which must be valid and settled in the account. A release that fails after the data was
// opened remains reserved, and one without a hypothesis is spent. Both are reported in one sentence.
func TestLearn(t *testing.T) {
	world(t)
	code, out, told := exitNothing, "", "released no hypothesis"
	for range 5 { // each release has no hypothesis with a probability of at most 1/20
		if code == exitNothing && strings.Contains(told, "released no hypothesis") {
			code, out, told = sibylBeam(t, asked+"--data p*.csv --account a.db --out m.json")
		}
	}
	if code != 0 || !strings.HasPrefix(out, "m.json: a scorecard that predicts y.\n\nDifferentially private: ε = ") || !strings.Contains(told, "and the account records it") {
		t.Fatalf("exit %d, %s, %s", code, out, told)
	}
	file, err := os.Open("m.json")
	must(t, err)
	defer file.Close()
	if _, err := mechanism.Read(file); err != nil {
		t.Error(err)
	}
	nothing := reserved(t)
	for _, c := range []struct {
		args string
		code int
		kept bool // whether the charge remains reserved
		want string
	}{
		{"--data *.csv --out n.json", exitUsage, true, "sibyl-beam: bad.csv:2: the record has 2 fields instead of 3"},
		{"--data p0.csv --out n.json", exitUsage, true, "sibyl-beam: --rows is 300, but the data has 150 rows, including those with values outside the schema; state that number; the account keeps the charge of this release\n"},
		{"--data p*.csv --out n.json --answers none/answers", exitNothing, true, "sibyl-beam: nothing was released: not all parts were solved after the data was opened, and the cause is not shown, because it may reveal private data (--private-log stores it); the account keeps the charge of this release\n"},
		{"--data p*.csv --out n.json --node-budget 1", exitNothing, false, "sibyl-beam: the mechanism released no hypothesis, but the release consumed its ε and δ\n"},
	} {
		was, held := len(statement(t).Entries), reserved(t)
		code, out, told := sibylBeam(t, asked+"--account a.db "+c.args)
		if code != c.code || out != "" || !strings.Contains(told, c.want) {
			t.Errorf("%s: exit %d, %s, %s", c.args, code, out, told)
		}
		if _, err := os.Stat("n.json"); err == nil {
			t.Errorf("%s: a file is written", c.args)
		}
		if is := len(statement(t).Entries); is != was+1 {
			t.Errorf("%s: %d entries after %d", c.args, is, was)
		}
		if kept := reserved(t) != held; kept != c.kept {
			t.Errorf("%s: reserved %s after %s", c.args, reserved(t), held)
		}
	}
	if reserved(t) == nothing {
		t.Error("nothing is reserved")
	}
}

// TestInterrupted interrupts a release that has charged the account and waits for its data. The error says that the
// account keeps the charge.
func TestInterrupted(t *testing.T) {
	world(t)
	must(t, syscall.Mkfifo("slow.csv", 0o600))
	var told bytes.Buffer
	c := exec.Command(os.Args[0], strings.Fields(asked+"--data slow.csv --account a.db --out n.json")...)
	c.Env, c.Stderr = append(os.Environ(), asCommand+"=1"), &told
	must(t, c.Start())
	data, err := os.OpenFile("slow.csv", os.O_WRONLY, 0) // waits until the command opens the data
	must(t, err)
	must(t, c.Process.Signal(os.Interrupt))
	time.Sleep(100 * time.Millisecond) // so that the signal arrives before the end of the data
	must(t, data.Close())
	c.Wait()
	if want := "sibyl-beam: interrupted; nothing was written, but the account keeps the charge of this release\n"; c.ProcessState.ExitCode() != exitInterrupted || told.String() != want {
		t.Errorf("exit %d, %s", c.ProcessState.ExitCode(), told.String())
	}
	if len(statement(t).Entries) != 1 {
		t.Error("nothing is charged")
	}
}

// TestRefused checks that errors in public inputs are reported before the account is charged.
func TestRefused(t *testing.T) {
	world(t)
	must(t, os.WriteFile("there.json", nil, 0o600))
	for _, c := range []struct{ args, want string }{
		{"", "the command is missing; use sibyl-beam count "},
		{"forget", `unknown command "forget"; use sibyl-beam count `},
		{"count here", `unexpected argument "here": count accepts only flags`},
		{"count --data p*.csv --schema s.toml", "--out is missing"},
		{"count --data q*.csv --schema s.toml --out c.parquet", "q*.csv: no file matches this pattern"},
		{"count --data p0.csv p1.csv", "an argument is not a flag; put the pattern of --data in quotes"},
		{"learn weather", `class "weather" is unknown; it is one of scorecard, `},
		{"learn tree", "prsma does not support class tree; use one of scorecard, "},
		{"learn --nonsense", "flag provided but not defined: -nonsense; sibyl-beam learn --help lists the flags"},
		{asked + "--data p*.csv", "--out is missing"},
		{asked + "--data p*.csv --out m.json --mechanism rspm", `--mechanism "rspm" is not supported by sibyl-beam; use --mechanism prsma, or the command sibyl learn`},
		{asked + "--data p*.csv --out m.json --risk 0.1", "--risk must be 0: sibyl-beam learn does not compute the counts of all rows, which risks need"},
		{asked + "--data p*.csv --out m.json --epsilon x", "--epsilon "},
		{asked + "--data p*.csv --out m.json --delta 0", "--mechanism prsma needs a --delta above 0, such as 1e-6"},
		{asked + "--data p*.csv --out m.json --rows 0", "--rows must be positive, but is 0"},
		{asked + "--data p*.csv --out m.json --oracle clasp", "--mechanism prsma does not support --oracle clasp, because the answers of this solver are not verified"},
		{asked + "--data q*.csv --out m.json", "q*.csv: no file matches this pattern"},
		{asked + "--data p*.csv --out there.json", "there.json: the file exists already; name another file, or give --force to replace it"},
		{asked + "--data p*.csv --out p0.csv --force", "p0.csv: the file is an input of this command and would be overwritten; name another file"},
		{asked + "--data p*.csv --out m.json --insecure-seed 1", "--account and --insecure-seed cannot be used together, because a release without a guarantee cannot be charged"},
	} {
		args := c.args
		if strings.HasPrefix(args, asked) {
			args += " --account a.db"
		}
		code, out, told := sibylBeam(t, args)
		if code != exitUsage || out != "" || !strings.HasPrefix(told, "sibyl-beam: "+c.want) || strings.Count(told, "\n") != 1 {
			t.Errorf("%s: exit %d, %s, %s", args, code, out, told)
		}
	}
	if n := len(statement(t).Entries); n != 0 {
		t.Errorf("%d entries in the account", n)
	}
	if _, err := os.Stat("m.json"); err == nil {
		t.Error("a file is written")
	}
}

// TestCount writes a file of counts, and checks the warning that it is not private.
func TestCount(t *testing.T) {
	world(t)
	code, out, told := sibylBeam(t, "count --data p*.csv --schema s.toml --out c.parquet")
	if _, err := os.Stat("c.parquet"); code != 0 || err != nil || !strings.HasPrefix(out, "c.parquet: exact counts.") || !strings.Contains(told, "NOT PRIVATE") {
		t.Errorf("exit %d, %s, %s, %v", code, out, told, err)
	}
}
