package web

import (
	"context"
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/evaluation"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
)

// models returns the names of the files in the directory that contain a model with a privacy guarantee.
func (s *Server) models() (names []string) {
	for name, r := range s.results() {
		if r.model != nil && r.model.Guarantee != nil {
			names = append(names, name)
		}
	}
	return names
}

// reviewEvaluation checks the public parameters of a private evaluation of a released model, and returns it as a
// pending release.
func (q *request) reviewEvaluation() (*pendingRelease, error) {
	name := q.form.Get("model")
	if name == "" {
		return nil, errors.New("choose the model to evaluate")
	}
	of, err := q.open(name)
	switch {
	case err != nil:
		return nil, err
	case of.model == nil:
		return nil, fmt.Errorf("%s does not predict, so it cannot be evaluated; choose a model, such as a scorecard or a tree", quote.Name(name))
	case of.model.Guarantee == nil:
		return nil, fmt.Errorf("%s has no guarantee, so an evaluation that names it would not be private; choose a model with a guarantee", quote.Name(name))
	}
	m := of.model
	r, epsilon, _, rows, err := q.common(m.Schema, "Model", name)
	if err != nil {
		return nil, err
	}
	p, err := release.Evaluation{Model: m, Epsilon: epsilon, Relation: relationOf(r.relates), Rows: rows}.Prepare()
	if err != nil {
		return nil, err
	}
	out, err := q.free(q.form.Get("file"), modelEnding)
	if err != nil {
		return nil, err
	}
	r.Title, r.outputs, r.page = "Release an evaluation", []string{out}, "result?file="+escape(out)
	r.Facts = append(r.Facts, fact{"What is estimated", "how often the model predicts correctly: errors, the confusion matrix, every threshold, and the risks that it states"}, fact{"File", out})
	r.state("estimate", p.Guarantee, m.Schema)
	r.release = func(ctx context.Context, data release.From, t release.Terms) error {
		_, err := p.Release(ctx, data, t)
		return err
	}
	return r, nil
}

// evaluated returns the evaluation in the file f. It searches the directory for the model to which the evaluation
// belongs, and fails if its file is not there.
func (s *Server) evaluated(f *evaluation.File) (*evaluation.Evaluation, error) {
	for _, r := range s.results() {
		if r.model == nil {
			continue
		}
		if e, err := f.Of(r.model); !errors.Is(err, evaluation.ErrOther) {
			return e, err
		}
	}
	return nil, fmt.Errorf("the evaluated model is not in the directory; put its file there, which has the SHA-256 %s", f.Model)
}
