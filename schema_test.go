package sibyl

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The tags of a struct describe the same schema as TOML.
func TestSchemaOf(t *testing.T) {
	type visit struct {
		Who     string  `sibyl:"who,person=3"`
		Age     *uint8  `sibyl:"age,cuts=18|60.5"`
		Ward    string  `sibyl:"ward,values=a|b,other=rest"`
		Known   bool    // the column has the field's name
		Weight  float32 `sibyl:",cuts=2"`
		Skipped func()  `sibyl:"-"`
		hidden  chan int
		Sent    string `sibyl:"sent,values=x|y|z,label"`
	}
	got, err := SchemaOf[visit]()
	if err != nil {
		t.Fatal(err)
	}
	want, err := ParseSchema("visit", strings.NewReader(`
[label]
column = "sent"
values = ["x", "y", "z"]
[person]
column = "who"
most = 3
[[attribute]]
column = "age"
cuts = [18, 60.5]
[[attribute]]
column = "ward"
values = ["a", "b"]
other = "rest"
[[attribute]]
column = "Known"
values = ["false", "true"]
[[attribute]]
column = "Weight"
cuts = [2]
`))
	if err != nil {
		t.Fatal(err)
	}
	a, err1 := json.Marshal(got.schema)
	b, err2 := json.Marshal(want.schema)
	if err1 != nil || err2 != nil || got.schema.Digest() != want.schema.Digest() {
		t.Errorf("%s, not %s: %v, %v", a, b, err1, err2)
	}
	if !slices.Equal(got.Columns(), []string{"age", "ward", "Known", "Weight", "sent"}) {
		t.Errorf("the columns are %v", got.Columns())
	}
	_ = visit{}.hidden

	// A nil pointer is a missing value, and numbers have no exponent, whatever their type.
	eighteen := uint8(18)
	rows := []visit{{Age: &eighteen, Ward: "q", Known: true, Weight: 1.5, Who: "p", Sent: "y"}, {Ward: "a", Who: "p", Sent: "y"}}
	table, err := Slice(rows).data.Table(t.Context(), got.schema)
	if err != nil || table.Len() != 1 || table.Nulls() == 0 {
		t.Fatalf("%+v, %v", table, err)
	}
	for j, code := range []uint16{1, 2, 1, 0} {
		into := make([]uint16, 1)
		if table.Codes(j, 0, into); into[0] != code {
			t.Errorf("attribute %d has the code %d, not %d", j, into[0], code)
		}
	}
	type late struct {
		Hours int `sibyl:"hours,cuts=3,label"`
		Rain  bool
	}
	if s, err := SchemaOf[late](); err != nil || s.schema.Label.AtLeast != "3" {
		t.Errorf("%v", err)
	}
}

// An invalid tag is a ParameterError of the schema.
func TestSchemaOfRefuses(t *testing.T) {
	for name, err := range map[string]error{
		"no struct":    second(SchemaOf[int]()),
		"an interface": second(SchemaOf[any]()),
		"no columns":   second(SchemaOf[struct{}]()),
		"a type": second(SchemaOf[struct {
			A []string `sibyl:"a,values=x"`
		}]()),
		"no values": second(SchemaOf[struct {
			A string `sibyl:"a"`
		}]()),
		"an option": second(SchemaOf[struct {
			A bool `sibyl:"a,negated"`
		}]()),
		"a cut": second(SchemaOf[struct {
			A int `sibyl:"a,cuts=x"`
		}]()),
		"falling cuts": second(SchemaOf[struct {
			A int `sibyl:"a,cuts=3|2"`
		}]()),
		"both": second(SchemaOf[struct {
			A int `sibyl:"a,cuts=3,values=1"`
		}]()),
		"two labels": second(SchemaOf[struct {
			A bool `sibyl:"a,label"`
			B bool `sibyl:"b,label"`
		}]()),
		"a label's other": second(SchemaOf[struct {
			A bool
			B string `sibyl:"b,values=x|y,other=z,label"`
		}]()),
		"persons": second(SchemaOf[struct {
			A bool
			B string `sibyl:"b,person=many"`
		}]()),
		"two columns": second(SchemaOf[struct {
			A bool `sibyl:"b"`
			B bool `sibyl:"b"`
		}]()),
	} {
		if p, ok := errors.AsType[*ParameterError](err); !ok || p.Field != "schema" || strings.Contains(p.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// A schema in a file means the same as its text. The error for a missing file names the argument.
func TestReadSchema(t *testing.T) {
	text := "[[attribute]]\ncolumn = \"a\"\nvalues = [\"no\", \"yes\"]\n"
	path := filepath.Join(t.TempDir(), "s.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want, err := ParseSchema(path, strings.NewReader(text))
	got, err2 := ReadSchema(path)
	if err != nil || err2 != nil || got.schema.Digest() != want.schema.Digest() {
		t.Fatalf("%v, %v", err, err2)
	}
	var wrong *ParameterError
	if _, err := ReadSchema(path + "x"); !errors.As(err, &wrong) || wrong.Field != "schema" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
