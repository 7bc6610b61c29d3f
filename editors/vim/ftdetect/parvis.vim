" SPDX-License-Identifier: Apache-2.0
autocmd BufRead,BufNewFile *.pv setfiletype parvis
