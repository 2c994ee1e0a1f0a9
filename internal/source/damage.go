package source

import "io"

// The Parquet library panics for some damaged files. These panics are converted to errors. Panics of Sibyl's
// own code are not converted, even if the library called this code, because they are defects of the program,
// not damage of the file.

// A libraryPanic is the value with which overDamage panics after a panic of the Parquet library.
type libraryPanic struct{}

// overDamage replaces a panic of the Parquet library by a panic with the value libraryPanic. It must be deferred
// around each call of the library. If *own is true, the panic comes from code of this module that the library called,
// and is left unchanged.
func overDamage(own *bool) {
	if p := recover(); p != nil {
		if own != nil && *own {
			panic(p)
		}
		panic(libraryPanic{})
	}
}

// recoverDamage recovers from a panic with the value libraryPanic, and sets *err to an error which states that the
// named file is damaged. It must be deferred.
func recoverDamage(name string, err *error) {
	switch p := recover().(type) {
	case nil:
	case libraryPanic:
		*err = damaged(name)
	default:
		panic(p)
	}
}

// A guarded is a Columnar whose methods replace panics of the Parquet library by panics with the value libraryPanic.
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
			*own = true // it stays true if code panics
			c := code(text)
			*own = false
			return c
		}
	}
	return guardedReader{g.Columnar.Column(group, found, noted), own}
}

// A guardedReader is a ColumnReader whose method Fill replaces panics of the Parquet library by panics with the value
// libraryPanic.
type guardedReader struct {
	ColumnReader
	own *bool // whether one of our coders is running
}

func (r guardedReader) Fill(n int, into [][]uint16, texts [][]byte) error {
	defer overDamage(r.own)
	return r.ColumnReader.Fill(n, into, texts)
}
