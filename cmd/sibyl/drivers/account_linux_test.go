package drivers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The tests run the test program in processes that make entries in an account (spenders), and kill these processes.
const (
	spenderVariable = "SIBYL_TEST_SPENDER"       // the location of the account
	timesVariable   = "SIBYL_TEST_SPENDER_TIMES" // the number of releases
	roomVariable    = "SIBYL_TEST_SPENDER_ROOM"  // the limit on file sizes, in bytes
)

func TestMain(m *testing.M) {
	if location := os.Getenv(spenderVariable); location != "" {
		if err := spend(location); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// spend makes entries in the account at a location. It prints each step after the call has returned.
func spend(location string) error {
	runtime.LockOSThread()
	ctx := context.Background()
	a, err := account.Open(ctx, location)
	if err != nil {
		return err
	}
	if room := os.Getenv(roomVariable); room != "" {
		n, err := strconv.ParseUint(room, 10, 64)
		if err != nil {
			return err
		}
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			return err
		}
	}
	times, err := strconv.Atoi(os.Getenv(timesVariable))
	if err != nil {
		return err
	}
	fmt.Println("ready")
	epsilon, err := privacy.ParseDecimal("0.001")
	if err != nil {
		return err
	}
	g, err := privacy.NewPure(privacy.ReplaceOne, epsilon)
	if err != nil {
		return err
	}
	for range times {
		token, err := a.Reserve(ctx, account.Entry{Description: []byte(`{"epsilon": "0.001"}`), Guarantee: g})
		if err != nil {
			return err
		}
		fmt.Println("reserved", token)
		if err := a.Settle(ctx, token, digest); err != nil {
			return err
		}
		fmt.Println("settled", token)
	}
	fmt.Println("done")
	return a.Close()
}

// A spender is a process that runs spend.
type spender struct {
	*exec.Cmd
	out *bufio.Reader
}

func startSpender(t *testing.T, location string, times int, command ...string) *spender {
	t.Helper()
	command = append(command, os.Args[0])
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), spenderVariable+"="+location, timesVariable+"="+strconv.Itoa(times), "GOMAXPROCS=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &spender{cmd, bufio.NewReader(out)}
}

// said waits for the process and returns its output.
func (s *spender) said(t *testing.T) string {
	t.Helper()
	text, err := io.ReadAll(s.out)
	if err != nil {
		t.Fatal(err)
	}
	s.Wait()
	return string(text)
}

// keptFaith compares an account with the text that its spenders printed. The account must contain every step that
// was printed. In addition it may contain at most one entry for each spender, and nothing else.
func keptFaith(t *testing.T, location, said string, spenders int) {
	t.Helper()
	a := reopened(t, location)
	defer a.Close()
	if err := a.Verify(context.Background(), recompute); err != nil {
		t.Fatal(err)
	}
	s := statement(t, a)
	reserved := strings.Count(said, "reserved ")
	if n := len(s.Entries); n < reserved || n > reserved+spenders {
		t.Fatalf("%d entries, of which %d were told by %d programs", n, reserved, spenders)
	}
	for line := range strings.Lines(said) {
		verb, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, _ := strconv.Atoi(number)
		switch verb {
		case "reserved":
			if n < 1 || n > len(s.Entries) {
				t.Fatalf("entry %d is lost", n)
			}
		case "settled":
			if n < 1 || n > len(s.Entries) || s.Entries[n-1].SHA256 == "" {
				t.Fatalf("entry %d is not settled any more", n)
			}
		}
	}
	sum := s.Spent.Epsilon.Rat()
	sum.Add(sum, s.Reserved.Epsilon.Rat())
	if want := privacytest.Decimal(t, "0.001").Rat(); sum.Cmp(want.Mul(want, privacytest.Decimal(t, strconv.Itoa(len(s.Entries))).Rat())) != 0 {
		t.Fatalf("%d entries took %v", len(s.Entries), sum)
	}
}

