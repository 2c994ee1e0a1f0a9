//go:build unix

package main

import (
	"bytes"
	"database/sql"
	"encoding/csv"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
)

// These tests make a database fail during a release. The account must contain the charge, and only one sentence may be
// printed.

// An engine is a database server that the tests can make fail. Its table stays contains the sample.
type engine struct {
	script  string // the script that starts it
	enabled string // the variable that enables its tests
	text    string // the type of short texts
	slow    string // a query that is prepared quickly and runs for minutes
	nap     string // a statement that defines a function that slow calls, or ""
	running string // a query that counts the slow queries that run
	process string // the file in the server's directory that begins with its process id
	limit   string // a statement that sets a time limit for statements
	limited string // the error of a statement that exceeds this limit

	url, directory string
	db             *sql.DB
}

func engines(t *testing.T) map[string]*engine {
	const failed = "the query failed while it ran"
	all := map[string]*engine{
		"PostgreSQL": {
			script: "postgres", enabled: "SIBYL_TEST_POSTGRES", text: "text",
			slow: "SELECT * FROM stays WHERE nap(stays)",
			// Queries that call pg_sleep are refused, because it is volatile. So slow calls a stable function.
			nap: "CREATE FUNCTION nap(stays) RETURNS boolean STABLE LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(10); RETURN true; END'",
			// The catalog contains only the beginning of each statement, so this does not search for the text of slow.
			running: "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND state = 'active' AND clock_timestamp() - query_start > interval '500 ms'",
			process: "data/postmaster.pid",
			limit:   "ALTER ROLE sibyl SET statement_timeout = '300ms'",
			limited: failed + " with SQLSTATE 57014",
		},
		"MariaDB": {
			script: "mariadb", enabled: "SIBYL_TEST_MYSQL", text: "varchar(20)",
			slow:    "SELECT * FROM stays WHERE SLEEP(10) = 0",
			running: "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE '%SLEEP%GROUP BY%' AND id <> CONNECTION_ID()",
			process: "pid",
			limit:   "SET GLOBAL max_statement_time = 0.3",
			limited: failed + " with error 1969",
		},
	}
	for _, e := range all {
		if os.Getenv(e.enabled) == "" {
			shareddata.Missing(t, e.enabled+" does not name a database; ../../.ci/"+e.script+" starts one")
		}
	}
	return all
}

// start starts the server, and fills its table.
func (e *engine) start(t *testing.T) {
	t.Helper()
	out, err := exec.Command("../../.ci/" + e.script).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(out), "\n")
	e.url = lines[0]
	e.directory = lines[1][strings.LastIndex(lines[1], " ")+1:]
	u, err := database.Parse(e.url)
	if err != nil {
		t.Fatal(err)
	}
	if e.db, err = u.Open(nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.db.Close()
		exec.Command("sh", "-c", lines[1]).Run()
	})
	text, err := sample.ReadFile("sample/hospital.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, row := range rows[1:] {
		values = append(values, "('"+strings.Join(row, "', '")+"')")
	}
	e.execute(t, "CREATE TABLE stays ("+strings.Join(rows[0], " "+e.text+", ")+" "+e.text+")")
	e.execute(t, "INSERT INTO stays VALUES "+strings.Join(values, ", "))
	if e.nap != "" {
		e.execute(t, e.nap)
	}
}

func (e *engine) execute(t *testing.T, statement string) {
	t.Helper()
	if _, err := e.db.Exec(statement); err != nil {
		t.Fatalf("%.80s: %v", statement, err)
	}
}

// counting returns the number of slow queries that run. A server may continue to run a query after its client has
// disconnected.
func (e *engine) counting(t *testing.T) (n int) {
	t.Helper()
	if err := e.db.QueryRow(e.running).Scan(&n); err != nil {
		t.Error(err)
	}
	return n
}

