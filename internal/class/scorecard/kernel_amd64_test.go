//go:build !purego

package scorecard

import "golang.org/x/sys/cpu"

func kernels32() map[string]kernel[int32] {
	ks := map[string]kernel[int32]{}
	if cpu.X86.HasAVX2 {
		ks["avx2"] = mergeAVX2
	}
	if hasAVX512() {
		ks["avx512"] = mergeAVX512
	}
	return ks
}

func kernels64() map[string]kernel[int64] {
	ks := map[string]kernel[int64]{}
	if hasAVX512() {
		ks["avx512 wide"] = mergeAVX512Wide
	}
	return ks
}
