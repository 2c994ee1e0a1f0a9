package prsma

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/sibyl-dp/sibyl/beam/rows"
	"github.com/sibyl-dp/sibyl/internal/papers/parts"
	"github.com/sibyl-dp/sibyl/internal/release"
)

// Solve returns a function that parts.Release calls to execute a task on workers. This function builds a pipeline
// that reads the files, and executes it with the function run. The pipeline writes its results to an encrypted file
// at the path answers, which the returned function then reads and removes.
func Solve(files []string, answers string, run func(context.Context, *beam.Pipeline) error) func(context.Context, parts.Task) (*parts.Solved, error) {
	return func(ctx context.Context, t parts.Task) (*parts.Solved, error) {
		p, s := beam.NewPipelineWithRoot()
		seal, err := Job{Files: files, Task: t, Out: answers}.Build(s)
		if err != nil {
			return nil, err
		}
		defer rows.Remove(context.WithoutCancel(ctx), answers)
		if err := run(ctx, p); err != nil {
			if said, ok := rows.Sentence(err); ok {
				return nil, release.Refusal{Sentence: said}
			}
			return nil, err
		}
		return seal.Open(ctx, answers)
	}
}
