# SPDX-License-Identifier: Apache-2.0
#
# Golden: what golden tests in Perl begin with: the program under test, a folder of their own, files, runs.
#
#   use lib 'tests';
#   use Golden qw($parvis $tmp read_file write_file run answer);
package Golden;
use strict;
use warnings;
use Exporter 'import';
use JSON::PP;
use Schema qw(decode_answer);
our @EXPORT_OK = qw($parvis $tmp $two_clocks read_file write_file run answer);

our $parvis = $ENV{PARVIS} or die "PARVIS is not set: run by tests/run\n";
our $tmp = $ENV{PARVIS_TMP} or die "PARVIS_TMP is not set: run by tests/run\n";

# A system and a specification with steps that are not seen, and parameters that are not: a refinement is to be added.
our $two_clocks = <<'END';
ordered sort Time
sort Thread
size Thread = 2, Time = 3
system Spec {
  var last: Time
  rel seen(Thread)
  internal action look(t: Thread) { seen(t) := true }
  action tick(t: Thread; n: Time) when last < n { last := n }
  action done(t: Thread) when seen(t)
}
system Slow {
  var now: Time
  rel has(Thread)
  internal action see(t: Thread) { has(t) := true }
  action tick(t: Thread; m: Time) when now < m { now := m }
  action done(t: Thread) when has(t)
}
END

sub read_file { my ($path) = @_; open my $in, '<', $path or die "$path: $!\n"; local $/; return scalar <$in> // '' }

# A file in the test's folder; its path.
sub write_file {
    my ($name, @text) = @_;
    my $path = $name =~ m{^/} ? $name : "$tmp/$name";
    open my $out, '>', $path or die "$path: $!\n";
    print $out @text;
    close $out or die "$path: $!\n";
    return $path;
}

# Runs the program with words as a shell reads them; all its output, and its exit code.
sub run {
    my (@words) = @_;
    my $text = `$parvis @words 2>&1`;
    return ($text, $? >> 8);
}

# Runs the program with these arguments and --json; the object, undef if it is none, and the exit code. What was said on
# standard error is in the folder's file `err`.
sub answer {
    my (@command) = @_;
    open my $from, '-|', 'sh', '-c', 'exec "$0" "$@" 2> "$PARVIS_TMP/err" < /dev/null', $parvis, @command, '--json' or die "$parvis: $!\n";
    my $text = do { local $/; <$from> };
    close $from;
    my ($object, $code) = (eval { decode_answer($text) }, $? >> 8);
    return wantarray ? ($object, $code) : $object;
}

1;
