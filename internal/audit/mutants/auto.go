package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// critical is the content of a list of critical files, for all of whose lines mutants (deliberate
// faults) are generated automatically. The list also contains the tests that judge the mutants, and
// two lists of mutants: equivalent ones, which change nothing that can be observed, and survivors,
// which no test detects yet.
type critical struct {
	Group []struct {
		Why   string
		Files []string // patterns of paths, relative to the top of the checkout
		Tests []string // packages, followed by -run and tests if only some tests of the package judge mutants
		Open  bool     // whether the list of survivors is incomplete; survivors that are not listed are then reported, but are not an error

		// Sampled is the number of mutants of the group that are judged, selected by a hash of their text. If it is 0, all
		// are judged.
		Sampled int
	}
	Equivalent []noted
	Survivor   []noted
}

// A noted is a mutant that a list names. It is identified by the text of its line and not by a line number, so that it
// is found even if the line moves.
type noted struct{ File, Line, Change, Why string }

func (e noted) key() string { return e.File + "\n" + e.Line + "\n" + e.Change }

// readCritical reads all TOML files of a directory as one list.
func readCritical(directory string) (c critical, err error) {
	files, err := filepath.Glob(filepath.Join(directory, "*.toml"))
	if err != nil {
		return c, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return c, err
		}
		var one critical
		if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&one); err != nil {
			return c, fmt.Errorf("%s: %w", file, err)
		}
		c.Group = append(c.Group, one.Group...)
		c.Equivalent = append(c.Equivalent, one.Equivalent...)
		c.Survivor = append(c.Survivor, one.Survivor...)
	}
	for _, e := range c.Equivalent {
		if e.Why == "" {
			return c, fmt.Errorf("%s: the entry for the equivalent change %q of %s has no reason; write it in the key \"why\"", directory, e.Change, e.File)
		}
	}
	return c, nil
}

// The limits on the CPU time, in seconds, of the tests of one mutant.
const (
	mostTest   = 10 // the maximum time of a test; a test that takes longer judges no mutant
	mostMutant = 10 // the maximum time of the tests that do not fail, all together
	hangs      = 10 // a test hangs if it takes more than this multiple of its usual time, plus slack
	slack      = 0.9
)

// A reach describes a test that passes without mutants: its CPU time, and the mutated places of the
// code (sites) that it executes. A mutant is judged only by tests that execute its site.
type reach struct {
	of                      string // the entry of critical.Tests that names the test
	binary, directory, name string
	seconds                 float64
	sites                   map[int]bool
}

// automate generates mutants of those critical files whose names match pattern, and judges them with the tests of the
// list. It prints a report to out. If mutants survive that are not listed as survivors, it returns an error with
// their number.
//
// If size is 0, automate judges the mutants of all groups of files. Otherwise it judges a sample of this size, from
// one group. The parameter by is an arbitrary text that determines the group and the sample: equal texts give equal
// samples.
func automate(ctx context.Context, root, list string, pattern *regexp.Regexp, size int, by string, out io.Writer) error {
	c, err := readCritical(list)
	if err != nil {
		return err
	}
	only := -1                        // the index of the only group that is judged, or -1 for all groups
	if size > 0 && len(c.Group) > 0 { // one group, because it has few tests
		sum := sha256.Sum256([]byte(by))
		only = int(sum[0]) % len(c.Group)
	}
	if root, err = filepath.Abs(root); err != nil {
		return err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)

	files, err := c.selectFiles(root, list, pattern, only)
	if err != nil {
		return err
	}
	mutants, made, texts, err := c.generate(ctx, root, files, out)
	if err != nil {
		return err
	}
	for _, e := range slices.Concat(c.Equivalent, c.Survivor) {
		if files.judges[e.File] != nil && !made[e.key()] {
			return fmt.Errorf("%s: a listed mutant does not exist in %s: the change %q in the line %q; correct or remove this entry", list, e.File, e.Change, e.Line)
		}
	}
	overlay, err := writeOverlay(scratch, texts)
	if err != nil {
		return err
	}
	if total := len(mutants); size > 0 && size < total {
		mutants = chosenBy(mutants, size, by)
		fmt.Fprintf(out, "%d of %d automatic mutants, chosen by %s\n", len(mutants), total, by)
	}
	wanted := map[string]bool{} // the entries of critical.Tests whose tests are needed
	for _, m := range mutants {
		for _, p := range files.judges[m.File] {
			wanted[p] = true
		}
	}
	start := time.Now()
	tests, err := reached(ctx, root, scratch, overlay, wanted, out)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d mutants, %d tests [%.0f s]\n", len(mutants), len(tests), time.Since(start).Seconds())
	verdicts, spent, err := c.judge(ctx, mutants, tests, files, out)
	if err != nil {
		return err
	}
	return tell(out, mutants, verdicts, spent)
}

