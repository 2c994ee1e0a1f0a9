package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/strictjson"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A file of counts contains exact marginals instead of rows. It is a Parquet file that lists the non-empty cells of
// these marginals (docs/reference/formats.md). It is as private as the rows.

const (
	countedFormat = "sibyl-counts/1"
	countedKey    = "sibyl-counts" // the key of the Parquet metadata that holds the header
)

// A countedHeader is the header of a file of counts, which stores marginals of a table instead of its rows. Each list
// of attributes in the header defines one marginal: the counts by these attributes and the label's outcome.
type countedHeader struct {
	Format string  `json:"format"`
	Schema string  `json:"schema"` // table.Schema.Digest
	Rows   int64   `json:"rows"`   // the number of rows or persons, null records included
	Nulls  int64   `json:"nulls"`  // units of null records
	Weight int64   `json:"weight"` // units per row or person
	Lists  [][]int `json:"lists"`  // lists of attributes; each list is counted together with the outcome
}

// The columns of a file of counts. Each row of the file is a cell of a marginal: the number of the list of attributes
// that defines the marginal, one code for each attribute of the list (see codeColumn), the outcome, and the count.
const (
	listColumn    = "list"
	outcomeColumn = "outcome"
	countColumn   = "count"
)

func codeColumn(k int) string { return fmt.Sprintf("code_%d", k+1) }

// width returns the number of attributes in the longest list of the header.
func (h *countedHeader) width() int {
	width := 0
	for _, list := range h.Lists {
		width = max(width, len(list))
	}
	return width
}

func (h *countedHeader) text() string {
	text, err := json.Marshal(h)
	if err != nil {
		panic(err) // of numbers
	}
	return string(text)
}

// readCountedHeader parses the header of a file of counts, given its text and the file's name for messages. It
// returns an error if the counts were made with another schema than s.
func readCountedHeader(name, text string, s *table.Schema) (*countedHeader, error) {
	h := &countedHeader{}
	if strictjson.Decode([]byte(text), h) != nil {
		return nil, damagedCounts(name)
	}
	switch {
	case h.Format != countedFormat:
		return nil, fmt.Errorf("%s: the format of these counts is %s, and this program reads %s; count the data again", name, quote.Word(h.Format), countedFormat)
	case h.Schema != s.Digest():
		return nil, fmt.Errorf("%s: the counts were made with another schema, or the command needs the rows; name that schema, or the file of the data", name)
	case h.Weight != s.Weight() || checkLists(h.Lists, len(s.Attributes)) != nil:
		return nil, damagedCounts(name)
	case h.Rows < 0 || h.Nulls < 0 || h.Rows > (1<<63-1)/h.Weight || h.Nulls > h.Rows*h.Weight:
		return nil, damagedCounts(name)
	}
	return h, nil
}

func damagedCounts(name string) error {
	return fmt.Errorf("%s: the counts are damaged; count the data again", name)
}

// checkLists returns an error if the lists of attributes cannot define the marginals of a file of counts. The indices
// in each list must be increasing, and no two lists may be equal.
func checkLists(lists [][]int, attributes int) error {
	if len(lists) == 0 {
		return errors.New("a file of counts needs at least one list of attributes")
	}
	seen := map[string]bool{}
	for _, list := range lists {
		key := fmt.Sprint(list)
		if seen[key] {
			return errors.New("a file of counts must not have two equal lists of attributes; remove one of them")
		}
		seen[key] = true
		for i, j := range list {
			if j < 0 || j >= attributes || i > 0 && j <= list[i-1] {
				return errors.New("each list of attributes for a file of counts must contain indices of the schema's attributes in increasing order")
			}
		}
	}
	return nil
}

// answers returns an error unless the marginals of the file suffice to answer all queries of a release.
func (h *countedHeader) answers(name string, s *table.Schema, queries table.Queries) error {
	err := h.answersAll(name, s, queries)
	if err != nil && queries.Fallback != "" {
		return parameter.Errorf("%w, or use %s, which needs fewer counts", err, queries.Fallback)
	}
	return err
}

func (h *countedHeader) answersAll(name string, s *table.Schema, queries table.Queries) error {
	if queries.Rows {
		return rowless(name)
	}
	all := everyPlace(len(s.Attributes))
	whole := h.has(name, s, all)
	if queries.Records || whole == nil {
		return whole
	}
	for _, columns := range queries.Columns {
		if err := h.has(name, s, attributesOf(columns, len(all))); err != nil {
			return err
		}
	}
	return choose(len(all), min(queries.Any, len(all)), func(list []int) error { return h.has(name, s, list) })
}

