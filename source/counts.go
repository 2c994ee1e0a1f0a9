package source

import (
	"context"

	"github.com/sibyl-dp/sibyl/table"
)

// Counts opens the source at the location (see Read) to be asked for counts, and done closes
// it. A file of counts answers what follows from its lists, whatever they are; of other files
// the table answers.
func Counts(ctx context.Context, location string, s *table.Schema, o Options) (c table.Counts, done func(), err error) {
	o.LabelOptional, o.Keep = false, s.PersonColumn()
	in, err := open(ctx, location, s, o)
	if err != nil {
		return nil, nil, err
	}
	defer in.close()
	if file, ok := in.(*countedFile); ok {
		c, err = file.read(ctx)
	} else {
		c, err = in.collapse(ctx)
	}
	return c, func() {}, err
}
