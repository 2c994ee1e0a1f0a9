//go:build unix

package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/pflag"

	"github.com/sibyl-dp/sibyl/internal/parallel"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// The tables of bad input (bad_test.go) list inputs with the message for each. The tests in this file are not
// listed: they give every flag of every command every bad value, and give every file that a command reads every bad
// form. They do not compare the messages. A command must exit with code 1 and one sentence, leave all files, including
// the account, unchanged, and quote no private cell. If the input may be valid, the command may also succeed.

// commandsOfSuite are valid commands for the working directory. Commands that read data charge an account.
var commandsOfSuite = []string{
	"learn --data d.csv --schema y.toml --epsilon 1 --out new.json --account a.db",
	"learn decision-list --data d.csv --schema y.toml --epsilon 1 --out new.json --account a.db",
	"learn tree --data d.csv --schema y.toml --epsilon 1 --out new.json --account a.db",
	"learn naive-bayes --data d.csv --schema y.toml --epsilon 1 --mechanism newton --delta 1e-6 --out new.json --account a.db",
	"learn conjunction --data d.csv --schema y.toml --epsilon 1 --mechanism rspm --out new.json --account a.db",
	"learn logistic --data d.csv --schema y.toml --epsilon 1 --delta 1e-6 --rows 40 --out new.json --account a.db",
	"schema new --data d.csv --header --label repaid=yes/no --number age --drop note --out new.toml",
	"schema import table.json --label sex --out new.toml",
	"schema import redcap.csv --person id:2 --out new.toml",
	"schema profile --data d.csv --schema open.toml --epsilon 1 --out new.toml --account a.db",
	"check --data d.csv --schema y.toml",
	"count --data d.csv --schema y.toml --out new.parquet",
	"synth --data d.csv --schema y.toml --epsilon 1 --delta 1e-6 --pairwise --model new.json --out new.csv --account a.db",
	"synth --model synth.json --rows 5 --out new.csv",
	"ask --model synth.json age≥30",
	"pairs --data d.csv --schema y.toml --epsilon 1 --delta 1e-6 --out new.json --account a.db",
	"pairs --data c.parquet --schema y.toml --epsilon 1 --delta 1e-6 --out new.json --account a.db",
	"compare --real d.csv --synthetic d.csv --schema y.toml --out new.html",
	"show m.json --html new.html",
	"show synth.json",
	"predict --model m.json --data d.csv --labels --out new.csv",
	"export m.json --format sql --dialect sqlite --table data --id note --out new.sql",
	"export m.json --format python --out new.py",
	"evaluate --model m.json --data d.csv",
	"evaluate --model m.json --data d.csv --epsilon 1 --out new.json --html new.html --account a.db",
	"optimum --data d.csv --schema y.toml --out new.json",
	"online --data d.csv --schema y.toml --epsilon 1 --rounds 2 --batch 20 --out new --account a.db",
	"plan --schema y.toml --rows 100 --epsilon 1",
	"plan synth --schema y.toml --rows 100 --epsilon 1 --delta 1e-6",
	"plan pairs --schema y.toml --rows 100 --epsilon 1 --delta 1e-6",
	"account open --account new.db --epsilon 1 --of people",
	"account open --account more.db --epsilon 1 --of people --besides a.db",
	"account show --account a.db",
	"account export --account a.db",
	"account verify --account a.db",
	"serve --listen 127.0.0.1:0 --directory . --no-browser --idle 1ms",
	"version",
}