func rowless(name string) error {
	return fmt.Errorf("%s: the file holds counts, and this command needs the rows; name the file of the data", name)
}

// choose calls the function visit for each subset of {0, …, n-1} with the given number of elements (many). The subset
// is a slice in increasing order, which is valid only during the call. choose stops at the first error of visit and
// returns it.
func choose(n, many int, visit func(list []int) error) error {
	list := make([]int, 0, many)
	var extend func(from int) error
	extend = func(from int) error {
		if len(list) == many {
			return visit(list)
		}
		for j := from; j <= n-(many-len(list)); j++ {
			list = append(list, j)
			err := extend(j + 1)
			list = list[:len(list)-1]
			if err != nil {
				return err
			}
		}
		return nil
	}
	return extend(0)
}

// attributesOf returns the given columns without the outcome. Columns 0 to n-1 are the attributes, and column n is
// the outcome.
func attributesOf(columns []int, n int) []int {
	return slices.DeleteFunc(slices.Clone(columns), func(j int) bool { return j >= n })
}

// has returns an error unless some list of attributes in the header contains all wanted attributes.
func (h *countedHeader) has(name string, s *table.Schema, wanted []int) error {
	if slices.ContainsFunc(h.Lists, func(list []int) bool { return containsAll(list, wanted) }) {
		return nil
	}
	if len(wanted) == len(s.Attributes) {
		return fmt.Errorf("%s: the file does not contain the joint counts of all attributes; count the data again with sibyl count --all", name)
	}
	return fmt.Errorf("%s: the file does not contain the joint counts of %s; count the data again with sibyl count --order %d", name, namesOf(s, wanted), len(wanted))
}

// namesOf returns the names of the attributes in a list, joined for messages.
func namesOf(s *table.Schema, list []int) string {
	var names []string
	for _, j := range list {
		names = append(names, quote.Word(s.Attributes[j].Name))
	}
	return strings.Join(names, " and ")
}

// containsAll reports whether a list of increasing numbers contains all wanted numbers.
func containsAll(list, wanted []int) bool {
	for _, j := range wanted {
		if _, found := slices.BinarySearch(list, j); !found {
			return false
		}
	}
	return true
}

// A Counted answers the queries of table.Counts from a file of counts, by summing the marginals in the file.
type Counted struct {
	header *countedHeader
	name   string
	schema *table.Schema
	tables []*table.Table // by list, the marginal on its attributes and the outcome
	order  []int          // the indices of the lists, by increasing number of cells
}

var _ table.Counts = (*Counted)(nil)

// Sizes returns the number of categories of each attribute.
func (c *Counted) Sizes() []int { return c.schema.Sizes() }

// Outcomes returns the number of possible outcomes of the label.
func (c *Counted) Outcomes() int { return c.schema.Outcomes() }

// Weight returns the number of units (see table.Counts) of a row, or of a person if the schema has a Person.
func (c *Counted) Weight() int64 { return c.header.Weight }

// Rows returns the number of rows or persons that were counted, including null records, which have a value outside
// the domain.
func (c *Counted) Rows() int64 { return c.header.Rows }

// Nulls returns the number of units (see table.Counts) of null records, which have a value outside the schema's
// domain.
func (c *Counted) Nulls() int64 { return c.header.Nulls }

// Marginals implements table.Counts: it returns the counts of each marginal. It returns an error unless, for each
// marginal, one list of the file contains all its attributes.
func (c *Counted) Marginals(ctx context.Context, of [][]table.Axis) ([][]int64, error) {
	asked := make([][][]table.Axis, len(c.tables)) // by list, the marginals to compute from it
	places := make([][]int, len(c.tables))
	for i, axes := range of {
		list, own, err := c.within(axes)
		if err != nil {
			return nil, err
		}
		asked[list] = append(asked[list], own)
		places[list] = append(places[list], i)
	}
	all := make([][]int64, len(of))
	for list, t := range c.tables {
		if len(asked[list]) == 0 {
			continue
		}
		counts, err := t.Marginals(ctx, asked[list])
		if err != nil {
			return nil, err
		}
		for k, i := range places[list] {
			all[i] = counts[k]
		}
	}
	return all, nil
}