// kill kills the server and all its processes, as a power failure would.
func (e *engine) kill(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(e.directory, e.process))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	process, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(process, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// A cable is a proxy of a server. It can be cut, which closes all connections.
type cable struct {
	net.Listener
	mu   sync.Mutex
	left int // the number of bytes that the server may still send
	said int // the number of bytes that it has sent
	ends []net.Conn
}

// cableTo returns a proxy of the server at a location, and the same URL with the address of the proxy. The proxy is cut
// after the server has sent left bytes.
func cableTo(t *testing.T, location string, left int) (*cable, string) {
	t.Helper()
	u, err := url.Parse(location)
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{left: left}
	if c.Listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	server := u.Host
	u.Host = c.Addr().String()
	go func() {
		for {
			near, err := c.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", server)
			if err != nil {
				near.Close()
				continue
			}
			c.mu.Lock()
			c.ends = append(c.ends, near, far)
			c.mu.Unlock()
			go func() { io.Copy(far, near); far.Close() }()
			go func() { io.Copy(c.into(near), far); near.Close() }()
		}
	}()
	t.Cleanup(func() { c.Close(); c.cut() })
	return c, u.String()
}

// into returns a writer that forwards bytes of the server to the client near. It cuts the cable when the server has sent
// as many bytes, over all connections, as it may send.
func (c *cable) into(near net.Conn) io.Writer {
	return writer(func(b []byte) (int, error) {
		c.mu.Lock()
		n := min(len(b), c.left)
		c.left -= n
		c.said += n
		c.mu.Unlock()
		if _, err := near.Write(b[:n]); err != nil {
			return 0, err
		}
		if n < len(b) {
			c.cut()
			return n, errors.New("cut")
		}
		return n, nil
	})
}

type writer func(b []byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

// cut closes all connections.
func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = 0
	for _, end := range c.ends {
		end.Close()
	}
}

// A curator is a directory that contains only an account and the schema of the sample.
type curator struct{ directory string }

func newCurator(t *testing.T) curator {
	t.Helper()
	c := curator{t.TempDir()}
	text, err := sample.ReadFile("sample/hospital.toml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.directory, "hospital.toml"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said := c.run(t, "account", "open", "--account", "a.db", "--epsilon", "2", "--of", "patients"); code != cli.ExitDone {
		t.Fatal(said)
	}
	return c
}

// run runs the command, and returns its exit code and standard error.
func (c curator) run(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	command := exec.Command("sibyl", args...)
	command.Dir = c.directory
	var stderr bytes.Buffer
	command.Stderr = &stderr
	err := command.Run()
	if exit := (&exec.ExitError{}); errors.As(err, &exit) {
		return exit.ExitCode(), stderr.String()
	} else if err != nil {
		t.Fatal(err)
	}
	return cli.ExitDone, stderr.String()
}

// learn releases a model of the rows that the query selects.
func (c curator) learn(t *testing.T, location, query string) (code int, said string) {
	t.Helper()
	return c.run(t, "learn", "scorecard", "--account", "a.db", "--data", location, "--query", query, "--schema", "hospital.toml", "--epsilon", "1", "--out", "m.json")
}

// reserved reports whether the account is charged.
func (c curator) reserved(t *testing.T) bool {
	t.Helper()
	return !strings.Contains(c.shown(t), nothingReserved)
}

// shown returns the output of account show without spaces.
func (c curator) shown(t *testing.T) string {
	t.Helper()
	command := exec.Command("sibyl", "account", "show", "--account", "a.db", "--json")
	command.Dir = c.directory
	out, err := command.Output()
	if err != nil {
		t.Error(err)
	}
	return strings.Join(strings.Fields(string(out)), "")
}

// holds checks the reserved and spent amounts of the account, and that nothing was released.
func (c curator) holds(t *testing.T, want string) {
	t.Helper()
	if shown := c.shown(t); !strings.Contains(shown, want) {
		t.Errorf("the account lacks %s:\n%s", want, shown)
	}
	files, err := os.ReadDir(c.directory)
	if err != nil || len(files) != 2 {
		t.Errorf("files %v, %v", files, err)
	}
}

const (
	nothingReserved = `"reserved":{"epsilon":"0"`
	allReserved     = `"reserved":{"epsilon":"1"`
)

func TestDatabaseFails(t *testing.T) {
	for name, e := range engines(t) {
		t.Run(name, func(t *testing.T) {
			e.start(t)
			// fails starts a release with a slow query, and calls end while the query runs, to interrupt it.
			fails := func(location, want string, end func()) {
				t.Helper()
				c := newCurator(t)
				before := e.counting(t)
				ended := make(chan bool)
				var watch sync.WaitGroup
				watch.Go(func() {
					for {
						select {
						case <-ended:
							return
						case <-time.After(20 * time.Millisecond):
							// Before the reservation, only a statement that describes the query runs.
							if e.counting(t) > before && c.reserved(t) {
								end()
								return
							}
						}
					}
				})
				code, said := c.learn(t, location, e.slow)
				close(ended)
				watch.Wait()
				if code != cli.ExitUsage || !strings.HasPrefix(said, "sibyl: ") || !strings.Contains(said, want) || strings.Count(said, "\n") != 1 || strings.Contains(said, "unused") {
					t.Errorf("exit code %d: %s", code, said)
				}
				c.holds(t, allReserved)
			}
			const failed = "the query failed while it ran"
			cable, through := cableTo(t, e.url, 1<<30)
			fails(through, failed, cable.cut)
			e.execute(t, e.limit)
			fails(e.url, e.limited, func() {}) // the server interrupts the query by the time limit
			e.execute(t, strings.NewReplacer("'300ms'", "0", "0.3", "0").Replace(e.limit))
			fails(e.url, failed, func() { e.kill(t) })

			c := newCurator(t)
			code, said := c.learn(t, e.url, e.slow)
			if code != cli.ExitUsage || !strings.Contains(said, "the database cannot be reached: ") || strings.Count(said, "\n") != 1 || strings.Contains(said, "unused") {
				t.Errorf("exit code %d: %s", code, said)
			}
			c.holds(t, nothingReserved)
		})
	}
}

// TestCableIsCut cuts the connection after each of many numbers of bytes, starting with 0.
func TestCableIsCut(t *testing.T) {
	for name, e := range engines(t) {
		t.Run(name, func(t *testing.T) {
			e.start(t)
			const query = "SELECT * FROM stays"
			whole, through := cableTo(t, e.url, 1<<30)
			if code, said := newCurator(t).learn(t, through, query); code != cli.ExitDone {
				t.Fatal(said)
			}
			before, after := 0, 0
			const places = 12
			for i := range places {
				_, through := cableTo(t, e.url, whole.said*i/places)
				c := newCurator(t)
				code, said := c.learn(t, through, query)
				if code != cli.ExitUsage || !strings.HasPrefix(said, "sibyl: ") || strings.Count(said, "\n") != 1 || strings.Contains(said, "unused") {
					t.Errorf("place %d: exit code %d: %s", i, code, said)
				}
				// The account is charged between the check of the query and its run, which uses a
				// new connection.
				want := nothingReserved
				if strings.Contains(said, "failed while it ran") || after > 0 || before > 0 && c.reserved(t) {
					want = allReserved
					after++
				} else {
					before++
				}
				c.holds(t, want)
			}
			if before == 0 || after == 0 {
				t.Errorf("%d times before the account was charged, %d times after", before, after)
			}
		})
	}
}
