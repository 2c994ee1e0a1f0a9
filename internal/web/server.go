package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/sibyl-dp/sibyl/internal/parallel"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
)

// Options are the parameters of Serve.
type Options struct {
	Listen    string        // the address, such as 127.0.0.1:0; its host must be a loopback address
	Directory string        // holds schemas, ledgers and released files
	Idle      time.Duration // the server ends after this time without a request or a release

	// Browse opens a file in a browser. If it is nil, the user must open the file.
	Browse func(path string) error

	// Out receives one line with the address of the server and the file with the key.
	Out io.Writer
}

// UsualIdle is a common value of Options.Idle, the time after which an unused server ends.
const UsualIdle = 2 * time.Hour

// These constants limit the time and size of connections. Work that may take longer, such as a release, runs as
// a job.
const (
	headTime   = 5 * time.Second
	bodyTime   = 20 * time.Second
	answerTime = 2 * time.Minute
	keepTime   = 2 * time.Minute
	mostHead   = 16 << 10 // bytes of all headers
	endTime    = 300 * time.Millisecond
)

// A Server is the web server of one user, on the user's own machine.
type Server struct {
	directory string
	hosts     []string // the values of Host that are accepted
	entry     *entry
	out       io.Writer
	ctx       context.Context // the context of jobs
	example   chan struct{}   // holds a value while an example is computed, so that only one is computed at a time

	mutex   sync.Mutex
	session *session // nil before somebody has signed in
	now     selection
	jobs    jobs
	tickets []string                   // the tickets of drafts, in the order in which the releases were reviewed
	drafts  map[string]*pendingRelease // releases that were reviewed and not yet started, by ticket
	last    time.Time                  // the time of the last request of the session
	group   parallel.Group
}

// Serve runs a server until the context ends or nobody has used the server for the time o.Idle.
func Serve(ctx context.Context, o Options) (err error) {
	if o.Idle <= 0 {
		return parameter.Errorf("{idle} %v must be a time above 0, such as 2h", o.Idle)
	}
	listener, err := listen(ctx, o.Listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	ctx, cancel := context.WithCancel(ctx)
	s, err := newServer(ctx, o, listener.Addr().(*net.TCPAddr))
	if err != nil {
		cancel()
		return err
	}
	defer s.entry.remove()
	defer func() {
		cancel()
		s.group.Wait()
	}()
	if err := s.announce(o); err != nil {
		return err
	}
	return s.run(ctx, listener, o.Idle)
}

// newServer returns a server. The parameter at is the address at which it listens.
func newServer(ctx context.Context, o Options, at *net.TCPAddr) (*Server, error) {
	info, err := os.Stat(o.Directory)
	switch {
	case err != nil:
		return nil, parameter.Errorf("{directory} %s cannot be used: %w", quote.Name(o.Directory), publish.Inner(err))
	case !info.IsDir():
		return nil, parameter.Errorf("{directory} %s is not a directory; name a directory", quote.Name(o.Directory))
	}
	s := &Server{directory: o.Directory, out: o.Out, ctx: ctx, last: time.Now(), example: make(chan struct{}, 1), drafts: map[string]*pendingRelease{}}
	for _, host := range []string{at.IP.String(), "localhost"} {
		s.hosts = append(s.hosts, net.JoinHostPort(host, fmt.Sprint(at.Port)))
	}
	s.entry, err = newEntry(publish.In(ctx), "http://"+s.hosts[0])
	return s, err
}

// announce opens the sign-in page in a browser, and prints the address of the server.
func (s *Server) announce(o Options) error {
	how := "open " + s.entry.path + " in a browser"
	if o.Browse != nil && o.Browse(s.entry.path) == nil {
		how = "your browser opens " + s.entry.path
	}
	_, err := fmt.Fprintf(o.Out, "http://%s/ answers this machine only; to sign in, %s. Ctrl-C ends it.\n", s.hosts[0], how)
	return err
}

// run answers requests until the context ends or nobody has used the server for the time idle.
func (s *Server) run(ctx context.Context, listener net.Listener, idle time.Duration) error {
	h := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headTime,
		ReadTimeout:       bodyTime,
		WriteTimeout:      answerTime,
		IdleTimeout:       keepTime,
		MaxHeaderBytes:    mostHead,
		ErrorLog:          log.New(io.Discard, "", 0), // it would print what requests contain
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	var group parallel.Group
	group.Go(func() { ended <- h.Serve(listener) })
	err := s.wait(ctx, ended, idle)
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	if h.Shutdown(stop) != nil {
		h.Close()
	}
	group.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// wait returns when the context has ended, when the listener has failed, or when nobody has used the server for
// the time idle.
func (s *Server) wait(ctx context.Context, ended <-chan error, idle time.Duration) error {
	for {
		left := idle - s.unused()
		if left <= 0 {
			fmt.Fprintf(s.out, "The server ended, since nobody used it for %v.\n", idle)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-ended:
			return err
		case <-time.After(left):
		}
	}
}

// unused returns the time since the last request of the session, or 0 while a job runs.
func (s *Server) unused() time.Duration {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.jobs.running() {
		s.last = time.Now()
	}
	return time.Since(s.last)
}
