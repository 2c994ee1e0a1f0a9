package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/quote"
)

// badInput lists command lines with the message that each must cause. Words with spaces are quoted.
var badInput = []struct{ args, says string }{
	{"now", "unknown command: now; see sibyl-bench --help"},
	{"orcle --rows 3", "unknown command: orcle, did you mean oracle?; see sibyl-bench --help"},
	{"game --attributes 1", "--attributes contains 1, but each number must be 2 to 16"},
	{"game --attributes 17", "--attributes contains 17, but each number must be 2 to 16"},
	{"game --rows 0", "--rows contains 0, but each number must be 1 to 5000000"},
	{"game --rows 5000001", "--rows contains 5000001, but each number must be 1 to 5000000"},
	{"game --most-rounds 0", "--most-rounds 0 is outside 1..16384"},
	{"game --most-rounds 16385", "--most-rounds 16385 is outside 1..16384"},
	{"game --epsilon 0", "--epsilon 0 is outside 0.000001..1000000; usual values are 0.1 to 2"},
	{"game --delta 0", "--delta 0 is not between 0 and 1"},
	{"game --delta 1", "--delta 1 is not between 0 and 1"},
	{"game now", "sibyl-bench game takes only flags, but one of the arguments is not a flag; see sibyl-bench game --help"},
	{"oracle --limit 0s", "--limit 0s must be positive"},
	{"oracle --limit -1s", "--limit -1s must be positive"},
	{"oracle --limit x", `--limit "x" must be a duration such as 10s or 5m, not too long`},
	{"oracle --only nothing", "no benchmark case is left: none that matches --only has its data set in --data-dir; change one of these flags"},
	{"oracle --out d.csv", "d.csv: the file exists already"},
	{"figure1", `--adult is missing; see sibyl-bench figure1 --help`},
	{"tables --train -1 --table tree:3x2:60", "--train -1 is negative; give a number of rows, or leave the flag out"},
	{"tables --table adult-7", "--table adult-7: set --data-dir to the directory that contains it"},
	{"tables --table forest:3x3:10", `--table "forest:3x3:10" is not a known table; use one of adult-7, `},
	{"tables --table tree:1x3:10", `--table "tree:1x3:10" is not a known table; use one of adult-7, `},
	{"tables --table tree:3x3:9999999999999999999", `--table "tree:3x3:9999999999999999999" is not a known table; use one of adult-7, `},
	{"tables --table \"\x1b[31m\"", "--table \"\\x1b[31m\" is not a known table; use one of adult-7, "},
	{"tables --data d.csv", "--data and --schema must be given together"},
	{"tables --schema s.toml", "--data and --schema must be given together"},
	{"tables --data none.csv --schema s.toml", "none.csv: the file cannot be read: no such file or directory"},
	{"tables --data d.csv --schema none.toml", "none.toml: the schema cannot be read: no such file or directory"},
	{"tables --data-dir none --table adult-7", "none/adult/adult-7.toml: the schema cannot be read: no such file or directory"},
	{"tables --table tree:3x3:10 --method forest", `--method "forest" is not a known class; it must be one of scorecard, `},
	{`tables --table tree:3x3:10 --method ""`, "--method is empty; leave it out for the defaults"},
	{`tables --table ""`, "--table is empty; leave it out for the defaults"},
	{`tables --epsilons ""`, "--epsilons is empty; leave it out for the defaults"},
	{`tables --table tree:3x3:10 --method "tree --depth"`, `--method "tree --depth": the words after the class must be parameters, each written --name value`},
	{`tables --table tree:3x3:10 --method "tree --points 0..1"`, `--method "tree --points 0..1": "--points" is not a parameter of the class or of its mechanism`},
	{"tables --table tree:3x3:10 --method \"\x1b[31m\"", "--method \"\\x1b[31m\" is not a known class; it must be one of scorecard, "},
	{"tables --table tree:3x3:10 --epsilons 0", "--epsilon 0 is outside 0.000001..1000000; usual values are 0.1 to 2"},
	{"tables --table tree:3x3:10 --epsilons x", `--epsilon "x" is not a plain non-negative decimal of at most 100 digits, such as 0.5 or 1e-9`},
	{"tables --table tree:3x3:10 --delta x", `--delta "x" is not a plain non-negative decimal of at most 100 digits, such as 0.5 or 1e-9`},
	{"tables --table tree:3x3:10 --delta 1", "--delta 1 is not below 1"},
	{"tables --table tree:3x3:10 --relation both", `--relation "both": unknown neighbour relation (want "replace" or "add-remove")`},
	{"tables --table tree:3x3:10 --draws 0", "--draws 0 must be positive"},
	{"tables --table tree:3x3:10 --limit 0s", "--limit 0s must be positive"},
	{"tables --table tree:3x3:10 --out d.csv", "d.csv: the file exists already; name another file, or give --force to replace it"},
	{"synth --draws 0", "--draws 0 must be positive"},
	{"synth --limit 0s", "--limit 0s must be positive"},
	{"synth --limit x", `--limit "x" must be a duration such as 10s or 5m, not too long; see sibyl-bench synth --help`},
	{"synth --steps -1", "--steps -1 must not be negative"},
	{"synth --data d.csv", "--data and --schema must be given together"},
	{"synth --schema s.toml", "--data and --schema must be given together"},
	{"synth --engine nothing", `--engine "nothing" is unknown; it must be one of synth, independent, mwem, dualquery, projection, mst, aim, aim-triples, bootstrap`},
	{`synth --engine ""`, "--engine is empty; leave it out for the defaults"},
	{"synth --relation both", `--relation "both": unknown neighbour relation (want "replace" or "add-remove")`},
	{"synth --relation replace-person-3", "--relation replace-person-3 is not supported, because each row of the benchmark's tables is another person; use replace or add-remove"},
	{"synth --delta 0", "--delta 0 must be above 0 and below 1 for the noise of these engines"},
	{"synth --delta 1", "--delta 1 must be above 0 and below 1 for the noise of these engines"},
	{"synth --delta x", `--delta "x" is not a plain non-negative decimal of at most 100 digits, such as 0.5 or 1e-9`},
	{"synth --epsilons 0", "--epsilon 0 is outside 0.000001..1000000; usual values are 0.1 to 2"},
	{"synth --epsilons x", `--epsilon "x" is not a plain non-negative decimal of at most 100 digits, such as 0.5 or 1e-9`},
	{`synth --epsilons ""`, "--epsilons is empty; leave it out for the defaults"},
	{"synth --table nothing", `--table "nothing" is not a known table; use one of adult-7, `},
	{"synth --table tree:1x2:5", `--table "tree:1x2:5" is not a known table; use one of adult-7, `},
	{"synth --table adult-discrete", "--table adult-discrete: set --data-dir to the directory that contains it"},
	{"synth --table adult-discrete-binned --data-dir none", "none/adult-discrete/binned.toml: the schema cannot be read: no such file or directory"},
	{"synth --data none.csv --schema s.toml --draws 1 --epsilons 1", "none.csv: the file cannot be read: no such file or directory"},
	{"synth --out d.csv", "d.csv: the file exists already; name another file, or give --force to replace it"},
	{"synth now", "sibyl-bench synth takes only flags, but one of the arguments is not a flag; see sibyl-bench synth --help"},
	{"figure1 --adult none", "none/adult-7.toml: the schema cannot be read: no such file or directory"},
	{"figure1 --adult none --repetitions 0", "--repetitions 0 must be at least 1"},
	{"figure1 --adult none --workers 0", "--workers 0 must be at least 1"},
	{"figure1 --adult none --epsilons x", `--epsilons: --epsilon "x" is not a plain non-negative decimal`},
	{"figure1 --adult none --epsilons 0", "--epsilons: --epsilon 0 is outside 0.000001..1000000"},
	{"figure1 --adult none --only nothing", "--only nothing matches no method; see --help"},
	{"oracle now", "sibyl-bench oracle takes only flags, but one of the arguments is not a flag; see sibyl-bench oracle --help"},
}

// TestBadInput checks that bad input is refused with one sentence, and that nothing is written.
func TestBadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"d.csv": "a,y\n0,1\n", "s.toml": "[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\"]\n[[attribute]]\ncolumn = \"a\"\nvalues = [\"0\", \"1\"]\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range badInput {
		r := csv.NewReader(strings.NewReader(c.args))
		r.Comma = ' '
		args, err := r.Read()
		if err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		code := run(args, strings.NewReader(""), &stdout, &stderr)
		sentence, named := strings.CutPrefix(strings.TrimSuffix(stderr.String(), "\n"), "sibyl-bench: ")
		if code != cli.ExitUsage || stdout.Len() > 0 || !named || quote.Line(sentence) != sentence || !strings.Contains(sentence, c.says) {
			t.Errorf("%s: exit code %d, printed %q and %q", c.args, code, &stdout, &stderr)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) != 2 {
		t.Errorf("files %v, %v", left, err)
	}
}