// TestAccountKilled kills spenders at random times.
func TestAccountKilled(t *testing.T) {
	kills := heavy.Pick(12, 300)
	for name, location := range places(t) {
		t.Run(name, func(t *testing.T) {
			opened(t, location, "1000000", "0").Close()
			said, all := "", kills
			if name == "PostgreSQL" {
				all = kills / 5
			}
			for i := range all {
				s := startSpender(t, location, 1000)
				if line, err := s.out.ReadString('\n'); err != nil || line != "ready\n" {
					t.Fatal(line, err)
				}
				time.Sleep(time.Duration(rand.IntN(30_000)) * time.Microsecond)
				s.Process.Kill()
				said += s.said(t)
				if i%10 == 9 || i == all-1 {
					keptFaith(t, location, said, i+1)
				}
			}
			t.Logf("%d kills, %d entries", all, strings.Count(said, "reserved "))
		})
	}
}

// TestAccountKilledBetweenSystemCalls kills a process before each of its system calls on the files
// of an account. This includes the calls that create the account.
func TestAccountKilledBetweenSystemCalls(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		shareddata.Missing(t, "strace is not there")
	}
	location := filepath.Join(t.TempDir(), "account.db")
	opened(t, location, "1000000", "0").Close()
	step := heavy.Pick(7, 2)
	said, spenders := "", 0
	for call := 1; ; call += step {
		s := startSpender(t, location, 1, "strace", "-f", "-qq", "-o", "/dev/null",
			"-P", location, "-P", location+"-journal", "-P", filepath.Dir(location),
			"-e", fmt.Sprintf("inject=all:signal=KILL:when=%d", call))
		text := s.said(t)
		spenders++
		said += text
		keptFaith(t, location, said, spenders)
		if strings.HasSuffix(text, "done\n") {
			if call < 30 {
				t.Errorf("only %d system calls", call)
			}
			t.Logf("killed before %d system calls; %d entries", call/step, strings.Count(said, "reserved "))
			return
		}
		if call > 10_000 {
			t.Fatal("there is no end")
		}
	}
}

// TestAccountIsOnTheDisk traces the system calls of a spender. When Reserve returns, its entry must be synced to
// disk, and the deletion of the journal, which could undo the entry, must be synced too.
func TestAccountIsOnTheDisk(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		shareddata.Missing(t, "strace is not there")
	}
	location := filepath.Join(t.TempDir(), "account.db")
	opened(t, location, "1", "0").Close()
	trace := filepath.Join(t.TempDir(), "trace")
	s := startSpender(t, location, 1, "strace", "-f", "-qq", "-y", "-o", trace,
		"-e", "trace=pwrite64,write,fsync,fdatasync,unlink,unlinkat")
	if said := s.said(t); !strings.HasSuffix(said, "done\n") {
		t.Fatal(said)
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	steps := []string{
		`p?write(64)?\(\d+<` + regexp.QuoteMeta(location) + `>`,
		`f(data)?sync\(\d+<` + regexp.QuoteMeta(location) + `>\)`,
		`unlink(at)?\(.*` + regexp.QuoteMeta(location) + `-journal`,
		`f(data)?sync\(\d+<` + regexp.QuoteMeta(filepath.Dir(location)) + `>\)`,
		`write\(1<.*"reserved 1`,
	}
	order := regexp.MustCompile("(?s)" + strings.Join(steps, ".*?"))
	before, _, found := strings.Cut(string(text), `"reserved 1`)
	if !found || !order.MatchString(before+`"reserved 1`) {
		t.Errorf("not in this order: %q\n%s", steps, before)
	}
}

// TestAccountCreatedAtOnce creates the same account in many processes at the same time. Exactly one succeeds, and
// its account remains.
func TestAccountCreatedAtOnce(t *testing.T) {
	for name, location := range places(t) {
		t.Run(name, func(t *testing.T) {
			var wait sync.WaitGroup
			made := make([]string, 16)
			for i := range made {
				words := fmt.Sprint("number ", i)
				terms := account.Terms{Epsilon: privacytest.Decimal(t, "1"), Relation: privacy.ReplaceOne, Of: words}
				wait.Go(func() {
					err := account.Create(context.Background(), location, terms)
					if err == nil {
						made[i] = words
					} else if !strings.Contains(err.Error(), "already") {
						t.Error(err)
					}
				})
			}
			wait.Wait()
			if all := strings.Join(made, ""); all == "" || reopened(t, location).Terms().Of != all {
				t.Errorf("made %q", made)
			}
		})
	}
}

