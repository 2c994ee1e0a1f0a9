package declist_test

import (
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/class/declist"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
)

// Lists of at most two rules, each with one equality test.
func Example() {
	lists, err := declist.New([]literal.Attribute{
		literal.Equal(3), // age: young, middle, old
		literal.Equal(2), // admission: planned, emergency
	}, declist.Options{Rules: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(lists.Size(), "lists of", lists.Antecedents(), "antecedents")

	// If old then yes, else if planned then no, else yes.
	list := declist.List{Rules: []declist.Rule{{Antecedent: 2, Label: true}, {Antecedent: 3, Label: false}}, Default: true}
	fmt.Println("in the class:", lists.Contains(list))
	for _, x := range [][]uint16{{2, 0}, {1, 0}, {1, 1}} {
		fmt.Println(x, "decided by rule", lists.DecidingRule(list, x), "as", lists.Predict(list, x))
	}
	// Output:
	// 72 lists of 5 antecedents
	// in the class: true
	// [2 0] decided by rule 0 as true
	// [1 0] decided by rule 1 as false
	// [1 1] decided by rule -1 as true
}
