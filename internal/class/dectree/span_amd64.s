//go:build !purego

#include "textflag.h"

// SUM adds the entries of near indexed by the low and the high half of R8.
#define SUM(LOW, HIGH) \
	MOVL   R8, R9             \
	SHRQ   $32, R8            \
	VADDSD (DX)(R9*8), LOW, LOW    \
	VADDSD (DX)(R8*8), HIGH, HIGH

// func spanAVX2(x []int32, near []float64) (low, high int32, up, down float64)
//
// SI, CX  the numbers and their count
// DX      near; Y3 its last index
// Y0, Y1  the minimum and maximum
// X4-X7   the partial sums of up, X8-X11 those of down
// 0(SP)   indices
TEXT ·spanAVX2(SB), NOSPLIT, $64-72
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	MOVQ near_base+24(FP), DX
	MOVQ near_len+32(FP), AX

	// The last eight numbers may be read twice.
	VMOVDQU -32(SI)(CX*4), Y0
	VMOVDQA Y0, Y1
	MOVQ    CX, BX
	ANDQ    $~7, BX
	XORL    DI, DI

extremes:
	VMOVDQU (SI)(DI*4), Y2
	VPMINSD Y2, Y0, Y0
	VPMAXSD Y2, Y1, Y1
	ADDQ    $8, DI
	CMPQ    DI, BX
	JB      extremes

	VEXTRACTI128 $1, Y0, X2
	VPMINSD      X2, X0, X0
	VPSHUFD      $0x4e, X0, X2
	VPMINSD      X2, X0, X0
	VPSHUFD      $0xb1, X0, X2
	VPMINSD      X2, X0, X0
	VMOVD        X0, R10
	MOVL         R10, low+48(FP)
	VPBROADCASTD X0, Y0
	VEXTRACTI128 $1, Y1, X2
	VPMAXSD      X2, X1, X1
	VPSHUFD      $0x4e, X1, X2
	VPMAXSD      X2, X1, X1
	VPSHUFD      $0xb1, X1, X2
	VPMAXSD      X2, X1, X1
	VMOVD        X1, R11
	MOVL         R11, high+52(FP)
	VPBROADCASTD X1, Y1

	DECQ         AX
	VMOVD        AX, X3
	VPBROADCASTD X3, Y3
	VXORPD       X4, X4, X4
	VXORPD       X5, X5, X5
	VXORPD       X6, X6, X6
	VXORPD       X7, X7, X7
	VXORPD       X8, X8, X8
	VXORPD       X9, X9, X9
	VXORPD       X10, X10, X10
	VXORPD       X11, X11, X11
	XORL         DI, DI

sums:
	VMOVDQU (SI)(DI*4), Y2
	VPSUBD  Y0, Y2, Y12
	VPSUBD  Y2, Y1, Y13
	VPMINSD Y3, Y12, Y12
	VPMINSD Y3, Y13, Y13
	VMOVDQU Y12, 0(SP)
	VMOVDQU Y13, 32(SP)
	ADDQ    $8, DI
	MOVQ    0(SP), R8
	SUM(X4, X5)
	MOVQ    8(SP), R8
	SUM(X6, X7)
	MOVQ    32(SP), R8
	SUM(X8, X9)
	MOVQ    40(SP), R8
	SUM(X10, X11)
	MOVQ    16(SP), R8
	SUM(X4, X5)
	MOVQ    24(SP), R8
	SUM(X6, X7)
	MOVQ    48(SP), R8
	SUM(X8, X9)
	MOVQ    56(SP), R8
	SUM(X10, X11)
	CMPQ    DI, BX
	JB      sums

	// The remaining numbers, the first of which belongs to partial sum 0.
	CMPQ DI, CX
	JAE  done

rest:
	MOVL    (SI)(DI*4), R8
	MOVL    R11, R9
	SUBL    R8, R9
	SUBL    R10, R8
	CMPL    R8, AX
	CMOVLGT AX, R8
	CMPL    R9, AX
	CMOVLGT AX, R9
	VADDSD  (DX)(R8*8), X4, X4
	VADDSD  (DX)(R9*8), X8, X8

	// Rotate the partial sums, so that the next number's is first.
	VMOVAPD X4, X12
	VMOVAPD X5, X4
	VMOVAPD X6, X5
	VMOVAPD X7, X6
	VMOVAPD X12, X7
	VMOVAPD X8, X12
	VMOVAPD X9, X8
	VMOVAPD X10, X9
	VMOVAPD X11, X10
	VMOVAPD X12, X11
	INCQ    DI
	CMPQ    DI, CX
	JB      rest

	// Rotate them back.
turn:
	TESTQ   $3, DI
	JZ      done
	VMOVAPD X4, X12
	VMOVAPD X5, X4
	VMOVAPD X6, X5
	VMOVAPD X7, X6
	VMOVAPD X12, X7
	VMOVAPD X8, X12
	VMOVAPD X9, X8
	VMOVAPD X10, X9
	VMOVAPD X11, X10
	VMOVAPD X12, X11
	INCQ    DI
	JMP     turn

done:
	VADDSD     X5, X4, X4
	VADDSD     X7, X6, X6
	VADDSD     X6, X4, X4
	VADDSD     X9, X8, X8
	VADDSD     X11, X10, X10
	VADDSD     X10, X8, X8
	VMOVSD     X4, up+56(FP)
	VMOVSD     X8, down+64(FP)
	VZEROUPPER
	RET

// func subtractAVX2(out, table, less []int32)
TEXT ·subtractAVX2(SB), NOSPLIT, $0-72
	MOVQ out_base+0(FP), DI
	MOVQ out_len+8(FP), CX
	MOVQ table_base+24(FP), SI
	MOVQ less_base+48(FP), DX
	XORL BX, BX
	CMPQ BX, CX
	JAE  end

subtract:
	VMOVDQU (SI)(BX*4), Y0
	VPSUBD  (DX)(BX*4), Y0, Y0
	VMOVDQU Y0, (DI)(BX*4)
	ADDQ    $8, BX
	CMPQ    BX, CX
	JB      subtract

end:
	VZEROUPPER
	RET