// Supports implements table.Counts: it returns, for each conjunction, the number of units (see table.Counts) of the
// records that satisfy all its terms. It returns an error unless, for each conjunction, one list of the file contains
// all its attributes.
func (c *Counted) Supports(ctx context.Context, axes []table.Axis, of [][]table.Term) ([]int64, error) {
	type question struct {
		axes   []table.Axis
		number map[int]int // from the index of an axis to its index in axes
		of     [][]table.Term
		places []int
	}
	questions := make([]question, len(c.tables)) // by list, the conjunctions to count in it
	for i, terms := range of {
		var used []table.Axis
		for _, t := range terms {
			used = append(used, axes[t.Axis])
		}
		list, own, err := c.within(used)
		if err != nil {
			return nil, err
		}
		q := &questions[list]
		if q.number == nil {
			q.number = make(map[int]int)
		}
		var translated []table.Term
		for k, t := range terms {
			n, known := q.number[t.Axis]
			if !known {
				n = len(q.axes)
				q.number[t.Axis] = n
				q.axes = append(q.axes, own[k])
			}
			translated = append(translated, table.Term{Axis: n, Cell: t.Cell})
		}
		q.of = append(q.of, translated)
		q.places = append(q.places, i)
	}
	all := make([]int64, len(of))
	for list, q := range questions {
		if len(q.of) == 0 {
			continue
		}
		units, err := c.tables[list].Supports(ctx, q.axes, q.of)
		if err != nil {
			return nil, err
		}
		for k, i := range q.places {
			all[i] = units[k]
		}
	}
	return all, nil
}

// Totals implements table.Counts: it returns the number of units (see table.Counts) of the records with each total of
// points and each outcome. It returns an error unless one list of the file contains all attributes to which the card
// gives points.
func (c *Counted) Totals(ctx context.Context, card table.Card) (map[int64][]int64, error) {
	list, err := c.holding(card.Columns())
	if err != nil {
		return nil, err
	}
	var own table.Card
	for _, j := range c.header.Lists[list] {
		own.Points = append(own.Points, card.Points[j])
	}
	return c.tables[list].Totals(ctx, own)
}

// Weighted implements table.Counts: it returns, for each category of each given attribute, the sum over its records
// of the weight times the number of units (see table.Counts). It returns an error unless one list of the file
// contains all attributes of the schema.
func (c *Counted) Weighted(ctx context.Context, attributes []int, w table.Weights) ([][]int64, error) {
	t, err := c.whole()
	if err != nil {
		return nil, err
	}
	return t.Weighted(ctx, attributes, w)
}

// Moments implements table.Counts: it returns the weighted sums that the query m describes. It returns an error
// unless one list of the file contains all attributes of the schema.
func (c *Counted) Moments(ctx context.Context, m table.Moments) (first, second []int64, err error) {
	t, err := c.whole()
	if err != nil {
		return nil, nil, err
	}
	return t.Moments(ctx, m)
}

// whole returns the complete table, which is the marginal on all attributes and the outcome. It returns an error if
// the file does not contain this marginal.
func (c *Counted) whole() (*table.Table, error) {
	list, err := c.holding(everyPlace(len(c.schema.Attributes)))
	if err != nil {
		return nil, err
	}
	return c.tables[list], nil
}

// within returns the index of a list of attributes from whose marginal the marginal with the given axes can be
// computed. It also returns these axes with the columns numbered as in the marginal of the list.
func (c *Counted) within(axes []table.Axis) (list int, own []table.Axis, err error) {
	var wanted []int
	for _, a := range axes {
		if a.Column < len(c.schema.Attributes) {
			wanted = append(wanted, a.Column)
		}
	}
	if list, err = c.holding(wanted); err != nil {
		return 0, nil, err
	}
	for _, a := range axes {
		// The outcome, whose number is greater than those of all attributes, has the position after the list.
		a.Column, _ = slices.BinarySearch(c.header.Lists[list], a.Column)
		own = append(own, a)
	}
	return list, own, nil
}

// holding returns the index of a list of the file that contains all wanted attributes. Of several such lists, it
// returns the one whose marginal has the fewest cells.
func (c *Counted) holding(wanted []int) (int, error) {
	for _, list := range c.order {
		if containsAll(c.header.Lists[list], wanted) {
			return list, nil
		}
	}
	return 0, c.header.has(c.name, c.schema, wanted)
}

// everyPlace returns the list of the integers from 0 to n-1.
func everyPlace(n int) []int {
	all := make([]int, n)
	for j := range all {
		all[j] = j
	}
	return all
}