// enterSuite creates a working directory with the files that the commands read.
func enterSuite(t *testing.T) {
	t.Helper()
	t.Setenv(accountVariable, "")
	shared, err := txtar.ParseFile("testdata/bad/shared.txtar")
	if err != nil {
		t.Fatal(err)
	}
	synth, err := txtar.ParseFile("testdata/bad/synth.txtar")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, f := range append(shared.Files, synth.Files...) {
		if f.Name == "m.json" || f.Name == "y.toml" {
			put(t, f.Name, string(f.Data))
		}
	}
	rows := "age,home,job,repaid,note\n"
	for i := range 40 {
		rows += fmt.Sprintf("%d,%s,%s,%s,%s\n", 20+i, []string{"rent", "own"}[i%2], []string{"clerk", "boss", "smith"}[i%3], []string{"no", "yes"}[i/4%2], canary)
	}
	put(t, "d.csv", rows)
	put(t, "table.json", `{"fields": [{"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 120}}, {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}}]}`)
	put(t, "open.toml", "[label]\ncolumn = \"repaid\"\npositive = [\"yes\"]\nnegative = [\"no\"]\n[[attribute]]\ncolumn = \"age\"\nkind = \"number\"\n[[attribute]]\ncolumn = \"job\"\nvalues = [\"clerk\"]\n[[attribute]]\ncolumn = \"home\"\nvalues = [\"own\"]\n")
	put(t, "redcap.csv", "field_name,field_type,select_choices_or_calculations,text_validation_type_or_show_slider_number\nid,text,,\nage,text,,integer\nsex,radio,\"1, Female | 2, Male\",\n")
	for _, args := range []string{
		"account open --account a.db --epsilon 1000000 --delta 0.5 --of people",
		"count --data d.csv --schema y.toml --out c.parquet",
		"synth --data d.csv --schema y.toml --epsilon 1 --delta 1e-6 --pairwise --model synth.json --out rows.csv",
	} {
		sibyl(t, strings.Fields(args)...)
	}
	os.Remove("rows.csv")
}

// hostileValues are bad values for flags. The field words reports whether a flag that takes words may accept the value.
var hostileValues = []struct {
	value string
	words bool // may be a valid word
}{
	{"", false}, {"x", true}, {"NaN", true}, {"Inf", true}, {"-Inf", true}, {"-1", true}, {"1e999", true}, {"1e-999999999", true},
	{"99999999999999999999999999", true}, {"0x10", true}, {"1_000", true}, {"½", true}, {" 1", true}, {"1,2", true}, {"--", true}, {"-", true},
	{strings.Repeat("9", 5000), true}, {strings.Repeat("a", 1<<17), true}, {"\xff\xfe", true}, {"a\x00b", true}, {"\x1b[31m", true},
	{"a\nb", true}, {"../../../../../../nowhere/x", true}, {"postgres://ann:" + canary + "@127.0.0.1:1/db", true},
}

// isNumber reports whether a flag takes only numbers. Most hostile values are not numbers.
func isNumber(f *pflag.Flag) bool {
	return slices.Contains([]string{"int", "int64", "uint64", "float64", "duration"}, f.Value.Type())
}

// everyCase runs all cases instead of a sample. This takes two minutes of CPU time.
var everyCase = flag.Bool("every-case", false, "try each case of hostile input, not a sample")

// picked reports whether a case is run. In the short form it selects one case in every, and in the full form one in
// every/19|1. The number n counts the cases of all commands, so that other flags are selected for each command.
func picked(n *int, every int) bool {
	*n++
	return *everyCase || *n%heavy.Pick(every, every/19|1) == 0
}

func TestHostileFlags(t *testing.T) {
	enterSuite(t)
	cases, n := 0, 0
	for _, line := range commandsOfSuite {
		args := strings.Fields(line)
		// The unchanged command must succeed; otherwise the cases below would be refused for
		// another reason.
		bad{at: "right: " + line, args: args, any: true, mayDo: true}.run(t)
		cmd, _, err := newRoot(args).Find(args)
		if err != nil {
			t.Fatal(err)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" {
				return
			}
			try := func(mayDo bool, more ...string) {
				if !picked(&n, 91) {
					return
				}
				cases++
				all := append(slices.Clone(args), more...)
				// The number of rows is only checked after the account is charged, as documented.
				if at := slices.Index(all, "--account"); at >= 0 && slices.Contains([]string{"rows", "rounds", "batch"}, f.Name) {
					all = slices.Delete(all, at, at+2)
				}
				bad{at: fmt.Sprintf("%.300q", all), args: all, any: true, mayDo: mayDo}.run(t)
			}
			if f.NoOptDefVal == "" {
				try(false, "--"+f.Name) // the flag without a value
			}
			for _, v := range hostileValues {
				number := isNumber(f) && !strings.HasPrefix(v.value, "-1") && v.value != " 1" && v.value != "0x10" && v.value != "1_000" && v.value != "1e-999999999"
				empty := v.value == "" && f.NoOptDefVal == ""
				try(!number && !empty, "--"+f.Name+"="+v.value)
			}
			if f.Name != "idle" { // by default, the server waits for hours
				try(true, "--"+f.Name+"="+f.DefValue)
			}
			try(true, "--"+f.Name+"=1", "--"+f.Name+"=2")
			try(false, "--"+f.Name[:1]+"xyzzy=1") // an unknown flag
			try(true, "--"+f.Name+"=1", "surplus")
		})
	}
	t.Logf("%d of %d cases", cases, n)
}

