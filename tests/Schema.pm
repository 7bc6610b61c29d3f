# SPDX-License-Identifier: Apache-2.0
#
# Schema: answers of the program against doc/answer.schema.json.
#
#   use lib 'tests';
#   use Schema qw(decode_answer schema_problems);
#   my $object = decode_answer($text);      # dies if it is no JSON; a member that is not as the schema says is a failed test
#
# The part of JSON Schema that the file uses, and it dies of any other word; golden/schema.t compares with python3-jsonschema.
# In a closed reading members that the schema does not list are problems too.
package Schema;
use strict;
use warnings;
use B;
use Exporter 'import';
use JSON::PP;
our @EXPORT_OK = qw(decode_answer schema_problems);

my %known = map { $_ => 1 } qw($schema $defs $ref title description type enum const properties required additionalProperties
    items minimum maximum anyOf allOf not if then);
my $root = do { open my $in, '<', 'doc/answer.schema.json' or die "doc/answer.schema.json: $!\n"; local $/; decode_json(<$in>) };

sub type_of {
    my ($v) = @_;
    return 'null' if !defined $v;
    return ref $v eq 'HASH' ? 'object' : ref $v eq 'ARRAY' ? 'array' : 'boolean' if ref $v;
    return 'string' if B::svref_2object(\$v)->FLAGS & B::SVf_POK;
    return $v == int $v ? 'integer' : 'number';
}

sub is_type { my ($type, $got) = @_; return $type eq $got || ($type eq 'number' && $got eq 'integer') }

sub same { my ($a, $b) = @_; return type_of($a) eq type_of($b) && (!defined $a || "$a" eq "$b") }

sub at { my ($path, $says) = @_; return ($path eq '' ? 'the answer' : $path) . ": $says" }

sub members {
    my ($s, $v, $path, $closed) = @_;
    my @found;
    for my $name (@{ $s->{required} // [] }) { push @found, at($path, "'$name' is missing") if !exists $v->{$name} }
    for my $name (sort keys %$v) {
        my $of = ($s->{properties} // {})->{$name} // $s->{additionalProperties};
        if ($of) { push @found, problems($of, $v->{$name}, "$path.$name", $closed) }
        elsif ($closed && $s->{properties}) { push @found, at($path, "'$name' is not in the schema") }
    }
    return @found;
}

# Everything that is wrong, in the order of the text. Conditions and alternatives are never read closed: they list a part.
sub problems {
    my ($s, $v, $path, $closed) = @_;
    if (my @other = grep { !$known{$_} } keys %$s) { die "Schema: '@other' is not understood\n" }
    if (my $ref = $s->{'$ref'}) {
        my ($name) = $ref =~ m{^#/\$defs/(\w+)$} or die "Schema: $ref\n";
        return problems($root->{'$defs'}{$name} // die("Schema: $ref\n"), $v, $path, $closed);
    }
    my $type = type_of($v);
    my @types = ref $s->{type} ? @{ $s->{type} } : $s->{type} // ();
    return at($path, "is $type, not " . join(' or ', @types)) if @types && !grep { is_type($_, $type) } @types;
    my @found;
    push @found, at($path, 'is none of its words') if $s->{enum} && !grep { same($_, $v) } @{ $s->{enum} };
    push @found, at($path, 'is another constant') if exists $s->{const} && !same($s->{const}, $v);
    push @found, at($path, 'is too small') if exists $s->{minimum} && is_type('number', $type) && $v < $s->{minimum};
    push @found, at($path, 'is too large') if exists $s->{maximum} && is_type('number', $type) && $v > $s->{maximum};
    push @found, members($s, $v, $path, $closed) if $type eq 'object';
    if ($type eq 'array' && $s->{items}) { push @found, problems($s->{items}, $v->[$_], "$path\[$_]", $closed) for 0 .. $#$v }
    if ($s->{anyOf}) {
        my @tries = map { [problems($_, $v, $path, $closed)] } @{ $s->{anyOf} };
        my ($best) = sort { @$a <=> @$b } reverse @tries;
        push @found, @$best;
    }
    push @found, problems($_, $v, $path, 0) for @{ $s->{allOf} // [] };
    push @found, at($path, 'is what it must not be') if $s->{not} && !problems($s->{not}, $v, $path, 0);
    push @found, problems($s->{then}, $v, $path, 0) if $s->{if} && !problems($s->{if}, $v, $path, 0);
    return @found;
}

sub schema_problems { my ($object, $closed) = @_; return problems($root, $object, '', $closed) }

sub decode_answer {
    my ($text) = @_;
    my $object = decode_json($text);
    if (my @found = schema_problems($object)) {
        require Test::More;
        Test::More::fail('the answer is as doc/answer.schema.json says');
        Test::More::diag(join "\n", @found);
    }
    return $object;
}

1;
