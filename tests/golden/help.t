#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# help: the program, its man page, its completions and its help texts tell the same of commands and options.
use strict;
use warnings;
use lib 'tests';
use Schema qw(decode_answer);
use Test::More;

my ($parvis, $tmp) = @ENV{qw(PARVIS PARVIS_TMP)};
my $help = decode_answer(scalar `"$parvis" help --json`);
sub read_file { my ($path) = @_; open my $in, '<', $path or die "$path: $!\n"; local $/; return scalar <$in> // '' }

my $man = read_file('doc/parvis.1') =~ s/\\-/-/gr;
my $overview = `"$parvis" help`;
for my $c (@{ $help->{commands} }) {
    my $text = `"$parvis" help $c->{name}`;
    is($text, scalar `"$parvis" $c->{name} --help`, "help $c->{name} is $c->{name} --help");
    like($overview, qr/^  $c->{name} +\Q$c->{summary}\E$/m, "$c->{name} is in the overview");
    like($text, qr/^Examples:\n  parvis $c->{name}/m, "$c->{name} has an example");
    like($man, qr/^\.(?:B|BR|BI) $c->{name}\b/m, "$c->{name} is in the man page");
    my @missing = grep { my $o = $_; $text !~ /--\Q$o->{name}\E\b/ } @{ $c->{options} };
    is(scalar @missing, 0, "$c->{name} explains its options");
    my @unknown = grep { my $o = $_; $man !~ /--\Q$o->{name}\E\b/ } @{ $c->{options} };
    is(join(' ', map { $_->{name} } @unknown), '', "the man page has the options of $c->{name}");
    my @wide = grep { length > 110 } split /\n/, $text;
    is("@wide", '', "help $c->{name} fits in a line");
}

mkdir "$tmp/completions";
system('scripts/completions', "$tmp/completions") == 0 or die "scripts/completions failed\n";
for my $file (qw(parvis _parvis parvis.fish)) {
    is(read_file("completions/$file"), read_file("$tmp/completions/$file"), "completions/$file is up to date");
}
is(system('bash', '-n', 'completions/parvis'), 0, 'the completion for bash is a script');

# Completion as bash does it.
sub completes {
    my (@words) = @_;
    my $script = 'source completions/parvis; PATH=$(dirname "$PARVIS"):$PATH; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _parvis; echo "${COMPREPLY[@]}"';
    open my $out, '-|', 'bash', '-c', $script, 'bash', 'parvis', @words or die $!;
    my $text = do { local $/; <$out> };
    return join ' ', sort split ' ', $text;
}
is(completes('mi'), 'minimize', 'a command is completed');
is(completes('check', 'models/tm/tl2.pv', '--limit-s'), '--limit-states', 'an option is');
is(completes('check', '--symmetry', 'of'), 'off', 'a choice is');
is(completes('check', 'models/tm/occ.pv', '--property', 'op'), 'opaque', 'a property is');
is(completes('show', 'models/tm/seq.pv', '--system', 'Se'), 'Seq', 'a system is');
is(completes('check', 'models/pyv/ring.pyv', '--property', ''), 'one_leader', 'in any language');
is(completes('check', 'models/tm-algorithms/2pl.pv', '--manager', 'po'), 'polite', 'a manager is');
is(completes('check', 'run.hist', '--spec', 'eager_w'), 'eager_wr', 'a specification is');
{
    open my $out, '>', "$tmp/$_" for qw(tl2.cert tl2.txt);
    is(completes('recheck', "$tmp/tl2."), "$tmp/tl2.cert", 'a certificate is');
}

# zsh and fish, where they are installed.
SKIP: {
    skip 'zsh is not installed', 4 if system('command -v zsh >/dev/null') != 0;
    is(system('zsh', '-n', 'completions/_parvis'), 0, 'the completion for zsh is a script');
    # A zsh at a terminal of its own, in which Tab is pressed; what it never shows ends the test after 30 seconds.
    open my $driver, '>', "$tmp/drive.zsh" or die "$tmp/drive.zsh: $!\n";
    print $driver <<'END';
zmodload zsh/zpty
zpty shell 'TERM=dumb zsh -f -i'
zpty -w shell 'PS1="ready> "; PATH=${PARVIS:h}:$PATH; fpath=($PWD/completions $fpath); autoload -U compinit; compinit -D -u; print set up'
zpty -r -m shell text '*set up*ready> *'
zpty -w -n shell "$1"$'\t'
zpty -r -m shell text "*$2*"
zpty -d shell
END
    close $driver;
    my $zsh = sub { system 'timeout', '30', 'zsh', '-f', "$tmp/drive.zsh", @_ };
    is($zsh->('parvis chec', 'parvis check '), 0, 'zsh completes a command');
    is($zsh->('parvis check models/tm/occ.pv --property opa', '--property opaque '), 0, 'zsh completes a property');
    is($zsh->('parvis check models/tm-algorithms/dstm.pv --manager ka', '--manager karma '), 0, 'zsh completes a manager');
}
SKIP: {
    skip 'fish is not installed', 3 if system('command -v fish >/dev/null') != 0;
    local $ENV{PATH} = ($parvis =~ s{/[^/]*$}{}r) . ":$ENV{PATH}";
    my $fish = sub { scalar `fish -c 'source completions/parvis.fish; complete -C "$_[0]"'` };
    like($fish->('parvis check models/tm/tl'), qr{^models/tm/tl2\.pv$}m, 'fish completes a model file');
    like($fish->('parvis check models/tm/occ.pv --property '), qr/^opaque/m, 'fish completes a property');
    like($fish->('parvis check --sym'), qr/^--symmetry\t/m, 'fish completes an option');
}
done_testing;