// sentence checks that an error is one sentence that contains the text holds.
func sentence(t *testing.T, err error, holds string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), holds) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v\nwant %s", err, holds)
	}
}

// unchanged checks that a failed attempt has recorded nothing.
func unchanged(t *testing.T, location string, before *account.Statement) {
	t.Helper()
	a := reopened(t, location)
	defer a.Close()
	if now := statement(t, a); now.Head != before.Head || len(now.Entries) != len(before.Entries) {
		t.Errorf("%d entries, were %d", len(now.Entries), len(before.Entries))
	}
}

// TestAccountFull limits the size of an account's files.
func TestAccountFull(t *testing.T) {
	location := filepath.Join(t.TempDir(), "account.db")
	opened(t, location, "1000000", "0").Close()
	ends := map[string]int{}
	said, spenders := "", 0
	for room := 0; room < 80_000; room += heavy.Pick(16384, 512) {
		t.Setenv(roomVariable, strconv.Itoa(room))
		text := startSpender(t, location, 20).said(t)
		spenders++
		said += text
		keptFaith(t, location, said, spenders)
		if _, end, failed := strings.Cut(text, "error: "); failed {
			ends[end]++
			if !strings.Contains(end, "no space is left") && !strings.Contains(end, "the disk is full or failed") && !strings.Contains(end, "failed while the entry was recorded") && !strings.Contains(end, "its journal cannot be created") || strings.Count(end, "\n") != 1 {
				t.Errorf("%d bytes: %s", room, end)
			}
		}
	}
	t.Log(ends)
	if len(ends) == 0 {
		t.Error("no disk was full")
	}
	keptFaith(t, location, said, 0) // steps that were not printed are not recorded
}

// TestAccountOnFullDisk fills a small file system with an account, if such a file system can be mounted.
func TestAccountOnFullDisk(t *testing.T) {
	directory := t.TempDir()
	if err := syscall.Mount("tmpfs", directory, "tmpfs", 0, "size=96k"); err != nil {
		t.Skip("no disk can be mounted: ", err)
	}
	defer syscall.Unmount(directory, syscall.MNT_DETACH)
	location := filepath.Join(directory, "account.db")
	a := opened(t, location, "1000000", "0")
	entered := 0
	for ; ; entered++ {
		before := statement(t, a)
		_, err := a.Reserve(context.Background(), anEntry(t, "0.001"))
		if err != nil {
			sentence(t, err, "account.db: no space is left for the account, and nothing was recorded; free some space")
			unchanged(t, location, before)
			break
		}
		if entered > 1000 {
			t.Fatal("the disk is not full")
		}
	}
	if entered == 0 {
		t.Error("nothing could be entered")
	}
	a.Close()
	keptFaith(t, location, strings.Repeat("reserved 1\n", entered), 0)
	terms := account.Terms{Epsilon: privacytest.Decimal(t, "1"), Relation: privacy.ReplaceOne, Of: "patients"}
	if err := os.WriteFile(filepath.Join(directory, "rest"), make([]byte, 1<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	sentence(t, account.Create(context.Background(), filepath.Join(directory, "new.db"), terms), "new.db: no space is left for the account")
	if info, err := os.Stat(filepath.Join(directory, "new.db")); err == nil && info.Size() != 0 {
		t.Errorf("%d bytes were left", info.Size())
	}
}

func TestAccountReadOnly(t *testing.T) {
	directory := t.TempDir()
	location := filepath.Join(directory, "account.db")
	a := opened(t, location, "1", "0")
	if _, err := a.Reserve(context.Background(), anEntry(t, "0.5")); err != nil {
		t.Fatal(err)
	}
	before := statement(t, a)
	a.Close()
	// If the tests run as root, the files belong to root, and the command runs as another user.
	for path, mode := range map[string]os.FileMode{location: 0o444, directory: 0o755, filepath.Dir(directory): 0o755} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	for where, mode := range map[string]os.FileMode{"file": 0o444, "directory": 0o666, "both": 0o400} {
		if err := os.Chmod(location, mode); err != nil {
			t.Fatal(err)
		}
		if where != "directory" || os.Geteuid() == 0 {
			asNobody(t, func() {
				ctx := context.Background()
				a, err := account.Open(ctx, location)
				if where == "both" && os.Geteuid() == 0 {
					sentence(t, err, "cannot be opened")
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				defer a.Close()
				_, err = a.Reserve(ctx, anEntry(t, "0.1"))
				sentence(t, err, "account.db: the account is read-only; check the write permissions of its file and directory")
				sentence(t, account.Create(ctx, filepath.Join(directory, "new.db"), a.Terms()), "new.db: the file cannot be written: permission denied")
				// A second account is refused, because the first one cannot record it.
				sentence(t, account.CreateSecond(ctx, filepath.Join(directory, "new.db"), a.Terms(), location), "account.db: the account is read-only; check the write permissions of its file and directory")
				if s := statement(t, a); s.Head != before.Head {
					t.Errorf("the head is %s", s.Head)
				}
			})
		}
	}
	unchanged(t, location, before)
}

// asNobody runs f as a user who cannot access all files, if the tests run as root.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() == 0 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := syscall.Setfsuid(65534); err != nil {
			t.Fatal(err)
		}
		defer syscall.Setfsuid(0)
	}
	f()
}