// hostileFiles returns variants of the text of a valid file, by name. Most are malformed; some may be valid.
func hostileFiles(sound string) map[string]string {
	forms := map[string]string{
		"empty": "", "zeros": strings.Repeat("\x00", 4096), "bom": "\ufeff" + sound, "bom twice": "\ufeff\ufeff" + sound,
		"utf-16": "\xff\xfe" + strings.Join(strings.Split(sound, ""), "\x00"), "long line": strings.Repeat("a", 1<<20) + "\n" + sound, "long": sound + strings.Repeat(" ", 1<<20) + "x",
		"latin1": "B\xe4cker," + sound, "nul": "\x00" + sound, "nul inside": sound[:len(sound)/2] + "\x00" + sound[len(sound)/2:],
		"invalid inside": sound[:len(sound)/2] + "\xff" + sound[len(sound)/2:], "twice": sound + sound, "quote": sound[:len(sound)/2] + `"` + sound[len(sound)/2:],
		"brackets": strings.Repeat("[", 100_000), "braces": strings.Repeat(`{"a":`, 100_000), "secret": strings.Repeat(canary+"\n", 100), "crlf": strings.ReplaceAll(sound, "\n", "\r\n"),
		"reversed lines": strings.Join(func() []string { l := strings.SplitAfter(sound, "\n"); slices.Reverse(l); return l }(), ""),
	}
	for i := range 16 {
		forms[fmt.Sprintf("cut at %d/16", i)] = sound[:len(sound)*i/16]
	}
	for i := range 16 {
		at := len(sound) * (2*i + 1) / 32
		forms[fmt.Sprintf("changed at %d/32", 2*i+1)] = sound[:at] + string(sound[at]^1) + sound[at+1:]
		forms[fmt.Sprintf("without %d/32", 2*i+1)] = sound[:at] + sound[min(at+7, len(sound)):]
	}
	return forms
}

// mustRefuse are the names of variants that every command must refuse, unless the file is delimited text.
var mustRefuse = []string{"empty", "zeros", "utf-16", "brackets", "braces", "secret", "nul"}

