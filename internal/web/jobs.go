package web

import (
	"context"
	"sync/atomic"

	"github.com/sibyl-dp/sibyl/internal/release"
)

// A job is a piece of work that may outlast a request: a release, or a check of the data. Only one
// runs at a time, since each may use most of the memory. A page of a running job shows that it runs,
// and nothing about how far it is: the progress may depend on private data.
type job struct {
	ID     string
	Title  string
	Cancel string // what cancelling does, in a sentence
	stop   context.CancelFunc
	done   atomic.Pointer[outcome]
}

// An outcome is the end of a job.
type outcome struct {
	Err     string
	Page    string // the page to show, such as results, or "" for the job's own
	Content any    // what the job's own page shows
}

// jobs holds the jobs of a server in the order in which they were started. Server.mutex guards it.
type jobs []*job

func (all jobs) running() bool { return len(all) > 0 && all[len(all)-1].done.Load() == nil }

func (all jobs) find(id string) *job {
	for _, j := range all {
		if j.ID == id {
			return j
		}
	}
	return nil
}

// mostJobs is the number of jobs that are remembered.
const mostJobs = 200

// start starts a job, unless one is running; then it returns false.
func (s *Server) start(j *job, do func(context.Context) outcome) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.jobs.running() {
		return false
	}
	if len(s.jobs) >= mostJobs {
		s.jobs = s.jobs[1:]
	}
	ctx, stop := context.WithCancel(s.ctx)
	j.stop = stop
	s.jobs = append(s.jobs, j)
	s.group.Go(func() {
		defer stop()
		defer func() {
			if recover() != nil {
				j.done.Store(&outcome{Err: release.ErrDefect.Error()})
			}
		}()
		end := do(ctx)
		j.done.Store(&end)
	})
	return true
}

func (s *Server) job(id string) *job {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.jobs.find(id)
}
