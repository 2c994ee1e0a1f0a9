package table_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// wide returns a schema of one attribute with the maximum number of groups.
func wide() string {
	var b strings.Builder
	b.WriteString("[[attribute]]\ncolumn = \"x\"\ngroups = { ")
	for i := range table.MaxCategories {
		fmt.Fprintf(&b, "g%d = [\"v%d\"], ", i, i)
	}
	return strings.TrimSuffix(b.String(), ", ") + " }\n"
}

// Reading takes time linear in the schema's length. A linear search per group would take more than
// a minute.
func TestManyGroups(t *testing.T) {
	s := tabletest.Schema(t, wide())
	if n := s.Attributes[0].Len(); n != table.MaxCategories {
		t.Errorf("%d groups, not %d", n, table.MaxCategories)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var again table.Schema
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if last := again.Attributes[0].Groups[table.MaxCategories-1]; last.Name != "g65534" {
		t.Errorf("the last group is %q", last.Name)
	}
}

func TestManyGroupsTwice(t *testing.T) {
	text := strings.Replace(wide(), "g65534 =", "g0 =", 1)
	if _, err := table.ParseSchema("wide.toml", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "g0 is given twice") {
		t.Errorf("%v", err)
	}
}

func TestRecords(t *testing.T) {
	s := func(sizes ...int) *table.Schema {
		s := &table.Schema{}
		for _, n := range sizes {
			s.Attributes = append(s.Attributes, table.Attribute{Values: make([]string, n)})
		}
		return s
	}
	for _, c := range []struct {
		schema     *table.Schema
		most, want int64
	}{
		{s(7, 7, 7), 1 << 31, 343}, {s(7, 7, 7), 343, 343}, {s(7, 7, 7), 342, 342},
		{s(65535, 65535, 65535, 65535, 65535), 1 << 31, 1 << 31}, {s(3), 0, 0},
	} {
		if got := c.schema.Records(c.most); got != c.want {
			t.Errorf("%v, at most %d: %d, not %d", c.schema.Sizes(), c.most, got, c.want)
		}
	}
}
