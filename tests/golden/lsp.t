#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# lsp: the language server, driven by a client as an editor would drive it: mistakes as the text changes, hover, definitions
# here and in files that are used, outline, completion; characters beyond ASCII; messages that are none.
use strict;
use warnings;
use utf8;
use lib 'tests';
use Golden qw($parvis $tmp write_file);
use IPC::Open2;
use JSON::PP;
use Test::More;

my $json = JSON::PP->new->utf8->canonical;
my ($out, $in, $pid, $next) = (undef, undef, undef, 0);

sub start { $pid = open2($out, $in, 'timeout', '60', $parvis, 'lsp'); binmode $_ for $in, $out }
sub send_raw { my ($text) = @_; print $in 'Content-Length: ' . length($text) . "\r\n\r\n$text"; $in->flush }

sub receive {
    my $length;
    while (my $line = <$out>) {
        $length = $1 if $line =~ /^Content-Length: (\d+)/;
        last if $line eq "\r\n";
    }
    return undef unless $length;
    my $text;
    read $out, $text, $length;
    return $json->decode($text);
}

sub notify { my ($method, $params) = @_; send_raw($json->encode({ jsonrpc => '2.0', method => $method, params => $params })) }

sub ask {
    my ($method, $params) = @_;
    send_raw($json->encode({ jsonrpc => '2.0', id => ++$next, method => $method, params => $params }));
    my $answer = receive();
    is($answer->{id}, $next, "$method: an answer to this question");
    return $answer->{result};
}

# Texts have the places of interest marked: «1», «2». The text without them, and [line, column in UTF-16] of each.
sub marked {
    my ($text) = @_;
    my %at;
    while ($text =~ s/«(\d)»//) {
        my ($number, $before) = ($1, substr $text, 0, $-[0]);
        my ($last) = $before =~ /([^\n]*)\z/;
        $at{$number} = { line => scalar(() = $before =~ /\n/g), character => length(Encode::encode('UTF-16BE', $last)) / 2 };
    }
    return ($text, \%at);
}
require Encode;

sub uri { return "file://$tmp/$_[0]" }
sub open_text { my ($name, $text) = @_; notify('textDocument/didOpen', { textDocument => { uri => uri($name), text => $text } }); return receive()->{params} }
sub change { my ($name, $text) = @_; notify('textDocument/didChange', { textDocument => { uri => uri($name) }, contentChanges => [{ text => $text }] }); return receive()->{params} }
sub at { my ($name, $position) = @_; return { textDocument => { uri => uri($name) }, position => $position } }

start();
my $about = ask('initialize', { capabilities => {} });
ok($about->{capabilities}{$_ . 'Provider'}, "it can: $_") for qw(hover definition references documentHighlight documentSymbol);
notify('initialized', {});

# ---- mistakes as the text changes

write_file('spec.pv', "sort Thread\nsystem Spec {\n  rel free(Thread)\n  action go(t: Thread) when free(t)\n}\n");
my ($text, $at) = marked(<<'END');
use "spec.pv"
system «1»S {
  rel «2»busy(Thread)   // «3»ß 𝄞 «4»
  def quiet(u: Thread) = !«5»busy(u)
  action go(«6»t: Thread) when «7»quiet(t) { «8»busy(«9»t) := true }
}
property right: S refines Spec
END
my $said = open_text('model.pv', $text =~ s/quiet\(t\)/quite(t)/r);
is($said->{uri}, uri('model.pv'), 'messages are about the document');
is(scalar @{ $said->{diagnostics} }, 1, 'one mistake');
like($said->{diagnostics}[0]{message}, qr/unknown relation 'quite', did you mean 'quiet'/, 'what it is');
is_deeply($said->{diagnostics}[0]{range}{start}, $at->{7}, 'where it is');
$said = change('model.pv', $text);
is_deeply($said->{diagnostics}, [], 'no mistake when it is mended');
$said = change('model.pv', "$text\nproperty x: nothing refines Spec\nproperty y: @\n");
is(scalar @{ $said->{diagnostics} }, 2, 'several mistakes in one go') or diag($json->encode($said));
change('model.pv', $text);

