package release

import "fmt"

// Where nobody says what to learn, it is chosen by public facts: the schema, ε, δ, the
// relation, the costs, and the number of rows where it is stated. No candidate is tried on
// the data, and no fact is taken from it, so that the choice costs no privacy and is the
// same for all tables. docs/choosing.md has the measurements that the rule was made by.

// A Candidate is a class with a mechanism, as Choose weighs it.
type Candidate struct {
	Class  string  `json:"class"` // with its parameters, as Request.Name takes it
	Effort *Effort `json:"effort,omitempty"`
	Bound  *Bound  `json:"bound,omitempty"` // where rows are stated
	Taken  bool    `json:"taken"`
	Why    string  `json:"why"` // it is taken, or not
}

// A Choice is what was weighed, in the order of the rule; one of it is taken. It is empty
// where nothing was chosen.
type Choice []Candidate

// Taken returns the candidate that is taken, nil in an empty choice.
func (c Choice) Taken() *Candidate {
	for i := range c {
		if c[i].Taken {
			return &c[i]
		}
	}
	return nil
}

// A candidate is a class, as Request.Name takes it, and when it is taken, if it takes no
// more than mostSeconds.
type candidate struct {
	class    string
	pays     func(facts) bool
	why, not string // it pays, or does not
}

// candidates are in the order in which they are asked: the first that pays is taken.
var candidates = []candidate{
	{"scorecard", facts.few, "so few cards are searched in seconds on the worst of tables", "there are so many cards that the search may not end"},
	{"tree --depth 4", always, "a draw takes a time that public numbers tell", ""},
	{"tree --depth 3", always, "a draw takes a time that public numbers tell", ""},
	{"tree --depth 2", always, "a draw takes a time that public numbers tell", ""},
	{"naive-bayes", always, "it takes a moment for any schema", ""},
	{"logistic", always, "of what spends a δ it errs least", ""},
}

func always(facts) bool { return true }

// facts are what the rule looks at. All of them are public.
type facts struct {
	rows       int64 // as stated; usualRows where they are not
	epsilon    float64
	attributes int
	categories int     // of all attributes
	bits       int     // of the size of the candidate's class; 0 where no class is laid out
	effort     *Effort // of the candidate; nil where no class is laid out
}

// usualRows stand for a number of rows that is not stated.
const usualRows = 20_000

// mostSeconds is how long a draw of what is chosen may take, about.
const mostSeconds = 10

// mostSure is how many bits the size of a class may have whose search takes seconds on the
// worst tables that were found: labels without a rule, some hundred rows for each λ.
const mostSure = 33

// few tells whether a class is so small that its search ends in seconds on every table.
func (f facts) few() bool { return f.bits <= mostSure }

// slow tells whether a draw is known to take too long.
func (f facts) slow() bool { return f.effort != nil && f.effort.Seconds > mostSeconds }

// facts returns those of the request.
func (r Request) facts() facts {
	f := facts{rows: r.Rows, attributes: len(r.Schema.Attributes)}
	if f.rows == 0 {
		f.rows = usualRows
	}
	f.epsilon, _ = r.Epsilon.Rat().Float64()
	for _, n := range r.Schema.Sizes() {
		f.categories += n
	}
	return f
}

// Choose sets the form and the mechanism of a request that has none, and returns what it
// weighed. It fails where nothing can be prepared, as Prepare does.
func (r *Request) Choose() (Choice, error) {
	if r.Schema == nil || r.Schema.Label == nil {
		return nil, errUnlabelled
	}
	var weighed Choice
	var refused error
	taken := -1
	for _, c := range candidates {
		w, fits, err := r.weigh(c)
		switch {
		case err != nil:
			w.Why = err.Error()
			if refused == nil {
				refused = err
			}
		case fits && taken < 0:
			taken = len(weighed)
		case fits:
			w.Why = "another comes before it"
		}
		weighed = append(weighed, w)
	}
	if taken < 0 {
		return nil, refused
	}
	weighed[taken].Taken = true
	return weighed, r.Name(weighed[taken].Class)
}

// weigh prepares a candidate, and tells whether the rule lets it be taken.
func (r Request) weigh(c candidate) (w Candidate, fits bool, err error) {
	w.Class = c.class
	if err := r.Name(c.class); err != nil {
		return w, false, err
	}
	p, err := r.Prepare()
	if err != nil {
		return w, false, err
	}
	w.Effort = p.Effort
	if r.Rows > 0 {
		bounds, err := r.Mechanism.bounds(p.setting)
		if err != nil {
			return w, false, err
		}
		if len(bounds) > 0 {
			w.Bound = &bounds[0]
		}
	}
	f := r.facts()
	f.effort = p.Effort
	if c := chosenFrom(p.setting.space); c != nil {
		f.bits = c.Size().BitLen()
	}
	switch {
	case f.slow():
		w.Why = fmt.Sprintf("a draw takes more than %d seconds", mostSeconds)
	case c.pays(f):
		w.Why, fits = c.why, true
	default:
		w.Why = c.not
	}
	return w, fits, nil
}
