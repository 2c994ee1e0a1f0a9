package source

import (
	"bytes"
	"io"
	"io/fs"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// openFS opens a file in the file system o.FS. If the file does not provide random access (io.ReaderAt), the end
// of its name determines how it is read: files ending in .parquet or .xlsx are read into memory, and all others as
// a stream of text.
func openFS(path string, s *table.Schema, o Options) (input, error) {
	name := quote.Name(path)
	file, size, err := statFS(name, path, o.FS)
	if err != nil {
		return nil, err
	}
	in, err := openAny(name, path, file, size, s, o)
	if err != nil {
		file.Close()
		return nil, err
	}
	return in, nil
}

// statFS opens a file of a file system, and returns the file and its size. It returns an error for a directory.
func statFS(name, path string, fsys fs.FS) (fs.File, int64, error) {
	file, err := fsys.Open(path)
	if err != nil {
		return nil, 0, Unreadable(name, err)
	}
	info, err := file.Stat()
	if err == nil && !info.IsDir() {
		return file, info.Size(), nil
	}
	file.Close()
	if err != nil {
		return nil, 0, Unreadable(name, err)
	}
	return nil, 0, isDirectory(name)
}

func openAny(name, path string, file fs.File, size int64, s *table.Schema, o Options) (input, error) {
	random, f, err := randomly(name, path, file)
	if err != nil {
		return nil, err
	}
	switch f {
	case parquetFormat:
		return openParquet(name, random, size, s, o)
	case workbookFormat:
		return openSheet(name, random, size, s, o)
	}
	return openText(name, file, file, size, s, o)
}

// randomly returns the format of an open file, and the file with random access to its content. The result random
// is nil if the file is text and does not provide random access.
func randomly(name, path string, file fs.File) (random randomAccess, f format, err error) {
	if random, ok := file.(randomAccess); ok {
		f, err = formatOf(name, path, random)
		return random, f, err
	}
	if f = namedFormat(path); f == textFormat {
		return nil, f, nil
	}
	content, err := io.ReadAll(file)
	if err != nil {
		return nil, f, Unreadable(name, err)
	}
	return held{bytes.NewReader(content), file}, f, nil
}

// A held is a file whose content has been read into memory, so that it can be read at any offset.
type held struct {
	io.ReaderAt
	io.Closer
}

// readyFS implements the function Ready for a file in the file system o.FS.
func readyFS(path string, s *table.Schema, queries table.Queries, o Options) error {
	name := quote.Name(path)
	file, size, err := statFS(name, path, o.FS)
	if err != nil {
		return err
	}
	defer file.Close()
	random, f, err := randomly(name, path, file)
	if err != nil {
		return err
	}
	switch f {
	case parquetFormat:
		return readyParquet(name, random, size, s, queries, o)
	case workbookFormat:
		return readySheet(name, random, size, s, o)
	}
	return readyText(name, file, s, o)
}
