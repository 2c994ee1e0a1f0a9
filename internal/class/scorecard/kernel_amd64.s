//go:build !purego

#include "textflag.h"

// Registers of all kernels:
//
//	SI, CX  the current merge and the end of the merges
//	DI, DX  arena and mins
//	R8, R9  the mask and its size in bytes
//	R10     the value in bytes
//	R11     room
//	AX      the increase so far
//	BX      the current position in the tables, in bytes
//	R12-R14 the tables u, z and out
//	vector 1 is pad, vector 0 the least sums
//
// The kernels differ only in the width of cells and vectors.

#define BEGIN(SHIFT) \
	MOVQ  merges_base+0(FP), SI  \
	MOVQ  merges_len+8(FP), CX   \
	LEAQ  (CX)(CX*2), CX         \
	LEAQ  (SI)(CX*8), CX         \
	MOVQ  arena_base+24(FP), DI  \
	MOVQ  mins_base+48(FP), DX   \
	MOVQ  mask_base+72(FP), R8   \
	MOVQ  mask_len+80(FP), R9    \
	SHLQ  $SHIFT, R9             \
	MOVQ  value+96(FP), R10      \
	SHLQ  $SHIFT, R10            \
	ADDQ  DI, R10                \
	MOVQ  room+104(FP), R11      \
	XORL  AX, AX

// TABLES loads the tables of the current merge; R10 points at cell value.
#define TABLES(SIZE) \
	MOVLQSX (SI), R12         \
	MOVLQSX 4(SI), R13        \
	MOVLQSX 8(SI), R14        \
	LEAQ    (R10)(R12*SIZE), R12 \
	LEAQ    (DI)(R13*SIZE), R13  \
	LEAQ    (DI)(R14*SIZE), R14  \
	XORL    BX, BX

// GROW adds the increase for the least sum in R12, and sets flags for increase > room.
#define GROW(SIZE, STORE, LOAD) \
	MOVLQSX 20(SI), R14         \
	STORE   R12, (DX)(R14*SIZE) \
	MOVLQSX 12(SI), R13         \
	MOVLQSX 16(SI), R14         \
	LOAD    (DX)(R13*SIZE), R13 \
	LOAD    (DX)(R14*SIZE), R14 \
	ADDQ    R12, AX             \
	SUBQ    R13, AX             \
	SUBQ    R14, AX             \
	ADDQ    $24, SI             \
	CMPQ    AX, R11

// func mergeAVX2(merges []merge, arena, mins, mask []int32, value int, room int64) int64
TEXT ·mergeAVX2(SB), NOSPLIT, $0-120
	BEGIN(2)
	MOVL         $0x3fffffff, R12
	VMOVD        R12, X1
	VPBROADCASTD X1, Y1
	CMPQ         SI, CX
	JEQ          done

next:
	TABLES(4)
	VMOVDQA Y1, Y0

sum:
	VMOVDQU (R13)(BX*1), Y2
	VMOVDQU 32(R13)(BX*1), Y3
	VPADDD  (R12)(BX*1), Y2, Y2
	VPADDD  32(R12)(BX*1), Y3, Y3
	VPMAXSD (R8)(BX*1), Y2, Y2
	VPMAXSD 32(R8)(BX*1), Y3, Y3
	VPMINSD Y1, Y2, Y2
	VPMINSD Y1, Y3, Y3
	VMOVDQU Y2, (R14)(BX*1)
	VMOVDQU Y3, 32(R14)(BX*1)
	VPMINSD Y3, Y2, Y2
	VPMINSD Y2, Y0, Y0
	ADDQ    $64, BX
	CMPQ    BX, R9
	JNE     sum

	VEXTRACTI128 $1, Y0, X2
	VPMINSD      X2, X0, X0
	VPSHUFD      $0x4e, X0, X2
	VPMINSD      X2, X0, X0
	VPSHUFD      $0xb1, X0, X2
	VPMINSD      X2, X0, X0
	VMOVD        X0, R12
	MOVLQSX      R12, R12
	GROW(4, MOVL, MOVLQSX)
	JGT          done
	CMPQ         SI, CX
	JNE          next

done:
	MOVQ AX, ret+112(FP)
	VZEROUPPER
	RET

// func mergeAVX512(merges []merge, arena, mins, mask []int32, value int, room int64) int64
TEXT ·mergeAVX512(SB), NOSPLIT, $0-120
	BEGIN(2)
	MOVL         $0x3fffffff, R12
	VPBROADCASTD R12, Z1
	CMPQ         SI, CX
	JEQ          done

next:
	TABLES(4)
	VMOVDQA64 Z1, Z0

sum:
	VMOVDQU32 (R13)(BX*1), Z2
	VPADDD    (R12)(BX*1), Z2, Z2
	VPMAXSD   (R8)(BX*1), Z2, Z2
	VPMINSD   Z1, Z2, Z2
	VMOVDQU32 Z2, (R14)(BX*1)
	VPMINSD   Z2, Z0, Z0
	ADDQ      $64, BX
	CMPQ      BX, R9
	JNE       sum

	VEXTRACTI64X4 $1, Z0, Y2
	VPMINSD       Y2, Y0, Y0
	VEXTRACTI128  $1, Y0, X2
	VPMINSD       X2, X0, X0
	VPSHUFD       $0x4e, X0, X2
	VPMINSD       X2, X0, X0
	VPSHUFD       $0xb1, X0, X2
	VPMINSD       X2, X0, X0
	VMOVD         X0, R12
	MOVLQSX       R12, R12
	GROW(4, MOVL, MOVLQSX)
	JGT           done
	CMPQ          SI, CX
	JNE           next

done:
	MOVQ AX, ret+112(FP)
	VZEROUPPER
	RET

// func mergeAVX512Wide(merges []merge, arena, mins, mask []int64, value int, room int64) int64
TEXT ·mergeAVX512Wide(SB), NOSPLIT, $0-120
	BEGIN(3)
	MOVQ         $0x3fffffffffffffff, R12
	VPBROADCASTQ R12, Z1
	CMPQ         SI, CX
	JEQ          done

next:
	TABLES(8)
	VMOVDQA64 Z1, Z0

sum:
	VMOVDQU64 (R13)(BX*1), Z2
	VPADDQ    (R12)(BX*1), Z2, Z2
	VPMAXSQ   (R8)(BX*1), Z2, Z2
	VPMINSQ   Z1, Z2, Z2
	VMOVDQU64 Z2, (R14)(BX*1)
	VPMINSQ   Z2, Z0, Z0
	ADDQ      $64, BX
	CMPQ      BX, R9
	JNE       sum

	VEXTRACTI64X4 $1, Z0, Y2
	VPMINSQ       Z2, Z0, Z0
	VEXTRACTI128  $1, Y0, X2
	VPMINSQ       Z2, Z0, Z0
	VPSHUFD       $0x4e, X0, X2
	VPMINSQ       Z2, Z0, Z0
	VMOVQ         X0, R12
	GROW(8, MOVQ, MOVQ)
	JGT           done
	CMPQ          SI, CX
	JNE           next

done:
	MOVQ AX, ret+112(FP)
	VZEROUPPER
	RET
