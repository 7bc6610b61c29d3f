#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# install: an installed program, in a prefix of its own, seen from an empty folder: where models are found, which ones may
# be read, every example of every help text, models that the documents name, and `recheck` where no other program is there.
use strict;
use warnings;
use lib 'tests';
use Golden qw($parvis $tmp read_file write_file);
use Cwd qw(getcwd);
use JSON::PP;
use Schema qw(decode_answer);
use Test::More;

my $top = getcwd();
my $prefix = "$tmp/prefix";

# As `make install` does, without building: the program under test in place of the one that is built there.
my $o = $parvis =~ m{^(.*)/tests/parvis$} ? $1 : die "$parvis: not a program under test\n";
my $log = `make -s install PREFIX=$prefix SETUP=true O=$o PROGRAM=$parvis PLUGIN= -o all -o $parvis 2>&1`;
is($?, 0, 'make install') or diag($log);
ok(-e "$prefix/$_", "$_ is installed") for qw(bin/parvis share/man/man1/parvis.1 share/parvis/models/tm/tl2.pv
    share/parvis/answer.schema.json share/doc/parvis/README.md share/doc/parvis/doc/manual.md share/doc/parvis/CHANGELOG.md
    share/bash-completion/completions/parvis share/zsh/site-functions/_parvis share/fish/vendor_completions.d/parvis.fish);

