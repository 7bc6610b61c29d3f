# SPDX-License-Identifier: Apache-2.0
#
# Part: which share of a long run a golden test does (see tests/run), as tests/oracle/part.h for programs.
#
#   use lib 'tests';
#   use Part qw(part_is_mine part_share part_seed);
package Part;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT_OK = qw(part_is_mine part_share part_seed);

my ($which, $parts) = ($ENV{PARVIS_LONG_PART} // '1/1') =~ m{^(\d+)/(\d+)$} or die "PARVIS_LONG_PART: expected K/N\n";
die "PARVIS_LONG_PART: expected K/N with K from 1 to N\n" if $which < 1 || $which > $parts;

# Whether case number i of a long run is for this part.
sub part_is_mine { return $_[0] % $parts == $which - 1 }

# So many of n.
sub part_share { return int($_[0] * $which / $parts) - int($_[0] * ($which - 1) / $parts) }

# A seed of its own for each part.
sub part_seed { return $_[0] + 1000 * ($which - 1) }

1;
