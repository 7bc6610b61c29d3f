" SPDX-License-Identifier: Apache-2.0
" Models of Parvis (.pv).
if exists('b:current_syntax') | finish | endif
syntax keyword parvisKeyword sort ordered size enum system var rel const def proc init action internal when assume axiom invariant property refines deadlock_free compose use expect at forall exists where if then else true false bool meets clear and or not algorithm manager command on also schema by any
syntax keyword parvisVerdict holds violated
syntax keyword parvisConstant true false
syntax match parvisNumber /\<\d\+\>/
syntax match parvisOperator /:=\|->\|<->\|!=\|<=\|>=\|[=<>&|!∀∃∧∨¬→↔≠≤≥]/
syntax region parvisString start=/"/ end=/"/ oneline
syntax region parvisQuoted start=/`/ end=/`/ oneline
syntax match parvisComment +//.*+
syntax region parvisComment start=+/\*+ end=+\*/+
highlight default link parvisKeyword Keyword
highlight default link parvisVerdict Constant
highlight default link parvisConstant Boolean
highlight default link parvisNumber Number
highlight default link parvisOperator Operator
highlight default link parvisString String
highlight default link parvisQuoted Identifier
highlight default link parvisComment Comment
let b:current_syntax = 'parvis'