# In an empty folder, with nothing on the PATH but this program and what the system always has.
mkdir "$tmp/empty";
mkdir "$tmp/bin";
symlink "$prefix/bin/parvis", "$tmp/bin/parvis";
delete $ENV{PARVIS_PATH};
sub in_empty {
    my ($line, %with) = @_;
    local @ENV{keys %with} = values %with;
    local $ENV{PATH} = ($with{PATH} // "$tmp/bin:/usr/bin:/bin");
    my $text = `cd $tmp/empty && { $line ; } 2>&1 < /dev/null`;
    return ($text, $? >> 8);
}
my ($text, $code) = in_empty('parvis version');
like($text, qr/^parvis [\d.]+ \(\w+/, 'it says its version and commit');

# Examples of help, cut off after a while; what an example reads, one before it may have written.
my $help = decode_answer((in_empty('parvis help --json'))[0]);
for my $c (@{ $help->{commands} }) {
    ($text) = in_empty("parvis help $c->{name}");
    my ($examples) = $text =~ /^Examples:\n((?:  .*\n)+)/m;
    for my $line ($examples =~ /^  (parvis .*)$/mg) {
        next if $line =~ /parvis (?:help|lsp|record)\b/;    # the last runs programs of the user
        my $bounded = $line =~ s/ --limit-time \S+//r;
        my $seconds = $line =~ /--certificate|recheck/ ? 60 : 1;
        $bounded .= " --limit-time ${seconds}s" if $line =~ /^parvis (?:check|prove|compare|minimize|test|recheck)\b/;
        ($text, $code) = in_empty($bounded);
        isnt($code, 2, "help: $line") or diag($text);
    }
}

# Models that the documents name are there.
for my $doc (sort glob("$prefix/share/doc/parvis/README.md $prefix/share/doc/parvis/doc/*.md")) {
    my @named = map { m{(models/[\w/.-]+\.\w+)}g } grep { /^\$ / } split /\n/, read_file($doc);
    my @missing = grep { !-e "$prefix/share/parvis/$_" } @named;
    is("@missing", '', ($doc =~ s{.*/}{}r) . ': its models are installed');
}

# Names: here, on the path, in the library; what says where it is, is looked for nowhere else.
mkdir "$tmp/own";
my $lock = "sort Thread\nsystem Lock {\n  rel held(Thread)\n  action take(t: Thread) { held(t) := true }\n}\n";
write_file("$tmp/own/lock.pv", $lock);
write_file("$tmp/empty/uses.pv", "use \"lock.pv\"\nproperty free: Lock deadlock_free\n");
write_file("$tmp/empty/specs.pv", "use \"specs/opacity.pv\"\nproperty free: Opacity deadlock_free\n");
write_file("$tmp/empty/copied.pv", "use \"../specs/opacity.pv\"\nproperty free: Opacity deadlock_free\n");
my @cases = (
    ['parvis check tm/tpl.pv -q -p opaque', 0, qr/opaque: holds/, 'below the library'],
    ['parvis check models/tm/tpl.pv -q -p opaque', 0, qr/opaque: holds/, 'as in the source tree'],
    ['parvis check ./tm/tpl.pv -q', 2, qr/cannot read/, 'not where it says another place'],
    ['parvis check uses.pv -q', 2, qr/cannot read/, 'nothing is found by itself'],
    ["PARVIS_PATH=$tmp/none:$tmp/own parvis check uses.pv -q", 0, qr/free: holds/, '`use` on PARVIS_PATH'],
    ["PARVIS_PATH=$tmp/own parvis show lock.pv", 0, qr/system Lock/, 'a model on PARVIS_PATH'],
    ['parvis check specs.pv -q', 0, qr/free: holds/, '`use` from the library'],
    ['parvis check copied.pv -q', 0, qr/free: holds/, '`use` of a copied model'],
    ['parvis compare tm/tpl.pv:TPL Opacity -q --size Thread=2,Loc=1', 0, qr/holds/, 'FILE:SYSTEM'],
    ['parvis check tm-algorithms/dstm.pv --manager karma -q -p opaque', 0, qr/opaque: holds/, 'a manager'],
    ['parvis check tm-algorithms/dstm.pv --manager karna -q', 2, qr/unknown contention manager 'karna'/, 'no manager'],
);
for my $case (@cases) {
    my ($line, $expected, $says, $name) = @$case;
    ($text, $code) = in_empty($line);
    is($code, $expected, "$name: exit code") or diag($text);
    like($text, $says, "$name: what it says");
}
# A model reaches no further by it: not above the folders of the path, nor what is no model.
write_file("$tmp/secret.pv", "secret text\n");
write_file("$tmp/own/notes.txt", "secret text\n");
for my $name ('../secret.pv', 'notes.txt', '../../../../../../../../etc/passwd') {
    write_file("$tmp/empty/reach.pv", "use \"$name\"\n");
    ($text, $code) = in_empty('parvis check reach.pv', PARVIS_PATH => "$tmp/own");
    is($code, 2, "use \"$name\": refused");
    unlike($text, qr/secret text|root:/, "use \"$name\": nothing of it is shown");
}

# A proof is confirmed with nothing but our own libraries, and refuted if a lemma is changed.
mkdir "$tmp/nothing";
($text, $code) = in_empty('parvis prove models/tm/tpl.pv --property opaque --certificate tpl.json -q');
is($code, 0, 'a proof');
($text, $code) = in_empty("$prefix/bin/parvis recheck tpl.json", PATH => "$tmp/nothing");
is($code, 0, 'recheck: confirmed without another program') or diag($text);
like($text, qr/opaque: confirmed, (\d+) of \1 obligations/, 'recheck: all obligations');
my $certificate = decode_json(read_file("$tmp/empty/tpl.json"));
my $lemmas = $certificate->{proofs}[0]{lemmas};
@$lemmas = grep { $_->{kind} eq 'assume' } @$lemmas;
write_file("$tmp/empty/less.json", JSON::PP->new->utf8->canonical->encode($certificate));
($text, $code) = in_empty("$prefix/bin/parvis recheck less.json", PATH => "$tmp/nothing");
like($text, qr/opaque: not confirmed/, 'recheck: not confirmed without its lemmas') or diag($text);
is($code, 1, 'recheck: refuted');

$log = `make -s uninstall PREFIX=$prefix SETUP=true O=$o PROGRAM=$parvis PLUGIN= 2>&1`;
is(scalar `find $prefix -type f`, '', 'make uninstall removes every file') or diag($log);
done_testing();
