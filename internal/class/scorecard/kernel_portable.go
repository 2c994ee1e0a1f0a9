//go:build !amd64 || purego

package scorecard

func vector32() kernel[int32] { return nil }

func vector64() kernel[int64] { return nil }
