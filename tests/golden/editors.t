#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# editors: what is in editors/ can be read by those it is for, and knows the keywords of the language.
use strict;
use warnings;
use lib 'tests';
use Golden qw($tmp read_file);
use JSON::PP;
use Test::More;

for my $file (sort glob 'editors/vscode/*.json editors/vscode/*/*.json') {
    ok(eval { decode_json(read_file($file)) }, "$file is JSON") or diag($@);
}
my $package = decode_json(read_file('editors/vscode/package.json'));
my $parts = $package->{contributes};
for my $path ($package->{main}, map { $_->{path} // $_->{configuration} } @{ $parts->{languages} }, @{ $parts->{grammars} }, @{ $parts->{snippets} }) {
    ok(-e "editors/vscode/$path", "the extension has $path");
}
my @keywords = read_file('src/model/keywords.h') =~ /X\([A-Z_]+, "(\w+)"\)/g;
cmp_ok(scalar @keywords, '>', 20, 'the language has keywords');
for my $file ('editors/vscode/syntaxes/parvis.tmLanguage.json', 'editors/vim/syntax/parvis.vim') {
    my $text = read_file($file);
    is(join(' ', grep { $text !~ /\b$_\b/ } @keywords), '', "$file knows them");
}
my ($reserved) = read_file('src/front/murphi/parse.c') =~ /reserved\[\] = \{(.*?)NULL/s;
my @murphi = $reserved =~ /"(\w+)"/g;
cmp_ok(scalar @murphi, '>', 40, 'and so has Murphi');
{
    my $text = read_file('editors/vscode/syntaxes/murphi.tmLanguage.json');
    is(join(' ', grep { $text !~ /\b$_\b/ } @murphi), '', 'which the extension knows');
}
SKIP: {
    skip 'vim is not installed', 2 if system('command -v vim >/dev/null') != 0;
    my $script = 'filetype plugin on | syntax on | edit models/tm/tl2.pv | call writefile([&filetype, b:current_syntax, &makeprg], "' .
        "$tmp/vim\") | quit!";
    my $said = `timeout 20 vim -Nu NONE -es --cmd 'set runtimepath^=editors/vim' -c '$script' 2>&1 < /dev/null`;
    is($said, '', 'vim reads them without a message');
    is(-e "$tmp/vim" ? read_file("$tmp/vim") : '', "parvis\nparvis\nparvis check %:S\n", 'vim knows a model');
}
SKIP: {
    skip 'node is not installed', 1 if system('command -v node >/dev/null') != 0;
    is(system('node', '--check', 'editors/vscode/extension.js'), 0, 'the extension is JavaScript');
}
done_testing();
