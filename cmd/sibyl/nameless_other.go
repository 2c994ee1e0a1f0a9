//go:build !linux

package main

import (
	"errors"
	"os"
)

// nameless fails: files have names here.
func nameless(string, access) (*os.File, error) { return nil, errors.ErrUnsupported }

// link fails too.
var link = func(*os.File, string) error { return errors.ErrUnsupported }
