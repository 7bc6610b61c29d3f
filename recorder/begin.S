/* SPDX-License-Identifier: Apache-2.0
 *
 * The beginning of a transaction, which returns again when the transaction is restarted. The function of libitm keeps the
 * place it returns to; it is made to return to `landed`, which tells the recorder and goes on to where the program called
 * from. That place is kept by the recorder, by the height of the stack, since its word of the stack may be used again
 * before a restart.
 */
#if defined(__x86_64__)
        .text
        .globl  _ITM_beginTransaction
        .type   _ITM_beginTransaction, @function
_ITM_beginTransaction:
        .cfi_startproc
        endbr64
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        leaq    16(%rsp), %rsi          /* the stack as the program will find it */
        movq    8(%rsp), %rdx           /* where it goes on */
        call    itm_begins@PLT          /* gives libitm's function */
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        leaq    landed(%rip), %rcx
        movq    %rcx, (%rsp)
        jmp     *%rax
        .cfi_endproc
        .size   _ITM_beginTransaction, .-_ITM_beginTransaction

        .type   landed, @function
landed:
        endbr64
        movq    %rsp, %rdi
        movl    %eax, %esi
        call    itm_landed@PLT          /* gives where to go on, and with which answer */
        movq    %rax, %rcx
        movl    %edx, %eax
        jmp     *%rcx
        .size   landed, .-landed
#endif
        .section .note.GNU-stack, "", @progbits