// A criticalFiles describes the files for which mutants are generated.
type criticalFiles struct {
	in     map[string][]string // the paths of the files, by directory
	group  map[string]int      // by file, the index of the first group that lists it
	judges map[string][]string // by file, the Tests of its group
	open   map[string]bool     // by file, whether its group is Open
}

// selectFiles returns the files of the list that are built on this machine and whose names match pattern. If only is not
// negative, it returns only the files of this group.
func (c critical) selectFiles(root, list string, pattern *regexp.Regexp, only int) (criticalFiles, error) {
	s := criticalFiles{map[string][]string{}, map[string]int{}, map[string][]string{}, map[string]bool{}}
	for i, g := range c.Group {
		for _, p := range g.Files {
			found, err := filepath.Glob(filepath.Join(root, p))
			if err != nil || len(found) == 0 {
				return s, fmt.Errorf("%s: no file %s, %v", list, p, err)
			}
			for _, name := range found {
				short := strings.TrimPrefix(name, root+"/")
				built, err := build.Default.MatchFile(filepath.Dir(name), filepath.Base(name)) // on this machine
				if err != nil {
					return s, err
				}
				if _, taken := s.group[short]; taken || !built || strings.HasSuffix(name, "_test.go") || !pattern.MatchString(short) {
					continue
				}
				if s.group[short] = i; only >= 0 && i != only {
					continue
				}
				s.in[filepath.Dir(name)] = append(s.in[filepath.Dir(name)], name)
				s.judges[short], s.open[short] = g.Tests, g.Open
			}
		}
	}
	if len(s.in) == 0 {
		return s, errors.New("the list contains no file whose name matches -file")
	}
	return s, nil
}

// generate generates the mutants of the files, and leaves out those that the sample of a group does
// not contain. The result made has the keys of all mutants, including those left out. The result
// texts holds the contents of the files with all returned mutants, by path.
func (c critical) generate(ctx context.Context, root string, files criticalFiles, out io.Writer) (mutants []*automatic, made map[string]bool, texts map[string][]byte, err error) {
	var directories []string
	for d := range files.in {
		directories = append(directories, "."+strings.TrimPrefix(d, root))
	}
	slices.Sort(directories)
	all, err := load(ctx, root, append([]string{"os", "strconv", "sync"}, directories...)) // those of switchFile too
	if err != nil {
		return nil, nil, nil, err
	}
	groups := make([][]*automatic, len(c.Group))
	makers := map[string]*maker{}
	made, texts = map[string]bool{}, map[string][]byte{}
	nextSite, nextID := 0, 0
	for _, d := range directories {
		d = filepath.Join(root, d)
		slices.Sort(files.in[d])
		own, besides, err := mutate(root, all, all.at[d], files.in[d], &nextSite, &nextID)
		if err != nil {
			return nil, nil, nil, err
		}
		texts[filepath.Join(d, "mutant__.go")] = besides
		for _, name := range files.in[d] {
			makers[name] = own[name]
			for _, m := range own[name].mutants() {
				at := files.group[m.File]
				groups[at] = append(groups[at], m)
				made[m.key()] = true
			}
		}
	}
	kept := map[*automatic]bool{}
	for i, g := range c.Group {
		if n := len(groups[i]); 0 < g.Sampled && g.Sampled < n {
			groups[i] = chosenBy(groups[i], g.Sampled, g.Why)
			fmt.Fprintf(out, "%d of %d automatic mutants of %s\n", len(groups[i]), n, g.Why)
		}
		mutants = append(mutants, groups[i]...)
	}
	for _, m := range mutants {
		kept[m] = true
	}
	for name, k := range makers {
		k.keep(kept)
		texts[name] = k.render()
	}
	return mutants, made, texts, nil
}

