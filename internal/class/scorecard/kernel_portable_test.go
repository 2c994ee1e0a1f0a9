//go:build !amd64 || purego

package scorecard

func kernels32() map[string]kernel[int32] { return nil }

func kernels64() map[string]kernel[int64] { return nil }
