package source

import "io"

// The Parquet library panics over some damaged data. Those panics become the error that they should
// be. A panic of our own code is a defect and stays one, also where the library called that code: a
// defect must not be blamed on the file.

// libraryPanic is what a panic of the library becomes.
type libraryPanic struct{}

// overDamage, deferred around a call of the library, marks its panic unless own reports that our code
// was running.
func overDamage(own *bool) {
	if p := recover(); p != nil {
		if own != nil && *own {
			panic(p)
		}
		panic(libraryPanic{})
	}
}

// recoverDamage, deferred, turns a panic of the library into an error.
func recoverDamage(name string, err *error) {
	switch p := recover().(type) {
	case nil:
	case libraryPanic:
		*err = damaged(name)
	default:
		panic(p)
	}
}

// A guarded file marks the panics of the library.
type guarded struct{ Columnar }

func openGuarded(file io.ReaderAt, size int64) (Columnar, error) {
	defer overDamage(nil)
	columns, err := parquetOpener(file, size)
	return guarded{columns}, err
}

func (g guarded) Metadata(key string) (value string, found bool) {
	defer overDamage(nil)
	return g.Columnar.Metadata(key)
}

func (g guarded) Columns() []ColumnType {
	defer overDamage(nil)
	return g.Columnar.Columns()
}

func (g guarded) Rows() []int64 {
	defer overDamage(nil)
	return g.Columnar.Rows()
}

func (g guarded) Find(column string) (int, error) {
	defer overDamage(nil)
	return g.Columnar.Find(column)
}

func (g guarded) Column(group, found int, coders []Coder) ColumnReader {
	own := new(bool)
	defer overDamage(own)
	noted := make([]Coder, len(coders))
	for i, code := range coders {
		noted[i] = func(text []byte) uint16 {
			*own = true // and it stays so if code panics
			c := code(text)
			*own = false
			return c
		}
	}
	return guardedReader{g.Columnar.Column(group, found, noted), own}
}

// A guardedReader does so for a column.
type guardedReader struct {
	ColumnReader
	own *bool // whether a coder runs
}

func (r guardedReader) Fill(n int, into [][]uint16, texts [][]byte) error {
	defer overDamage(r.own)
	return r.ColumnReader.Fill(n, into, texts)
}
