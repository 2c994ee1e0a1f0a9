package web

import (
	"context"
	"sync/atomic"

	"github.com/sibyl-dp/sibyl/internal/release"
)

// A job is work that may take longer than an HTTP request, such as a release or a check of the data. Only one job
// runs at a time, since each may use most of the memory. The page of a running job does not show its progress,
// because the progress may depend on private data.
type job struct {
	ID     string
	Title  string
	Cancel string // a sentence that states what happens if the job is cancelled
	stop   context.CancelFunc
	done   atomic.Pointer[outcome]
}

// An outcome is the result of a job that has ended.
type outcome struct {
	Err     string
	Page    string // the page to show, such as results, or "" for the page of the job
	Content any    // the content of the page of the job
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

// mostJobs is the maximum number of jobs whose results a server keeps.
const mostJobs = 200

// start starts the job j by calling the function do in a new goroutine. If another job is running, it does nothing
// and returns false.
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