# ---- names

my $hover = sub { my $h = ask('textDocument/hover', at('model.pv', $at->{ $_[0] })); return $h && $h->{contents}{value} };
like($hover->(8), qr/^rel busy\(Thread\)$/m, 'hover: a relation');
like($hover->(9), qr/^t: Thread$/m, 'hover: a parameter');
like($hover->(7), qr/^def quiet\(u: Thread\)$/m, 'hover: a definition');
is($hover->(4), undef, 'hover: nothing there');
my $definition = sub { return ask('textDocument/definition', at('model.pv', $at->{ $_[0] })) };
my $found = $definition->(8);
is($found->{uri}, uri('model.pv'), 'definition: in this file');
is_deeply($found->{range}{start}, $at->{2}, 'definition: its place');
is_deeply($definition->(5)->{range}{start}, $at->{2}, 'definition: from another line');
is_deeply($definition->(9)->{range}{start}, $at->{6}, 'definition: of the parameter of this action');
$found = ask('textDocument/definition', at('model.pv', { line => 2, character => 12 }));
is($found->{uri}, uri('spec.pv'), 'definition: in a file that is used');
is_deeply($found->{range}{start}, { line => 0, character => 5 }, 'definition: its place there');
my $uses = sub { my ($of, $declared) = @_; return [map { $_->{range}{start} } @{ ask('textDocument/references', { %{ at('model.pv', $at->{$of}) }, context => { includeDeclaration => $declared } }) }] };
is_deeply($uses->(5, JSON::PP::true), [@{$at}{2, 5, 8}], 'references: every use, and the declaration');
is_deeply($uses->(2, JSON::PP::false), [@{$at}{5, 8}], 'references: without it');
my @marks = map { $_->{range}{start} } @{ ask('textDocument/documentHighlight', at('model.pv', $at->{9})) };
is_deeply([$marks[0], $marks[-1], scalar @marks], [$at->{6}, $at->{9}, 3], 'highlights: a parameter, in its action only');
my $symbols = ask('textDocument/documentSymbol', { textDocument => { uri => uri('model.pv') } });
is_deeply([sort map { $_->{name} } @$symbols], [qw(S busy go quiet right)], 'the outline');
my ($busy) = grep { $_->{name} eq 'busy' } @$symbols;
is_deeply($busy->{selectionRange}{start}, $at->{2}, 'the outline: a place');
my %offered = map { $_->{label} => $_ } @{ ask('textDocument/completion', at('model.pv', $at->{8})) };
ok($offered{$_}, "completion: $_") for qw(busy quiet Spec Thread invariant);
is($offered{busy}{detail}, 'rel busy(Thread)', 'completion: what it is');

# ---- Murphi, and characters beyond ASCII: columns are those of UTF-16

($text, $at) = marked("var «1»level : 0..3;\nstartstate level := 0; end;\nrule \"𝄞ß\" «2»level < 3 ==> begin «3»levle := 1; end;\n");
$said = open_text('model.m', $text);
is_deeply([map { $_->{range}{start} } @{ $said->{diagnostics} }], [$at->{3}], 'Murphi: a mistake, and where');
($text, $at) = marked("var «1»level : 0..3; -- level\nstartstate «2»level := 0; end; /* level */\nrule \"level\" «3»level < 3 ==> begin «4»level := 1; end;\n");
change('model.m', $text);
is_deeply([map { $_->{range}{start} } @{ ask('textDocument/documentHighlight', at('model.m', $at->{1})) }], [@{$at}{1 .. 4}], 'Murphi: uses, but not in comments and strings');
($text, $at) = marked("var a: array[0..2] of 0..3;\nstartstate for i : 0..2 do a[i] := 0; end; end;\nruleset «1»i : 0..2 do rule a[«2»i] < 3 ==> a[«3»i] := a[«4»i] + 1; end; end;\n");
change('model.m', $text);
is_deeply([map { $_->{range}{start} } @{ ask('textDocument/documentHighlight', at('model.m', $at->{3})) }], [@{$at}{1 .. 4}], 'Murphi: a variable of a ruleset');
($text, $at) = marked("var «1»level : 0..3;\nstartstate «2»level := 0; end;\n");
change('model.m', $text);
is_deeply(ask('textDocument/definition', at('model.m', $at->{2}))->{range}{start}, $at->{1}, 'Murphi: a definition');