// writeOverlay writes modified source files to the directory scratch. The parameter texts holds
// their contents, by the path of the file that each replaces. It returns the path of a file for the
// option -overlay of the go command.
func writeOverlay(scratch string, texts map[string][]byte) (string, error) {
	replace := map[string]string{}
	for name, text := range texts {
		changed := filepath.Join(scratch, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(changed, text, 0o600); err != nil {
			return "", err
		}
		replace[name] = changed
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(scratch, "overlay.json")
	return path, os.WriteFile(path, overlay, 0o600)
}

// judge judges each mutant with the tests that reach it. It prints survivors that are not listed to out, and returns the
// verdict on each mutant and the CPU time in seconds.
func (c critical) judge(ctx context.Context, mutants []*automatic, tests []reach, files criticalFiles, out io.Writer) (verdicts []string, spent float64, err error) {
	equal, known := map[string]bool{}, map[string]bool{}
	for _, e := range c.Equivalent {
		equal[e.key()] = true
	}
	for _, e := range c.Survivor {
		known[e.key()] = true
	}
	verdicts = make([]string, len(mutants))
	var lock sync.Mutex
	err = parallel.Do(ctx, workers, len(mutants), func() func(int) {
		return func(i int) {
			m := mutants[i]
			if equal[m.key()] {
				verdicts[i] = "equivalent"
				return
			}
			verdict, seconds := judgeOne(ctx, m, tests, files.judges[m.File])
			lock.Lock()
			defer lock.Unlock()
			verdicts[i], spent = verdict, spent+seconds
			if verdict == "killed" || verdict == "hangs" {
				return
			}
			if !known[m.key()] {
				fmt.Fprintf(out, "%v: %s\n", m, verdict)
			}
			if known[m.key()] || files.open[m.File] {
				verdicts[i] = "open"
			}
		}
	})
	return verdicts, spent, err
}

// tell prints a table of the verdicts, with one line per file. It returns an error if mutants survive.
func tell(out io.Writer, mutants []*automatic, verdicts []string, spent float64) error {
	counts, names := map[string]map[string]int{}, []string{}
	for i, m := range mutants {
		for _, name := range []string{m.File, "together"} {
			if counts[name] == nil {
				counts[name] = map[string]int{}
				names = append(names, name)
			}
			verdict, _, _ := strings.Cut(verdicts[i], ",")
			counts[name][verdict]++
			counts[name]["made"]++
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if (a == "together") != (b == "together") {
			return cmp.Compare(map[bool]int{true: 1}[a == "together"], map[bool]int{true: 1}[b == "together"])
		}
		return cmp.Compare(a, b)
	})
	fmt.Fprintf(out, "| file | made | killed | hang | equivalent | open | survive | reached by no test |\n|---|---|---|---|---|---|---|---|\n")
	for _, name := range names {
		of := counts[name]
		fmt.Fprintf(out, "| %s | %d | %d | %d | %d | %d | %d | %d |\n", name, of["made"], of["killed"], of["hangs"], of["equivalent"], of["open"], of["SURVIVES"], of["NOT REACHED"])
	}
	fmt.Fprintf(out, "%.0f s of CPU, %.1f mutants a second\n", spent, float64(len(mutants))/max(spent, 1))
	if n := counts["together"]["SURVIVES"] + counts["together"]["NOT REACHED"]; n > 0 {
		return fmt.Errorf("%d automatic mutants survive the tests; add tests that fail with them, or list these mutants", n)
	}
	return nil
}

// chosenBy returns a pseudorandom sample of n mutants. The word serves as the seed: it is hashed
// together with the key of each mutant, and the mutants with the smallest hashes are selected. The
// prefix internal/ of a key is not hashed, so that the sample does not change when a package moves
// into this directory.
func chosenBy(all []*automatic, n int, word string) []*automatic {
	named := make([]mutant, len(all))
	for i, m := range all {
		named[i] = mutant{Name: strings.TrimPrefix(m.key(), "internal/")}
	}
	kept := map[string]bool{}
	for _, m := range sample(named, n, word) {
		kept[m.Name] = true
	}
	var out []*automatic
	for i, m := range all {
		if kept[named[i].Name] {
			out = append(out, m)
		}
	}
	return out
}

// reached builds the test binaries of packages and runs each test separately, without a mutant, to find out which
// mutants it reaches.
func reached(ctx context.Context, root, scratch, overlay string, packages map[string]bool, out io.Writer) ([]reach, error) {
	var all []reach
	var names []string
	for p := range packages {
		names = append(names, p)
	}
	slices.Sort(names)
	binaries := map[string]string{}
	for _, of := range names {
		p, named, _ := strings.Cut(of, " -run ")
		if binaries[p] == "" {
			binaries[p] = filepath.Join(scratch, fmt.Sprintf("%d.test", len(binaries)))
			compile := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binaries[p], p)
			compile.Dir = root
			if text, err := compile.CombinedOutput(); err != nil {
				return nil, fmt.Errorf("%s does not build with all mutants: %s", p, text)
			}
		}
		directory := filepath.Join(root, p)
		list := exec.CommandContext(ctx, binaries[p], "-test.list", cmp.Or(named, "."))
		list.Dir = directory
		text, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		for _, name := range strings.Fields(string(text)) {
			if !strings.HasPrefix(name, "Benchmark") {
				all = append(all, reach{of: of, binary: binaries[p], directory: directory, name: name})
			}
		}
	}
	found := make([]*reach, len(all))
	err := parallel.Do(ctx, workers, len(all), func() func(int) {
		return func(i int) {
			t := all[i]
			to := filepath.Join(scratch, fmt.Sprintf("reached%d", i))
			ok, _, seconds := runTests(ctx, t.binary, t.directory, []string{t.name}, mostTest, 0, "SIBYL_MUTANT_REACHED="+to)
			text, _ := os.ReadFile(to)
			os.Remove(to)
			if !ok {
				fmt.Fprintf(out, "%s of %s judges no mutant: it fails by itself or takes over %d s\n", t.name, strings.TrimPrefix(t.directory, root+"/"), mostTest)
				return
			}
			r := &t
			r.seconds, r.sites = seconds, map[int]bool{}
			for _, line := range strings.Fields(string(text)) {
				id, _ := strconv.Atoi(line)
				r.sites[id] = true
			}
			found[i] = r
		}
	})
	var tests []reach
	for _, r := range found {
		if r != nil && len(r.sites) > 0 {
			tests = append(tests, *r)
		}
	}
	slices.SortStableFunc(tests, func(a, b reach) int { return cmp.Compare(a.seconds, b.seconds) })
	return tests, err
}

// judgeOne runs the tests that reach mutant m, the fastest first, until one fails. It returns the
// verdict and the CPU time in seconds.
func judgeOne(ctx context.Context, m *automatic, tests []reach, judges []string) (verdict string, spent float64) {
	var mine []reach
	for _, t := range tests {
		if t.sites[m.Site] && slices.Contains(judges, t.of) {
			mine = append(mine, t)
		}
	}
	if len(mine) == 0 {
		return "NOT REACHED", 0
	}
	// Each pass runs several tests together, in one process for each binary. The total time of these tests is at most
	// the time of all earlier tests, plus some slack.
	normal, run := 0.0, 0
	for at := 0; at < len(mine) && normal < mostMutant; {
		share, sum := 0.1+normal, 0.0
		binaries := map[string][]reach{}
		var order []string
		for ; at < len(mine) && (sum == 0 || sum+mine[at].seconds <= share); at++ {
			t := mine[at]
			if binaries[t.binary] == nil {
				order = append(order, t.binary)
			}
			binaries[t.binary] = append(binaries[t.binary], t)
			sum += t.seconds
		}
		normal += sum
		for _, b := range order {
			var names []string
			own := 0.0
			for _, t := range binaries[b] {
				names, own = append(names, t.name), own+t.seconds
			}
			limit := hangs*own + slack
			ok, ended, seconds := runTests(ctx, b, binaries[b][0].directory, names, limit, m.ID, "")
			spent += seconds
			run += len(names)
			if !ok {
				if ended {
					return "hangs", spent
				}
				return "killed", spent
			}
		}
	}
	return fmt.Sprintf("SURVIVES, %d of %d tests that reach it", run, len(mine)), spent
}

// runTests runs the named tests of a test binary while the mutant with the given id is active. The tests may use 6 GB
// of address space, and a limited CPU time: the parameter limit, in seconds. runTests reports whether the tests
// passed, whether a limit or a signal ended them, and their CPU time in seconds.
func runTests(ctx context.Context, binary, directory string, names []string, limit float64, id int, environment string) (ok, ended bool, seconds float64) {
	for i, name := range names {
		names[i] = regexp.QuoteMeta(name)
	}
	script := fmt.Sprintf(`ulimit -t %.0f; ulimit -v 6000000; exec "$@"`, math.Ceil(limit))
	command := exec.CommandContext(ctx, "sh", "-c", script, "sh", binary, "-test.failfast", "-test.timeout=300s", "-test.run", "^("+strings.Join(names, "|")+")$")
	command.Dir = directory
	command.Env = append(os.Environ(), "SIBYL_MUTANT="+strconv.Itoa(id), "GOMAXPROCS=2")
	if environment != "" {
		command.Env = append(command.Env, environment)
	}
	err := command.Run()
	if s := command.ProcessState; s != nil {
		seconds = (s.UserTime() + s.SystemTime()).Seconds()
		ended = s.ExitCode() < 0 || seconds >= math.Ceil(limit) // by a signal, or by the Go runtime for one
	}
	return err == nil, ended, seconds
}
