package mechanism

import (
	"flag"
	"fmt"
	"io"
	"reflect"
	"testing"
)

// fields returns the values of the fields of a struct, and of those it embeds, by name.
func fields(of reflect.Value) map[string]any {
	all := map[string]any{}
	for i := range of.NumField() {
		if f := of.Type().Field(i); f.Anonymous {
			for name, v := range fields(of.Field(i)) {
				all[name] = v
			}
		} else {
			all[f.Name] = of.Field(i).Interface()
		}
	}
	return all
}

// Each field of a mechanism is set by just one parameter, and each parameter sets a field.
func TestParameters(t *testing.T) {
	for _, k := range All() {
		set := map[string]int{}
		flags := func(m Mechanism) *flag.FlagSet {
			f := flag.NewFlagSet(k.Name, flag.ContinueOnError)
			f.SetOutput(io.Discard)
			m.Parameters(f)
			return f
		}
		flags(k.New()).VisitAll(func(p *flag.Flag) {
			m := k.New()
			f := flags(m)
			before := fields(reflect.ValueOf(m).Elem())
			var err error
			for _, text := range []string{"true", "71", "0.71"} { // the first that it takes
				if err = f.Set(p.Name, text); err == nil {
					break
				}
			}
			if err != nil {
				t.Errorf("%s: --%s: %v", k.Name, p.Name, err)
			}
			changed := 0
			for name, v := range fields(reflect.ValueOf(m).Elem()) {
				if fmt.Sprint(v) != fmt.Sprint(before[name]) {
					set[name]++
					changed++
				}
			}
			if changed != 1 {
				t.Errorf("%s: --%s sets %d fields", k.Name, p.Name, changed)
			}
		})
		for name := range fields(reflect.ValueOf(k.New()).Elem()) {
			if set[name] != 1 {
				t.Errorf("%s: %d parameters set %s", k.Name, set[name], name)
			}
		}
	}
}
