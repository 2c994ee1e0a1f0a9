//go:build !amd64 || purego

package dectree

func vector() (kernel[int32], bool) { return kernel[int32]{}, false }
