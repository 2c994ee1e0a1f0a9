// Package goget tests that `go get` of the library and `go install` of the command work with the current files of the
// repository. The tests serve these files by a module proxy.
package goget

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

const module, version = "github.com/sibyl-dp/sibyl", "v0.0.1"

// program is a short program that uses the library.
const program = `package main

import (
	"fmt"

	"github.com/sibyl-dp/sibyl"
)

type visit struct {
	Age  int  ` + "`sibyl:\"age,cuts=60\"`" + `
	Back bool ` + "`sibyl:\"back,label\"`" + `
}

func main() { fmt.Println(sibyl.SchemaOf[visit]()) }
`

// downloaded are the modules that the program downloads in addition to the module of the library. README.md lists them.
var downloaded = []string{"github.com/pelletier/go-toml/v2", "golang.org/x/sys", "golang.org/x/text", "gonum.org/v1/gonum"}

// A program that uses the library downloads only the modules of packages that it imports. It does not download the
// modules that the command, databases or Parquet files need.
func TestGoGet(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	g := newWorld(t, root)
	write(t, filepath.Join(g.directory, "go.mod"), "module example.org/program\n\ngo 1.26\n")
	write(t, filepath.Join(g.directory, "main.go"), program)
	g.run("get", module+"@"+version)
	var packages, modules []string
	text := g.run("list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}} {{.Module.Path}}{{end}}", ".")
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 2 && f[1] != "example.org/program" {
			packages, modules = append(packages, f[0]), append(modules, f[1])
		}
	}
	slices.Sort(modules)
	if modules = slices.Compact(modules); !slices.Equal(modules, slices.Concat(downloaded[:1], []string{module}, downloaded[1:])) {
		t.Errorf("the program builds packages of %v, not of %v", modules, downloaded)
	}
	if got := g.zips(); !slices.Equal(got, modules) {
		t.Errorf("the program downloads %v, and builds packages of %v", got, modules)
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range downloaded {
		if !strings.Contains(string(readme), m) {
			t.Errorf("README.md does not say that a program downloads %s", m)
		}
	}
	own := 0
	for _, p := range packages {
		if strings.HasPrefix(p, module) {
			own++
		}
		if strings.Contains(p, "/papers") || strings.Contains(p, "/cmd/") || strings.Contains(p, "parquet") {
			t.Errorf("the program builds %s", p)
		}
	}
	t.Logf("%d packages, %d of them Sibyl's, of the modules %v", len(packages), own, modules)
	if !heavy.On() {
		return
	}
	g.run("build", "-o", os.DevNull, ".")
	g.run("install", module+"/cmd/sibyl@"+version)
	if said, err := exec.Command(filepath.Join(g.directory, "bin", "sibyl"), "--help").CombinedOutput(); err != nil || !strings.Contains(string(said), "learn") {
		t.Errorf("%v: %s", err, said)
	}
}

// A world is a directory with a module proxy and an empty module cache.
type world struct {
	t         *testing.T
	directory string
	env       []string
}

func newWorld(t *testing.T, root string) *world {
	t.Helper()
	known, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	proxy, directory := t.TempDir(), t.TempDir()
	publish(t, root, filepath.Join(proxy, module, "@v"))
	cached := filepath.Join(strings.TrimSpace(string(known)), "cache", "download")
	if !heavy.On() {
		shorten(t, root, cached, proxy)
	}
	others := "file://" + filepath.ToSlash(cached)
	// With -trimpath, the build cache serves packages that earlier runs compiled in another module cache.
	return &world{t, directory, append(os.Environ(),
		"GOPROXY=file://"+filepath.ToSlash(proxy)+","+others+",off", "GOSUMDB=off", "GOFLAGS=-modcacherw -trimpath", "GOWORK=off", "GOBIN="+filepath.Join(directory, "bin"),
		"GOMODCACHE="+filepath.Join(directory, "cache"), "CGO_ENABLED=0")}
}

