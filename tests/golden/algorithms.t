#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# algorithms: every expectation of models/tm-algorithms, by the program; contention managers from the command line;
# mistakes in algorithms and managers.
use strict;
use warnings;
use lib 'tests';
use Golden qw($parvis $tmp read_file answer);
use Test::More;

sub entry { my ($answer, $name) = @_; return (grep { $_->{name} eq $name } @{ $answer->{properties} })[0] }

for my $file (sort glob 'models/tm-algorithms/*.pv') {
    my @expected = read_file($file) =~ /^(expect .*)$/mg;
    ok(@expected >= 5, "$file says what it expects");
    my %answers;
    for my $line (@expected) {
        my ($name, $sizes, $verdict, $rest) = $line =~ /^expect (\w+) at (.*?): (\w+)(.*)$/ or die $line;
        $sizes =~ s/ //g;
        my $answer = $answers{$sizes} //= answer('check', $file, '--size', $sizes, '--symmetry', 'off');
        my $found = entry($answer, $name);
        my $got = $found->{verdict};
        $got .= ", $found->{states} states" if $rest =~ /states/;
        $got .= ", length " . @{ [split ' ', $found->{trace}{word}] } if $rest =~ /length/;
        is($got, $verdict . $rest, "$file: $name at $sizes");
        ok(defined $found->{trace}{loop}, "$file: $name is shown as a lasso") if $name =~ /_free$/ && $verdict eq 'violated';
    }
}

# Any manager with any algorithm: safety does not depend on it.
my @managers = map { m{([^/]*)\.pv$} } sort glob 'models/managers/*.pv';
ok(@managers >= 5, 'there are managers');
for my $manager (@managers) {
    for my $file (qw(dstm tl2)) {
        my $a = answer('check', "models/tm-algorithms/$file.pv", '--manager', $manager, '--property', 'opaque');
        is(entry($a, 'opaque')->{verdict}, 'holds', "$file with $manager is opaque");
    }
}
my %obstruction_free = (aggressive => 'holds', polite => 'holds', karma => 'holds', timid => 'violated', universal => 'violated');
for my $manager (sort keys %obstruction_free) {
    my $a = answer('check', 'models/tm-algorithms/dstm.pv', '--manager', "models/managers/$manager.pv", '--property', 'obstruction_free');
    is(entry($a, 'obstruction_free')->{verdict}, $obstruction_free{$manager}, "dstm with $manager: obstruction freedom");
}

# Mistakes.
sub complains {
    my ($text, $pattern, $name, @args) = @_;
    open my $out, '>', "$tmp/wrong.pv" or die $!;
    print $out $text;
    close $out;
    my $got = `"$parvis" check "$tmp/wrong.pv" @args 2>&1`;
    is($? >> 8, 2, "$name: exit code");
    like($got, $pattern, $name);
}
my $head = "sort Thread, Loc\nalgorithm A";
my $rest = "rel x(Thread)\ncommand read(t: Thread, v: Loc) { done }\ncommand commit(t: Thread) { done }";
complains("$head { $rest }\n", qr/says what an abort does/, 'an algorithm without abort');
complains("$head { $rest abort(t, u: Thread) { } }\n", qr/one parameter/, 'abort of two threads');
complains("$head { $rest abort(t: Thread) { } command read(t: Thread) { done } }\n", qr/'read' is declared twice/, 'a command twice');
complains("$head { $rest abort(t: Thread) { } action go { } }\n", qr/commands, not actions/, 'an action');
complains("$head { $rest abort(t: Thread) { } command tick(v: Loc) { done } }\n", qr/first parameter/, 'a command of no thread');
complains("$head { $rest abort(t: Thread) { } command tick(t: Thread) { } }\n", qr/no 'done' and no 'step'/, 'a command without steps');
complains("$head { $rest abort(t: Thread) { } command tick(t: Thread) { maybe } }\n", qr/'done', 'step' or '\}'/, 'an unknown clause');
complains("$head with Agressive { $rest abort(t: Thread) { } }\nmanager Aggressive { def proceed(t, u: Thread) = true }\n",
          qr/did you mean 'Aggressive'/, 'a misspelt manager');
complains("$head { $rest abort(t: Thread) { } }\n", qr/unknown contention manager 'nobody'/, 'an unknown manager', '--manager', 'nobody');
complains("$head { $rest abort(t: Thread) { } }\n", qr/declares no contention manager/, 'a file without manager', '--manager', 'models/specs/opacity.pv');
complains("algorithm B = C with D\n", qr/unknown algorithm 'C'/, 'an unknown algorithm');

# A manager's names are its own: they may be those of the algorithm, and are shown after its name.
open my $same, '>', "$tmp/same.pv" or die $!;
print $same <<'END';
sort Thread, Loc
manager Waiting {
  var wait_count(Thread): 0..1 = 0
  def wait(t, u: Thread) = wait_count(t) = 0 & exists x: Thread. x = u
  def proceed(t, u: Thread) = wait_count(t) = 1
  on wait(t: Thread) { wait_count(t) := 1 }
  on step(wait_count: Thread) { Waiting_off(wait_count) }
  proc Waiting_off(t: Thread) { wait_count(t) := 0 }
}
algorithm A with Waiting {
  rel wait_count(Thread), wait(Thread), held(Thread, Loc)
  command write(t: Thread, v: Loc) {
    done when held(t, v)
    step take when !held(t, v) against u: Thread where u != t & held(u, v)
      { held(t, v) := true; forall u: Thread where u != t { held(u, v) := false } }
  }
  command commit(t: Thread) { done { clear held(t, _) } }
  abort(t: Thread) { clear held(t, _) }
}
property alive: A deadlock_free
property free: A obstruction_free
END
close $same;
my $same_names = answer('check', "$tmp/same.pv");
is(entry($same_names, 'alive')->{verdict}, 'holds', 'a manager and an algorithm with the same names');
is(entry($same_names, 'free')->{verdict}, 'holds', 'and it does what it should');
like(scalar `"$parvis" show "$tmp/same.pv"`, qr/var Waiting_wait_count\(Thread\)/, 'its names are after its own');
done_testing;
