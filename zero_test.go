package sibyl

import (
	"context"
	"io"
	"path/filepath"
	"reflect"
	"testing"
)

// TestZeroValues calls every method of the zero values of the types that hold released values and schemas. A method
// that can return an error must return one, and no method may panic.
func TestZeroValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	for _, zero := range []any{&Model{}, &Synthetic{}, &Schema{}, &Assessment{}, &Plan{}} {
		v := reflect.ValueOf(zero)
		for i := range v.NumMethod() {
			m, name := v.Method(i), v.Type().Elem().Name()+"."+v.Type().Method(i).Name
			t.Run(name, func(t *testing.T) {
				args := make([]reflect.Value, m.Type().NumIn())
				for k := range args {
					switch in := m.Type().In(k); in {
					case reflect.TypeFor[context.Context]():
						args[k] = reflect.ValueOf(t.Context())
					case reflect.TypeFor[io.Writer]():
						args[k] = reflect.ValueOf(io.Discard)
					case reflect.TypeFor[string]():
						args[k] = reflect.ValueOf(path)
					default:
						args[k] = reflect.Zero(in)
					}
				}
				out := m.Call(args)
				last := out[len(out)-1]
				if last.Type() == reflect.TypeFor[error]() && last.IsNil() {
					t.Error("no error")
				}
			})
		}
	}
	for row, err := range new(Synthetic).Rows(t.Context()) {
		if err == nil {
			t.Errorf("row %v", row)
		}
	}
}