// shorten writes the downloaded modules to the proxy. It omits packages that the library does not import, because the go
// command would spend most of its time on extracting them.
func shorten(t *testing.T, root, cached, proxy string) {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}@{{.Version}} {{$.ImportPath}}{{end}}", ".")
	list.Dir = root
	text, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	imported := map[string][]string{} // the imported packages, by module and version
	for line := range strings.Lines(string(text)) {
		of, imports, _ := strings.Cut(strings.TrimSpace(line), " ")
		imported[of] = append(imported[of], imports)
	}
	for of, packages := range imported {
		name, number, _ := strings.Cut(of, "@")
		if !slices.Contains(downloaded, name) {
			continue
		}
		from, to := filepath.Join(cached, name, "@v", number), filepath.Join(proxy, name, "@v", number)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		whole, err := zip.OpenReader(from + ".zip")
		if err != nil {
			t.Fatal(err)
		}
		defer whole.Close()
		for _, end := range []string{".info", ".mod"} {
			text, err := os.ReadFile(from + end)
			if err != nil {
				t.Fatal(err)
			}
			write(t, to+end, string(text))
		}
		pack(t, to+".zip", func(archive *zip.Writer) error {
			for _, f := range whole.File {
				path := name + strings.TrimPrefix(filepath.ToSlash(filepath.Dir(f.Name)), of)
				if slices.Contains(packages, path) && !strings.HasSuffix(f.Name, "_test.go") {
					if err := archive.Copy(f); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
}

// pack writes a zip file.
func pack(t *testing.T, path string, fill func(*zip.Writer) error) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	archive := zip.NewWriter(file)
	if err := errors.Join(fill(archive), archive.Close()); err != nil {
		t.Fatal(err)
	}
}

// run runs the go command, and returns what it prints.
func (g *world) run(arguments ...string) string {
	g.t.Helper()
	c := exec.Command("go", arguments...)
	c.Dir, c.Env = g.directory, g.env
	var complaints strings.Builder
	c.Stderr = &complaints
	text, err := c.Output()
	if err != nil {
		g.t.Fatalf("go %v: %v\n%s", arguments, err, &complaints)
	}
	return string(text)
}

// zips returns the modules whose files were downloaded.
func (g *world) zips() (modules []string) {
	root := filepath.Join(g.directory, "cache", "cache", "download")
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".zip") {
			name, err := filepath.Rel(root, filepath.Dir(filepath.Dir(path)))
			modules = append(modules, filepath.ToSlash(name))
			return err
		}
		return err
	})
	if err != nil {
		g.t.Fatal(err)
	}
	slices.Sort(modules)
	return modules
}

// publish writes the files of the module in root to the directory, in the form in which a proxy serves them. It includes
// the files in the git repository without nested modules.
func publish(t *testing.T, root, directory string) {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	text, err := list.Output()
	if err != nil {
		t.Skipf("this is no checkout of git: %v", err)
	}
	files := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
	var nested []string
	for _, f := range files {
		if dir, ok := strings.CutSuffix(f, "/go.mod"); ok {
			nested = append(nested, dir+"/")
		}
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		t.Fatal(err)
	}
	info, err := json.Marshal(map[string]string{"Version": version, "Time": "2026-01-01T00:00:00Z"})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(directory, "list"), version+"\n")
	write(t, filepath.Join(directory, version+".info"), string(info))
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(directory, version+".mod"), string(mod))
	pack(t, filepath.Join(directory, version+".zip"), func(archive *zip.Writer) error {
		for _, f := range files {
			if slices.ContainsFunc(nested, func(dir string) bool { return strings.HasPrefix(f, dir) }) {
				continue
			}
			if !heavy.On() && !strings.HasSuffix(f, "go.mod") && (strings.HasSuffix(f, "_test.go") || strings.Contains(f, "testdata/")) {
				continue // no package imports it
			}
			content, err := os.ReadFile(filepath.Join(root, f))
			if os.IsNotExist(err) { // it was removed
				continue
			} else if err != nil {
				return err
			}
			w, err := archive.Create(fmt.Sprintf("%s@%s/%s", module, version, f))
			if err == nil {
				_, err = w.Write(content)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