func TestAccountLocked(t *testing.T) {
	for kind, location := range places(t) {
		t.Run(kind, func(t *testing.T) {
			ctx := context.Background()
			a := opened(t, location, "1", "0")
			before := statement(t, a)
			conn, err := raw(t, kind, location).Conn(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			lock := map[string][]string{
				"SQLite":     {"BEGIN EXCLUSIVE"},
				"PostgreSQL": {"BEGIN", "LOCK TABLE sibyl_account"},
			}[kind]
			for _, statement := range lock {
				if _, err := conn.ExecContext(ctx, statement); err != nil {
					t.Fatal(err)
				}
			}
			short, cancel := context.WithTimeout(ctx, 1500*time.Millisecond)
			defer cancel()
			_, err = a.Reserve(short, anEntry(t, "0.1"))
			sentence(t, err, ": the account is locked by another program; try again when the other program has ended")
			if !errors.Is(err, account.ErrLocked) {
				t.Errorf("got %v", err)
			}
			if _, err := conn.ExecContext(ctx, "ROLLBACK"); err != nil {
				t.Fatal(err)
			}
			unchanged(t, location, before)
			if _, err := a.Reserve(ctx, anEntry(t, "0.1")); err != nil {
				t.Error(err)
			}
			cancelled, cancel := context.WithCancel(ctx)
			cancel()
			if _, err := a.Reserve(cancelled, anEntry(t, "0.1")); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestAccountRefused opens locations at which there is no account, or an account of another version.
func TestAccountRefused(t *testing.T) {
	ctx := context.Background()
	for kind, location := range places(t) {
		if kind == "PostgreSQL" {
			_, err := account.Open(ctx, location)
			sentence(t, err, ": the database contains no account; create one first")
		}
		opened(t, location, "1", "0").Close()
		if _, err := raw(t, kind, location).Exec("UPDATE sibyl_account SET format = 'sibyl-account/0'"); err != nil {
			t.Fatal(err)
		}
		_, err := account.Open(ctx, location)
		sentence(t, err, `: the account has an unsupported format: "sibyl-account/0" instead of sibyl-account/1; use the version of the program that wrote it`)
		if !errors.Is(err, account.ErrFormat) {
			t.Errorf("got %v", err)
		}
		if kind == "PostgreSQL" {
			readOnly := reopenedAfter(t, kind, location, "UPDATE sibyl_account SET format = 'sibyl-account/1'", location+"&default_transaction_read_only=on")
			_, err := readOnly.Reserve(ctx, anEntry(t, "0.1"))
			sentence(t, err, ": the account is read-only; check the write permissions")
		}
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"empty.db": "", "text.db": "no database at all"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	terms := account.Terms{Epsilon: privacytest.Decimal(t, "1"), Relation: privacy.ReplaceOne, Of: "patients"}
	for location, want := range map[string]string{
		"none.db":                "none.db: the database file does not exist; check its path",
		"empty.db":               "empty.db: the database contains no account; create one first",
		"text.db":                "text.db: this is not an account, or it is damaged; no release can be charged to it",
		".":                      ".: this is a directory; name a database file in it",
		"":                       "the location of the account is empty",
		"oracle://h/":            "only sqlite, postgres, mysql and duckdb URLs can be read",
		"mysql://ann:s3cret@h/d": "mysql://ann@h/d: an account must be in SQLite or PostgreSQL; ",
		"duckdb:d.duckdb":        "duckdb:d.duckdb: an account must be in SQLite or PostgreSQL; ",
		"postgres://ann:s3cret@127.0.0.1:1/db?connect_timeout=1": "postgres://ann@127.0.0.1:1/db: the database cannot be reached: ",
		"ann:s3cret@127.0.0.1/db":                                "the location of the account is not an existing file",
		"postgres:ann:s3cret@127.0.0.1/db":                       "the database's URL is invalid",
	} {
		_, err := account.Open(ctx, location)
		sentence(t, err, want)
		if err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("a password: %v", err)
		}
		if err := account.Create(ctx, location, terms); location != "none.db" && location != "empty.db" && (err == nil || strings.Contains(err.Error(), "s3cret")) {
			t.Errorf("%s: created, %v", location, err)
		}
	}
	if a := reopened(t, "empty.db"); a.Terms() != terms {
		t.Errorf("terms %+v", a.Terms())
	}
	for what, change := range map[string]func(*account.Terms){
		"no ε":            func(t *account.Terms) { t.Epsilon = privacy.Decimal{} },
		"no relation":     func(t *account.Terms) { t.Relation = 0 },
		"nothing":         func(t *account.Terms) { t.Of = "" },
		"too many words":  func(t *account.Terms) { t.Of = strings.Repeat("x", 201) },
		"what is no text": func(t *account.Terms) { t.Of = "\xff" },
	} {
		wrong := terms
		change(&wrong)
		if err := account.Create(ctx, "wrong.db", wrong); err == nil {
			t.Errorf("%s: created", what)
		}
		if _, err := os.Stat("wrong.db"); err == nil {
			t.Errorf("%s: a file was left", what)
		}
	}
}

// reopenedAfter executes a statement on the database and opens the account again.
func reopenedAfter(t *testing.T, kind, location, statement, as string) *account.Account {
	t.Helper()
	if _, err := raw(t, kind, location).Exec(statement); err != nil {
		t.Fatal(err)
	}
	return reopened(t, as)
}

// TestAccountProcessesAtOnce runs many processes that reserve at the same time. The budget suffices for only some of
// their entries.
func TestAccountProcessesAtOnce(t *testing.T) {
	for name, location := range places(t) {
		t.Run(name, func(t *testing.T) {
			opened(t, location, "0.05", "0").Close()
			var all []*spender
			for range heavy.Pick(14, 32) {
				all = append(all, startSpender(t, location, heavy.Pick(6, 3)))
			}
			said, refused := "", 0
			for _, s := range all {
				text := s.said(t)
				said += text
				if _, why, failed := strings.Cut(text, "error: "); failed {
					refused++
					if !strings.HasSuffix(why, "the budget does not suffice: ε = 0 is left, and the release needs ε = 0.001\n") {
						t.Error(why)
					}
				}
			}
			keptFaith(t, location, said, 0)
			if n := strings.Count(said, "reserved "); n != 50 || refused == 0 {
				t.Errorf("%d were admitted of 50, and %d programs refused", n, refused)
			}
		})
	}
}
