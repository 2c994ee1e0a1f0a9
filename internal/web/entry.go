package web

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/sibyl-dp/sibyl/internal/publish"
)

// secret returns 256 random bits as text.
func secret() string {
	var b [32]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// same reports whether two secrets are equal, in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// An entry is a file with an HTML page that signs the user in: the page sends a key to the server. Only the owner of
// the process can read the file. A key is valid once; after its use the file contains a new key.
//
// The key is never part of a command line, because other users could see it there. It is never part of an address
// either, because the browser would keep it in its history.
type entry struct {
	path       string
	server     string // the origin of the server
	mutex      sync.Mutex
	key        string
	unfinished *publish.Unfinished
}

// newEntry writes the page that signs the user in to a new temporary directory.
func newEntry(u *publish.Unfinished, server string) (*entry, error) {
	e := &entry{server: server, unfinished: u}
	err := u.Begin(os.RemoveAll, func() (directory string, err error) {
		directory, err = os.MkdirTemp("", "sibyl-serve-")
		e.path = filepath.Join(directory, "sign-in.html")
		return directory, err
	})
	if err == nil {
		err = e.renew()
	}
	if err != nil {
		e.remove()
		return nil, fmt.Errorf("the file with the key cannot be written: %w", publish.Inner(err))
	}
	return e, nil
}

var entryPage = template.Must(template.New("entry").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>Sign in to Sibyl</title>
<form method="post" action="{{.Server}}/enter">
<input type="hidden" name="key" value="{{.Key}}">
<p><button>Open Sibyl</button></p>
</form>
<p>Or paste this key at {{.Server}}: <code>{{.Key}}</code></p>
<script>document.forms[0].submit()</script>
</html>
`))

// renew replaces the key. The caller must hold the mutex, or must be the only user of e.
func (e *entry) renew() error {
	key := secret()
	var page strings.Builder
	if err := entryPage.Execute(&page, struct{ Server, Key string }{e.server, key}); err != nil {
		return err
	}
	scratch := e.path + ".new"
	if err := os.WriteFile(scratch, []byte(page.String()), 0o600); err != nil {
		return err
	}
	if err := os.Rename(scratch, e.path); err != nil {
		return err
	}
	e.key = key
	return nil
}

// use reports whether the given key is the current key. If it is, use replaces the key, so that it is valid only
// once.
func (e *entry) use(key string) bool {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.key == "" || !same(key, e.key) {
		return false
	}
	if e.renew() != nil {
		e.key = "" // nobody can sign in again
	}
	return true
}

// remove removes the file with the sign-in page, and its directory.
func (e *entry) remove() { e.unfinished.Remove(filepath.Dir(e.path)) }

// A session lasts from one sign-in to the next one. Its base is a secret with which the paths of all pages begin.
// The session cookie is valid only for these paths. Cookies do not distinguish ports, so without the base the
// browser would also send the cookie to servers on other ports of this machine.
type session struct {
	base   string // the beginning of the paths of all pages, such as /SECRET/
	cookie string
	csrf   string
}

func newSession() *session {
	return &session{base: "/" + secret() + "/", cookie: secret(), csrf: secret()}
}