func TestHostileFiles(t *testing.T) {
	enterSuite(t)
	inputs := map[string]map[string]string{} // the variants of each file
	names, err := filepath.Glob("*.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		inputs[name] = hostileFiles(string(text))
	}
	if err := os.Mkdir("directory", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("loop", "loop"); err != nil {
		t.Fatal(err)
	}
	cases, n := 0, 0
	for _, line := range commandsOfSuite {
		args := strings.Fields(line)
		for i, word := range args {
			forms, isInput := inputs[word]
			if !isInput {
				continue
			}
			data := filepath.Ext(word) == ".csv"
			// Malformed rows are refused after the account is charged, as documented.
			with := func(file string) []string {
				all := slices.Clone(args)
				all[i] = file
				if at := slices.Index(all, "--account"); at >= 0 && i != at+1 {
					all = slices.Delete(all, at, at+2)
				}
				return all
			}
			for _, file := range []string{"missing", "directory", "loop", "directory/", word + "/x", "nowhere/x"} {
				if picked(&n, 5) {
					cases++
					bad{at: fmt.Sprint(with(file)), args: with(file), any: true}.run(t)
				}
			}
			if i > 0 && args[i-1] != "--account" && filepath.Ext(word) != ".csv" && filepath.Ext(word) != ".parquet" && picked(&n, 2) {
				cases++
				written := closedPipe(t)
				bad{at: fmt.Sprint(with("pipe")), args: with("pipe"), any: true}.run(t)
				written()
			}
			for _, other := range names {
				if other != word && filepath.Ext(other) != filepath.Ext(word) && picked(&n, 5) {
					cases++
					bad{at: fmt.Sprint(with(other)), args: with(other), any: true, mayDo: slices.Contains(args, "import") || filepath.Ext(word)+filepath.Ext(other) == ".csv.parquet" || filepath.Ext(word)+filepath.Ext(other) == ".parquet.csv"}.run(t)
				}
			}
			for _, form := range slices.Sorted(maps.Keys(forms)) {
				text := forms[form]
				if !picked(&n, 43) {
					continue
				}
				cases++
				name := "bad" + filepath.Ext(word)
				put(t, name, text)
				bad{at: form + ": " + fmt.Sprint(with(name)), args: with(name), any: true, mayDo: data || !slices.Contains(mustRefuse, form)}.run(t)
				os.Remove(name)
			}
		}
	}
	t.Logf("%d of %d cases", cases, n)
}

// wrongHeaders returns variants of the text of a valid file whose header no command accepts, by name.
func wrongHeaders(sound string) map[string]string {
	header, rows, _ := strings.Cut(sound, "\n")
	return map[string]string{
		"empty": "", "blank": "\n\n", "cut": header[:len(header)/2], "lacks a column": strings.Replace(sound, "job", "work", 1),
		"a column twice": strings.Replace(sound, "home", "job", 1), "no header": rows, "another delimiter": strings.ReplaceAll(sound, ",", ";"),
		"other letters": strings.ToUpper(header) + "\n" + rows, "not text": "age,home,job\xff,repaid,note\n" + rows, "NUL": "age,home,job\x00,repaid,note\n" + rows,
		"a quote inside": strings.Replace(sound, "job", `j"o"b`, 1), "an open quote": `"` + sound, "UTF-16": "\xff\xfea\x00g\x00e\x00",
		"a spreadsheet": "PK\x03\x04" + sound, "zipped": zipped(strings.Replace(sound, "job", "work", 1)), "cut and zipped": zipped(sound)[:12],
		"after a comment": "# age,home,job,repaid,note\n" + rows,
	}
}

// TestWrongHeaderIsFree checks that every command that charges an account refuses a wrong header before it charges the
// account. The data is in a file or on standard input.
func TestWrongHeaderIsFree(t *testing.T) {
	enterSuite(t)
	sound, err := os.ReadFile("d.csv")
	if err != nil {
		t.Fatal(err)
	}
	wrong := wrongHeaders(string(sound))
	wrong["without a column.parquet"] = parquetOf(t, stub{1, canary})
	for _, name := range []string{"lacks.xlsx", "twice.xlsx", "errhead.xlsx", "bare.xlsx", "hidden.xlsx", "cut.xlsx"} {
		wrong[name] = badWorkbooks()[name]
	}
	commands := 0
	for _, line := range commandsOfSuite {
		args := strings.Fields(line)
		at := slices.Index(args, "--data") + 1
		if at == 0 || !slices.Contains(args, "--account") {
			continue
		}
		commands++
		for i, form := range slices.Sorted(maps.Keys(wrong)) {
			if !heavy.On() && (i+commands)%5 != 0 {
				continue // each variant with some commands
			}
			file := "wrong" + filepath.Ext(form)
			put(t, file, wrong[form])
			args[at] = file
			bad{at: form + ": " + fmt.Sprint(args), args: args, any: true}.run(t)
			os.Remove(file)
			args[at] = "-"
			bad{at: form + ": " + fmt.Sprint(args), args: args, any: true, stdin: strings.NewReader(wrong[form])}.run(t)
		}
	}
	if commands < 10 {
		t.Errorf("%d commands", commands)
	}
}

// closedPipe creates a pipe whose writer closes it without writing, so that a reader reaches the end immediately.
func closedPipe(t *testing.T) (end func()) {
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	var writer parallel.Group
	writer.Go(func() {
		if w, err := os.OpenFile("pipe", os.O_WRONLY, 0); err == nil {
			w.Close()
		}
	})
	return func() {
		if r, err := os.OpenFile("pipe", os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil { // if nobody has read it
			r.Close()
		}
		writer.Wait()
		os.Remove("pipe")
	}
}
