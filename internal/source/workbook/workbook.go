package workbook

import (
	"archive/zip"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"
)

// A Workbook is an open spreadsheet workbook in the format .xlsx. Only one goroutine may use it at a time.
type Workbook struct {
	Sheets []Sheet // the sheets with cells, in the order of their tabs

	parts    map[string]*zip.File // by path in lower case
	date1904 bool                 // whether days count from 1904-01-01
	formats  []format             // by the number of a cell's style
	texts    *texts               // nil if there is no table of shared texts
}

// A Sheet describes a sheet of cells, in contrast to a sheet that contains a chart or macros.
type Sheet struct {
	Name   string
	Hidden bool
	part   *zip.File
}

// Begins reports whether a file that starts with the given bytes may be a workbook. It returns true for all
// archives, and also for old and encrypted workbooks, for which Open returns an error.
func Begins(start []byte) bool {
	return strings.HasPrefix(string(start), archive) || strings.HasPrefix(string(start), compound)
}

const (
	archive  = "PK\x03\x04"
	compound = "\xd0\xcf\x11\xe0"
)

// Open reads the list of sheets and the number formats of a workbook, but no cells.
func Open(r io.ReaderAt, size int64) (*Workbook, error) {
	start := make([]byte, 4)
	if n, err := r.ReadAt(start, 0); err != nil && err != io.EOF {
		return nil, errDamaged
	} else if start = start[:n]; !Begins(start) {
		return nil, errors.New("the name of the file ends like that of a workbook, but the file is not in the format .xlsx; if it is text, rename it to .csv")
	}
	if string(start) == compound {
		return nil, errors.New("the file is a workbook with a password, or in the old format .xls; save it without a password as .xlsx")
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, errors.New("the file begins like an .xlsx workbook or another archive, but is damaged or incomplete; save it again as .xlsx or CSV")
	}
	w := &Workbook{parts: make(map[string]*zip.File)}
	for _, f := range z.File {
		name := partName(f.Name)
		if _, doubled := w.parts[name]; doubled || f.Flags&1 != 0 { // bit 0: encrypted
			return nil, errDamaged
		}
		w.parts[name] = f
	}
	if err := w.open(); err != nil {
		return nil, err
	}
	return w, nil
}

// partName returns the key of a file of the archive in Workbook.parts, given the file's path. Paths are compared
// without regard to case.
func partName(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "/"))
}

// A relation is a reference from one file of the workbook's archive to another.
type relation struct{ kind, target string }

// relations returns the references from a file of the archive to other files, as a map whose keys are the
// identifiers of the references.
func (w *Workbook) relations(of string) (map[string]relation, error) {
	dir, file := path.Split(of)
	all := make(map[string]relation)
	f := w.parts[dir+"_rels/"+file+".rels"]
	if f == nil {
		return all, nil
	}
	err := each(f, func(e xml.StartElement) error {
		if e.Name.Local != "Relationship" || value(e, "TargetMode") == "External" {
			return nil
		}
		target := value(e, "Target")
		if !strings.HasPrefix(target, "/") {
			target = path.Join(dir, target)
		}
		all[value(e, "Id")] = relation{path.Base(value(e, "Type")), partName(target)}
		return nil
	})
	return all, err
}

func (w *Workbook) open() error {
	root, err := w.relations("")
	if err != nil {
		return err
	}
	main := ""
	for _, r := range root {
		if r.kind == "officeDocument" {
			main = r.target
		}
	}
	if main == "" || strings.HasSuffix(main, ".bin") || strings.HasPrefix(main, "word/") || strings.HasPrefix(main, "ppt/") {
		return w.foreign(main)
	}
	if w.parts[main] == nil {
		return errDamaged
	}
	related, err := w.relations(main)
	if err != nil {
		return err
	}
	if err := w.readSheets(main, related); err != nil {
		return err
	}
	for _, r := range related {
		if r.kind != "sharedStrings" && r.kind != "styles" {
			continue
		}
		f := w.parts[r.target]
		switch {
		case f == nil:
			return errDamaged
		case r.kind == "sharedStrings":
			if f.UncompressedSize64 > MostTexts {
				return errTooLarge
			}
			w.texts = &texts{file: f}
		default:
			if w.formats, err = readFormats(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// foreign returns the error for an archive that is not an .xlsx workbook, which states what the archive is
// instead. The parameter main is the name of the archive's main file.
func (w *Workbook) foreign(main string) error {
	switch {
	case strings.HasSuffix(main, "xl/workbook.bin"):
		return errors.New("the file is a workbook in the binary format .xlsb; save it as .xlsx")
	case w.parts["mimetype"] != nil && w.parts["content.xml"] != nil:
		return errors.New("the file is a document in the format OpenDocument, such as .ods; save it as .xlsx or CSV")
	case w.parts["index/document.iwa"] != nil || w.parts["index.zip"] != nil:
		return errors.New("the file is a Numbers spreadsheet; export it as .xlsx or CSV")
	case main != "":
		return errors.New("the file is an Office document, but not a workbook; name an .xlsx or CSV file")
	}
	return errors.New("the file is an archive, but not an .xlsx workbook; extract the .xlsx, CSV or Parquet file from it, and name that file")
}

func (w *Workbook) readSheets(main string, related map[string]relation) error {
	return each(w.parts[main], func(e xml.StartElement) error {
		switch e.Name.Local {
		case "workbookPr":
			w.date1904 = isTrue(value(e, "date1904"))
		case "sheet":
			id := ""
			for _, a := range e.Attr {
				if a.Name.Local == "id" && a.Name.Space != "" {
					id = a.Value
				}
			}
			r := related[id]
			if r.kind != "worksheet" {
				return nil // a chart, a dialog or a macro
			}
			f := w.parts[r.target]
			if f == nil {
				return errDamaged
			}
			w.Sheets = append(w.Sheets, Sheet{value(e, "name"), cmp.Or(value(e, "state"), "visible") != "visible", f})
		}
		return nil
	})
}

// isTrue reports whether a boolean attribute in XML has the value true.
func isTrue(text string) bool { return text == "1" || text == "true" }

// Close closes the table of shared texts.
func (w *Workbook) Close() {
	if w.texts != nil && w.texts.part != nil {
		w.texts.part.close()
	}
}
