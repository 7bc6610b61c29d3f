" SPDX-License-Identifier: Apache-2.0
" Models of Parvis: comments, and messages of `parvis check` in the quickfix list (:make).
if exists('b:did_ftplugin') | finish | endif
let b:did_ftplugin = 1
setlocal commentstring=//\ %s comments=:// shiftwidth=2 expandtab
setlocal makeprg=parvis\ check\ %:S
setlocal errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%-G%.%#
let b:undo_ftplugin = 'setlocal commentstring< comments< shiftwidth< expandtab< makeprg< errorformat<'

" Neovim: the language server.
if has('nvim-0.8')
  lua vim.lsp.start({ name = 'parvis', cmd = { 'parvis', 'lsp' }, root_dir = vim.fn.getcwd() })
endif
