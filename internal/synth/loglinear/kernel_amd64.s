//go:build !purego

#include "textflag.h"

// Registers of both kernels:
//
// DI, CX  the current position in p and its end
// DX      the width in bytes
// SI      the other columns, of 48 bytes each: their values, and after 24 bytes their tables
// BX      the row of the other columns
// R8-R11  the factors of the columns for this row
// R12     the end of the row in p

#define BEGIN \
	MOVQ p_base+0(FP), DI    \
	MOVQ p_len+8(FP), CX     \
	LEAQ (DI)(CX*4), CX      \
	MOVQ width+24(FP), DX    \
	SHLQ $2, DX

// FACTORS sets REG to the address of the factors, for the row BX, of the column at AT bytes after SI.
#define FACTORS(AT, REG) \
	MOVQ    AT(SI), REG      \
	MOVWLZX (REG)(BX*2), REG \
	IMULQ   DX, REG          \
	ADDQ    (AT+24)(SI), REG

// func byFourAVX2(p []float32, width int, others []other, row int)
TEXT ·byFourAVX2(SB), NOSPLIT, $0-64
	BEGIN
	MOVQ others_base+32(FP), SI
	MOVQ row+56(FP), BX
	JMP  next

rows:
	FACTORS(0, R8)
	FACTORS(48, R9)
	FACTORS(96, R10)
	FACTORS(144, R11)
	INCQ BX
	LEAQ (DI)(DX*1), R12

values:
	VMOVUPS (R8), Y0
	VMULPS  (R9), Y0, Y0
	VMULPS  (R10), Y0, Y0
	VMULPS  (R11), Y0, Y0
	VMULPS  (DI), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, R8
	ADDQ    $32, R9
	ADDQ    $32, R10
	ADDQ    $32, R11
	ADDQ    $32, DI
	CMPQ    DI, R12
	JB      values

next:
	CMPQ DI, CX
	JB   rows
	VZEROUPPER
	RET

// func byOneAVX2(p []float32, width int, o *other, row int)
TEXT ·byOneAVX2(SB), NOSPLIT, $0-48
	BEGIN
	MOVQ o+32(FP), SI
	MOVQ row+40(FP), BX
	JMP  next

rows:
	FACTORS(0, R8)
	INCQ BX
	LEAQ (DI)(DX*1), R12

values:
	VMOVUPS (R8), Y0
	VMULPS  (DI), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, R8
	ADDQ    $32, DI
	CMPQ    DI, R12
	JB      values

next:
	CMPQ DI, CX
	JB   rows
	VZEROUPPER
	RET
