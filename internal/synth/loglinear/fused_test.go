package loglinear

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// Products and sums are not fused, so rows are equal on all machines.
func TestNothingIsFused(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go command is not on PATH")
	}
	type machine struct{ arch, level string }
	arm := machine{"arm64", "GOARM64=v8.0"}
	for _, machine := range heavy.Pick([]machine{arm}, []machine{arm, {"amd64", "GOAMD64=v3"}}) {
		build := exec.Command(tool, "build", "-gcflags=-S", ".", "../cells", "../copula", "../portable")
		build.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0", "GOARCH="+machine.arch, machine.level)
		text, err := build.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", machine.arch, err, text)
		}
		if !bytes.Contains(text, []byte("MULSD")) && !bytes.Contains(text, []byte("FMULD")) {
			t.Fatalf("%s: no product in the listing", machine.arch)
		}
		for line := range bytes.Lines(text) {
			for _, fused := range []string{"FMADD", "FMSUB", "FNMADD", "FNMSUB", "VFMADD", "VFMSUB", "VFNMADD"} {
				if bytes.Contains(line, []byte("\t"+fused)) {
					t.Errorf("%s: %s", machine.arch, line)
				}
			}
		}
	}
}