# ---- what is no question

is(ask('textDocument/hover', at('unopened.pv', { line => 0, character => 0 })), undef, 'a document that is not open');
is(ask('textDocument/hover', at('model.pv', { line => 10_000, character => 10_000 })), undef, 'a place that is not there');
send_raw($json->encode({ jsonrpc => '2.0', id => 'x', method => 'no/such' }));
is(receive()->{error}{code}, -32601, 'an unknown question');
notify('textDocument/didClose', { textDocument => { uri => uri('model.m') } });
is_deeply(receive()->{params}{diagnostics}, [], 'a closed document has no mistakes');
# ---- formatting

sub formatted {
    my ($name, $text) = @_;
    open_text($name, $text);
    my $edits = ask('textDocument/formatting', { textDocument => { uri => uri($name) }, options => { tabSize => 4 } });
    return $edits && @$edits ? $edits->[0]{newText} : $edits;
}

my $untidy = "system  S {\nvar x:0..3=0   // ä comment\n\n\n      action up( )   when & x<3\n                          & x  != 2 {  // here\nx:=x+1 }\n  /* kept   as it is */\n}";
my $tidy = "system S {\n  var x: 0..3 = 0  // ä comment\n\n  action up() when & x < 3\n                   & x != 2 {   // here\n    x := x+1 }\n  /* kept   as it is */\n}\n";
is(formatted('untidy.pv', $untidy), $tidy, 'formatting: blanks, indentation, lists below each other, comments kept');
is_deeply(formatted('tidy.pv', $tidy), [], 'formatting: nothing to do');
is(formatted('wrong.pv', "system S {\n x := }"), undef, 'formatting: a text with mistakes is left alone');
is(formatted('other.m', "var x: boolean;\nstartstate x := true; end;\nrule true ==> x := !x; end;\n"), undef, 'formatting: Murphi files are left alone');
for my $file (sort glob 'models/tm/*.pv models/specs/*.pv') {
    open my $from, '<:encoding(UTF-8)', $file or die;
    my $text = do { local $/; <$from> };
    notify('textDocument/didOpen', { textDocument => { uri => "file://$ENV{PWD}/$file", text => $text } });
    receive();
    is_deeply(ask('textDocument/formatting', { textDocument => { uri => "file://$ENV{PWD}/$file" } }), [], "formatting: $file is as it should be");
}

is(ask('shutdown', undef), undef, 'shutdown');
notify('exit', undef);
waitpid $pid, 0;
is($? >> 8, 0, 'exit code 0 after a shutdown');

# Noise ends it, and quietly: it neither crashes nor hangs.
srand 7;
my $wrong = 0;
for my $round (1 .. 60) {
    start();
    my $noise = join '', map { chr int rand 256 } 1 .. int rand 200;
    my @sent = ("Content-Length: 5\r\n\r\n{\"a\":", 'Content-Length: 99999999999999', "Content-Length: 2\r\n\r\n[]$noise", $noise,
        "Content-Length: 44\r\n\r\n" . '{"id":1,"method":"textDocument/hover","x":0}');
    local $SIG{PIPE} = 'IGNORE';
    print $in $sent[$round % @sent];
    close $in;
    local $/;
    my $answer = <$out>;
    waitpid $pid, 0;
    $wrong++ if $? >> 8 != 1;
}
is($wrong, 0, 'noise ends it with exit code 1');
print "# tally: noise sent to the language server | 60 cases | $wrong wrong\n";
done_testing();
