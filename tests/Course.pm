# SPDX-License-Identifier: Apache-2.0
#
# Course: random Murphi models in the style of courses (a network of multisets, a directory, broadcasts), and what they
# mean: every phrase is made together with a closure that does what the phrase says. `explore` walks all states of a model
# with these closures; nothing of Parvis is used. States are compared by the contents of multisets, and orbits under
# every renaming of scalarset elements.
package Course;
use strict;
use warnings;

my ($S, %types, @globals, %procs, $rng, @scope, $deep, @sets, %opt);

# ---- random choices: the same seed, the same model
sub rnd {
    my ($n) = @_;
    use integer;
    $rng = ($rng * 1103515245 + 12345) & 0x7FFFFFFF;
    return ($rng >> 8) % $n;
}
sub pick { return $_[rnd(scalar @_)] }
sub chance { return rnd(100) < $_[0] }
sub fault { die { fault => $_[0] } }

# ---- types: {k, name, ...}; vals of simple ones
sub simple { return defined $_[0]{vals} }
sub is_number { return $_[0]{k} eq 'range' }
sub is_element { return $_[0]{k} eq 'sset' || $_[0]{k} eq 'union' }
sub type_text { my ($t) = @_; return $t->{name} // $t->{text} }

sub fresh {
    my ($t) = @_;
    return undef if simple($t);
    return { map { $_->[0] => fresh($_->[1]) } @{ $t->{fields} } } if $t->{k} eq 'rec';
    return { map { $_ => fresh($t->{el}) } @{ $t->{idx}{vals} } } if $t->{k} eq 'arr';
    return [];
}

sub copy { my ($v) = @_; return ref $v eq 'HASH' ? { map { $_ => copy($v->{$_}) } keys %$v } : ref $v ? [map { copy($_) } @$v] : $v }

sub lowest {    # what `clear` gives
    my ($t) = @_;
    return is_element($t) ? undef : $t->{vals}[0] if simple($t);
    return { map { $_->[0] => lowest($_->[1]) } @{ $t->{fields} } } if $t->{k} eq 'rec';
    return { map { $_ => lowest($t->{el}) } @{ $t->{idx}{vals} } } if $t->{k} eq 'arr';
    return [];
}

# One text for each value; elements renamed by %$p.
sub text_of {
    my ($t, $v, $p) = @_;
    return defined $v ? $p->{$v} // $v : '?' if simple($t);
    return '{' . join(',', map { text_of($_->[1], $v->{ $_->[0] }, $p) } @{ $t->{fields} }) . '}' if $t->{k} eq 'rec';
    if ($t->{k} eq 'arr') {
        my %by = map { ($p->{$_} // $_) => text_of($t->{el}, $v->{$_}, $p) } @{ $t->{idx}{vals} };
        return '[' . join(',', map { $by{$_} } @{ $t->{idx}{vals} }) . ']';
    }
    return '<' . join(';', sort map { text_of($t->{el}, $_, $p) } @$v) . '>';
}

# ---- scopes: {name, ty, get (place: a reference; value), is_place, ro}
sub in_scope { my ($how, @new) = @_; my $n = @scope; push @scope, @new; my @r = $how->(); $#scope = $n - 1; return wantarray ? @r : $r[0] }
my $names = 0;
sub name { return $_[0] . ++$names }

sub value_entry { my ($name, $ty) = @_; return { name => $name, ty => $ty, get => sub { $_[0]{$name} } } }
sub place_entry { my ($name, $ty, $ro) = @_; return { name => $name, ty => $ty, is_place => 1, ro => $ro, get => sub { $_[0]{$name} } } }

# All places of a kind: {t, ty, r: closure to a reference, ro, guards}. Indices are values in scope, literals, or places that
# are first asked whether they have a value (guards, texts with closures).
sub places_below {
    my ($out, $p, $want, $depth) = @_;
    my $t = $p->{ty};
    push @$out, $p if $want->($t);
    return if $depth > 4;
    if ($t->{k} eq 'rec') {
        for my $f (@{ $t->{fields} }) {
            my ($n, $ft) = @$f;
            places_below($out, { %$p, t => "$p->{t}.$n", ty => $ft, r => sub { \${ $p->{r}->($_[0]) }->{$n} } }, $want, $depth + 1);
        }
    } elsif ($t->{k} eq 'arr') {
        my $i = index_of($t->{idx}) or return;
        places_below($out, { %$p, t => "$p->{t}\[$i->{t}]", ty => $t->{el}, r => sub {
            my $k = $i->{f}->($_[0]);
            fault('undefined index') unless defined $k;
            fault('index') unless $t->{idx}{has}{$k};
            \${ $p->{r}->($_[0]) }->{$k} } }, $want, $depth + 1);
    }
    return;
}

sub index_of {
    my ($t) = @_;
    my @own = grep { !$_->{is_place} && fits($_->{ty}, $t) } @scope;
    if (@own && (is_element($t) || chance(50))) { my $e = pick(@own); return { t => $e->{name}, f => $e->{get} } }
    my @lit = grep { !/#/ } @{ $t->{vals} };
    return unless @lit;
    my $v = pick(@lit);
    return { t => $v, f => sub { $v } };
}

# May a value of $a always stand for one of $b?
sub fits { my ($a, $b) = @_; return simple($a) && simple($b) && !grep { !$b->{has}{$_} } @{ $a->{vals} } }

sub places {
    my ($want, %o) = @_;
    my @out;
    for my $e (grep { $_->{is_place} } @scope) {
        next if $o{write} && $e->{ro};
        next if $o{removes} && $opt{keep_net} && ($e->{base} // $e->{name}) eq 'Net';
        places_below(\@out, { base => $e->{base} // $e->{name}, t => $e->{name}, ty => $e->{ty}, r => $e->{get}, ro => $e->{ro}, local => $e->{local} }, $want, 0);
    }
    return @out;
}
sub place { my @p = places(@_); return @p ? pick(@p) : undef }

sub set_of { my ($ty, $vals) = @_; return { %$ty, vals => $vals, has => { map { $_ => 1 } @$vals } } }

# ---- expressions: {t, f}
sub read_place { my ($p) = @_; return sub { my $v = ${ $p->{r}->($_[0]) }; defined $v ? $v : fault("undefined $p->{t}") } }

sub number {    # {t, f, lo, hi}
    my ($d) = @_;
    my $k = rnd($d > 0 ? 7 : 3);
    if ($k <= 1) { my $v = rnd(4); return { t => $v, f => sub { $v }, lo => $v, hi => $v } }
    if ($k == 2) {
        my $p = place(\&is_number) or return number(0);
        return { t => $p->{t}, f => read_place($p), lo => $p->{ty}{lo}, hi => $p->{ty}{hi} };
    }
    if ($k == 3) { my $c = count($d) or return number(0); return $c }
    if ($k == 4 && $procs{Count}) { my $f = $procs{Count}; return { t => "$f->{name}()", f => sub { $f->{run}->($_[0]) }, lo => 0, hi => 9 } }
    my ($a, $b) = (number($d - 1), number($d - 1));
    if ($k == 5) { return { t => "($a->{t} + $b->{t})", f => sub { my $x = $a->{f}->($_[0]); $x + $b->{f}->($_[0]) }, lo => $a->{lo} + $b->{lo}, hi => $a->{hi} + $b->{hi} } }
    my $c = condition($d - 1);
    return { t => "($c->{t} ? $a->{t} : $b->{t})", f => sub { $c->{f}->($_[0]) ? $a->{f}->($_[0]) : $b->{f}->($_[0]) },
        lo => $a->{lo} < $b->{lo} ? $a->{lo} : $b->{lo}, hi => $a->{hi} > $b->{hi} ? $a->{hi} : $b->{hi} };
}

sub is_bag { return $_[0]{k} eq 'bag' }

# The element of a bag that a name names, as a place.
sub bag_entry {
    my ($name, $b) = @_;
    return { name => "$b->{t}\[$name]", ty => $b->{ty}{el}, is_place => 1, ro => 1, get => sub { \${ $b->{r}->($_[0]) }->[ $_[0]{$name} ] } };
}

sub with { my ($e, %more) = @_; return { %$e, %more } }

sub bag_condition {    # over elements of $b, named $i
    my ($i, $b, $d) = @_;
    return { t => 'true', f => sub { 1 } } if $d < 0 || chance(40);
    return in_scope(sub { condition($d, bag_entry($i, $b)) }, bag_entry($i, $b));
}

sub count {
    my ($d) = @_;
    my $b = place(\&is_bag) or return;
    my $i = name('i');
    my $c = bag_condition($i, $b, $d - 1);
    my $run = sub { my ($e) = @_; my $n = 0; for my $k (0 .. $#{ ${ $b->{r}->($e) } }) { $n++ if $c->{f}->(with($e, $i => $k)) } $n };
    return { t => "MultiSetCount($i : $b->{t}, $c->{t})", f => $run, lo => 0, hi => $b->{ty}{n} };
}

sub element {    # of a scalarset or union: {t, f, ty}; may be undefined
    my ($want) = @_;
    my @own = grep { !$_->{is_place} && is_element($_->{ty}) && (!$want || $want->($_->{ty})) } @scope;
    if (@own && chance(55)) { my $e = pick(@own); return { t => $e->{name}, f => $e->{get}, ty => $e->{ty} } }
    my $p = place(sub { is_element($_[0]) && (!$want || $want->($_[0])) });
    return { t => $p->{t}, f => sub { ${ $p->{r}->($_[0]) } }, ty => $p->{ty}, p => $p } if $p && chance(85);
    my $node = $types{Node};
    return { t => 'HomeType', f => sub { 'HomeType' }, ty => $types{Home} } if !$want || $want->($types{Home});
    return $p ? { t => $p->{t}, f => sub { ${ $p->{r}->($_[0]) } }, ty => $p->{ty}, p => $p } : undef;
}

sub overlap { my ($a, $b) = @_; return scalar grep { $b->{has}{$_} } @{ $a->{vals} } }

sub condition {
    my ($d) = @_;
    my $k = rnd($d > 0 ? 15 : 8);
    if ($k <= 1) {
        my $a = element() or return condition($d);
        my $b = element(sub { overlap($_[0], $a->{ty}) && $_[0]{k} ne 'enum' }) or return condition($d);
        my $neg = chance(40);
        return { t => "($a->{t} " . ($neg ? '!=' : '=') . " $b->{t})",
            f => sub { my ($x, $y) = ($a->{f}->($_[0]) // '?', $b->{f}->($_[0]) // '?'); ($x eq $y) != $neg } };
    }
    if ($k <= 3) {
        my $p = place(sub { $_[0]{k} eq 'enum' && $_[0]{name} ne 'Home' }) or return condition($d > 0 ? $d : 1);
        my ($v, $neg, $r) = (pick(@{ $p->{ty}{vals} }), chance(30), read_place($p));
        return { t => "($p->{t} " . ($neg ? '!=' : '=') . " $v)", f => sub { ($r->($_[0]) eq $v) != $neg } };
    }
    if ($k == 4) {
        my $p = place(sub { $_[0]{k} eq 'bool' }) or return condition($d > 0 ? $d : 1);
        return { t => $p->{t}, f => do { my $r = read_place($p); sub { $r->($_[0]) eq 'true' } } };
    }
    if ($k == 5) {
        my $p = place(\&simple) or return condition(1);
        return { t => "isundefined($p->{t})", f => sub { !defined ${ $p->{r}->($_[0]) } } };
    }
    if ($k == 6) {
        my $a = element(sub { $_[0]{k} eq 'union' }) or return condition($d > 0 ? $d : 1);
        my $t = pick($types{Proc}, $types{Home});
        if ($a->{p} && !chance($opt{risky} ? 60 : 5)) {
            return { t => "(!isundefined($a->{t}) & IsMember($a->{t}, $t->{name}))", f => sub { my $v = $a->{f}->($_[0]); defined $v && $t->{has}{$v} } };
        }
        return { t => "IsMember($a->{t}, $t->{name})", f => sub { my $v = $a->{f}->($_[0]); defined $v ? $t->{has}{$v} : $opt{member} ? 0 : fault('ismember') } };
    }
    if ($k == 7) { my $c = count($d); return { t => "($c->{t} " . ($c->{n} = pick('=', '!=', '>', '<')) . ' ' . ($c->{v} = rnd(3)) . ')', f => compare($c->{f}, $c->{n}, $c->{v}) } if $c; return condition($d > 0 ? $d : 1) }
    if ($k == 8 || $k == 9) {
        my ($a, $b, $op) = (condition($d - 1), condition($d - 1), pick('&', '|', '->'));
        my $run = $op eq '&' ? sub { $a->{f}->($_[0]) && $b->{f}->($_[0]) } : $op eq '|' ? sub { $a->{f}->($_[0]) || $b->{f}->($_[0]) } : sub { !$a->{f}->($_[0]) || $b->{f}->($_[0]) };
        return { t => "($a->{t} $op $b->{t})", f => $run };
    }
    if ($k == 10) { my $a = condition($d - 1); return { t => "!($a->{t})", f => sub { !$a->{f}->($_[0]) } } }
    if ($k == 11 || $k == 12) {
        my ($q, $x, $t) = (pick('forall', 'exists'), name('q'), pick($types{Proc}, $types{Node}, $types{VC}));
        my $a = in_scope(sub { condition($d - 1) }, value_entry($x, $t));
        my $all = $q eq 'forall';
        return { t => "($q $x : $t->{name} do $a->{t} end)", f => sub { my ($e) = @_; my $r = $all; for my $v (@{ $t->{vals} }) { my $h = $a->{f}->(with($e, $x => $v)) ? 1 : 0; $r = $all ? $r && $h : $r || $h } $r } };
    }
    if ($k == 13 && $procs{IsSharer}) {
        my $a = element(sub { fits($_[0], $types{Node}) }) or return condition($d - 1);
        my $f = $procs{IsSharer};
        return { t => "IsSharer($a->{t})", f => sub { my ($e) = @_; my $v = $a->{f}->($e); fault('argument') if !defined $v && $a->{p} && $a->{ty} != $types{Node}; $f->{run}->($e, \$v) } };
    }
    my ($a, $b, $op) = (number($d - 1), number($d - 1), pick('=', '!=', '<', '<=', '>', '>='));
    return { t => "($a->{t} $op $b->{t})", f => sub { my $x = $a->{f}->($_[0]); my $y = $b->{f}->($_[0]); test($x, $op, $y) } };
}

sub test { my ($x, $op, $y) = @_; return $op eq '=' ? $x == $y : $op eq '!=' ? $x != $y : $op eq '<' ? $x < $y : $op eq '<=' ? $x <= $y : $op eq '>' ? $x > $y : $x >= $y }
sub compare { my ($f, $op, $v) = @_; return sub { test($f->($_[0]), $op, $v) } }

# Something to assign to a simple type: {t, f}, f may give undef for a place without a value, as CMurphi copies it.
sub source {
    my ($t) = @_;
    if (is_number($t)) {
        my $n = number(1);
        return $n if $n->{lo} >= $t->{lo} && $n->{hi} <= $t->{hi} || $opt{risky} && chance(10);
        my $w = $t->{hi} - $t->{lo} + 1;
        return { t => "($n->{t} % $w)" . ($t->{lo} ? " + $t->{lo}" : ''), f => sub { $n->{f}->($_[0]) % $w + $t->{lo} } };
    }
    if ($t->{k} eq 'bool') { my $c = condition(1); return { t => $c->{t}, f => sub { $c->{f}->($_[0]) ? 'true' : 'false' } } }
    if ($t->{k} eq 'enum') {
        if (chance(15)) { my $p = place(sub { ($_[0]{name} // '') eq ($t->{name} // '-') }); return { t => $p->{t}, f => sub { ${ $p->{r}->($_[0]) } } } if $p }
        my $v = pick(@{ $t->{vals} });
        return { t => $v, f => sub { $v } };
    }
    my $e = element(sub { fits($_[0], $t) });
    return $e if $e && !($e->{p} && $e->{ty} != $t);
    my $all = { t => 'undefined', f => sub { undef }, is_undefined => 1 };
    return $all;
}

# ---- statements: {t, f}; f returns true when the body is to end (return)
sub block { my (@s) = @_; my @f = map { $_->{f} } @s; return { t => join("\n", map { $_->{t} } @s), f => sub { for my $g (@f) { return 1 if $g->($_[0]) } 0 } } }
sub indent { my ($t) = @_; $t =~ s/^/  /mg; return $t }

sub guarded { my ($p, $s) = @_; return { t => "if !isundefined($p->{t}) then\n" . indent($s->{t}) . "\nend;", f => sub { defined ${ $p->{r}->($_[0]) } ? $s->{f}->($_[0]) : 0 } } }

sub assign {
    my $p = place(\&simple, write => 1) or return nothing();
    my $v = source($p->{ty});
    return undefine_it($p) if $v->{is_undefined};
    my $t = $p->{ty};
    return { t => "$p->{t} := $v->{t};", f => sub {
        my $r = $p->{r}->($_[0]);
        my $x = $v->{f}->($_[0]);
        fault('range') if defined $x && !$t->{has}{$x};
        $$r = $x;
        0 } };
}

sub nothing { return { t => 'put "";', f => sub { 0 } } }
sub undefine_it { my ($p) = @_; return { t => "undefine $p->{t};", f => sub { ${ $p->{r}->($_[0]) } = fresh($p->{ty}); 0 } } }

sub whole_copy {
    my $p = place(sub { !simple($_[0]) && $_[0]{name} }, write => 1, removes => 1) or return assign();
    my @q = grep { $_->{ty} == $p->{ty} && $_->{t} ne $p->{t} } places(sub { $_[0] == $p->{ty} });
    return assign() unless @q;
    my $q = pick(@q);
    return { t => "$p->{t} := $q->{t};", f => sub { my $to = $p->{r}->($_[0]); $$to = copy(${ $q->{r}->($_[0]) }); 0 } };
}

sub add {
    my $b = place(\&is_bag, write => 1) or return nothing();
    my $full = sub { my ($s) = @_; return $s if $opt{risky} && chance(15);
        return { t => "if MultiSetCount(i : $b->{t}, true) < $b->{ty}{n} then\n" . indent($s->{t}) . "\nend;", f => sub { @{ ${ $b->{r}->($_[0]) } } < $b->{ty}{n} ? $s->{f}->($_[0]) : 0 } } };
    my $el = $b->{ty}{el};
    my $push = sub { my ($e, $v) = @_; my $a = ${ $b->{r}->($e) }; fault('full') if @$a >= $b->{ty}{n}; push @$a, copy($v); 0 };
    if (simple($el)) {
        my $v = source($el);
        return nothing() if $v->{is_undefined};
        return $full->({ t => "MultiSetAdd($v->{t}, $b->{t});", f => sub { my $x = $v->{f}->($_[0]); fault('undefined') unless defined $x; $push->($_[0], $x) } }) unless $v->{p};
        my $p = $v->{p};
        return $full->(guarded($p, { t => "MultiSetAdd($v->{t}, $b->{t});", f => sub { $push->($_[0], $v->{f}->($_[0])) } }));
    }
    my @q = grep { $_->{ty} == $el } places(sub { $_[0] == $el });
    return nothing() unless @q;
    my $q = pick(@q);
    return $full->({ t => "MultiSetAdd($q->{t}, $b->{t});", f => sub { $push->($_[0], ${ $q->{r}->($_[0]) }) } });
}

sub remove_pred {
    my $b = place(\&is_bag, write => 1, removes => 1) or return nothing();
    my $i = name('i');
    my %all = %procs;    # a predicate that calls a function may ask the multiset itself: that depends on the order of slots
    %procs = ();
    my $c = bag_condition($i, $b, 0);
    %procs = %all;
    return { t => "MultiSetRemovePred($i : $b->{t}, $c->{t});", f => sub {
        my ($e) = @_;
        my $a = ${ $b->{r}->($e) };
        my @gone = map { $c->{f}->(with($e, $i => $_)) ? 1 : 0 } 0 .. $#$a;
        @$a = map { $gone[$_] ? () : $a->[$_] } 0 .. $#$a;
        0 } };
}

sub loop {
    my ($d) = @_;
    my $x = name('n');
    if (chance(80)) {
        my $t = pick($types{Proc}, $types{Node}, $types{Node}, $types{VC});
        my $s = in_scope(sub { statements($d - 1) }, value_entry($x, $t));
        if (chance(60)) {
            my $c = in_scope(sub { condition(1) }, value_entry($x, $t));
            my $in = $s;
            $s = { t => "if $c->{t} then\n" . indent($in->{t}) . "\nend;", f => sub { $c->{f}->($_[0]) ? $in->{f}->($_[0]) : 0 } };
        }
        return { t => "for $x : $t->{name} do\n" . indent($s->{t}) . "\nend;", f => sub { my ($e) = @_; for my $v (@{ $t->{vals} }) { return 1 if $s->{f}->(with($e, $x => $v)) } 0 } };
    }
    my ($a, $b, $by) = (rnd(3), rnd(3), pick(1, 1, 2, -1));
    ($a, $b) = ($b, $a) if ($a <=> $b) == ($by <=> 0);
    my $s = in_scope(sub { statements($d - 1) }, value_entry($x, { k => 'range', lo => -3, hi => 3, vals => [-3 .. 3], has => { map { $_ => 1 } -3 .. 3 } }));
    return { t => "for $x := $a to $b by $by do\n" . indent($s->{t}) . "\nend;",
        f => sub { my ($e) = @_; for (my $v = $a; $by > 0 ? $v <= $b : $v >= $b; $v += $by) { return 1 if $s->{f}->(with($e, $x => $v)) } 0 } };
}

sub alias {
    my ($d) = @_;
    my $p = place(sub { 1 }, write => 1) or return nothing();
    my $x = name('a');
    # what the alias stands for is settled when it is met: its indices are evaluated once
    my $s = in_scope(sub { statements($d - 1) }, { name => $x, ty => $p->{ty}, is_place => 1, base => $p->{base}, get => sub { $_[0]{$x} } });
    return { t => "alias $x : $p->{t} do\n" . indent($s->{t}) . "\nend;", f => sub { my ($e) = @_; $s->{f}->(with($e, $x => $p->{r}->($e))) } };
}

sub chooses {
    my ($d) = @_;
    my $p = place(sub { $_[0]{k} eq 'enum' && $_[0]{name} ne 'Home' }) or return assign();
    my @vals = @{ $p->{ty}{vals} };
    my $n = 1 + rnd(scalar @vals);
    my @parts = map { statements($d - 1) } 1 .. $n;
    my $else = chance(50) ? statements($d - 1) : undef;
    my $r = read_place($p);
    my %of = map { $vals[$_] => $parts[$_] } 0 .. $n - 1;
    return { t => "switch $p->{t}\n" . join('', map { "case $vals[$_]:\n" . indent($parts[$_]{t}) . "\n" } 0 .. $n - 1) . ($else ? "else\n" . indent($else->{t}) . "\n" : '') . 'end;',
        f => sub { my $v = $r->($_[0]); my $s = $of{$v} // $else; $s ? $s->{f}->($_[0]) : 0 } };
}

sub call {
    my $f = pick(map { $procs{$_} } grep { !$procs{$_}{result} } sort keys %procs) or return nothing();
    my (@texts, @args, @ask);
    for my $q (@{ $f->{params} }) {
        my ($n, $t, $var) = @$q;
        if (!simple($t) || $var) {
            my @p = grep { !$var || !$_->{ro} } places(sub { $_[0] == $t });
            return nothing() unless @p;
            my $p = pick(@p);
            push @texts, $p->{t};
            push @args, $p->{r};
        } else {
            my $v = $n eq 'dst' || $n eq 'ch' ? index_of($t) : source($t);
            push @texts, $v->{t};
            my $p = $v->{p};
            push @ask, $p if $p && is_element($t) && !chance($opt{risky} ? 60 : 8);
            push @args, $p && $p->{ty} == $t ? $p->{r} : sub { my $x = $v->{f}->($_[0]); fault('range') if defined $x && !$t->{has}{$x}; \$x };
        }
    }
    my $c = { t => "$f->{name}(" . join(', ', @texts) . ');', f => sub { my ($e) = @_; $f->{run}->($e, map { $_->($e) } @args); 0 } };
    $c = guarded($_, $c) for @ask;
    return $c;
}

sub statement {
    my ($d) = @_;
    my $k = rnd($d > 0 ? 22 : 11);
    return assign() if $k <= 4;
    return call() if $k == 5 || $k == 6;
    return add() if $k == 7;
    return remove_pred() if $k == 8;
    if ($k == 9) { my $p = place(sub { is_element($_[0]) || !simple($_[0]) && chance(20) }, write => 1, removes => 1) or return nothing(); return undefine_it($p) if chance(60); return { t => "clear $p->{t};", f => sub { ${ $p->{r}->($_[0]) } = lowest($p->{ty}); 0 } } }
    return whole_copy() if $k == 10;
    return loop($d) if $k <= 14;
    return alias($d) if $k == 15;
    return chooses($d) if $k == 16 || $k == 17;
    if ($k == 18 && $opt{returns}) { return { t => 'return;', f => sub { 1 } } if chance(30); }
    my ($c, $a, $b) = (condition(1), statements($d - 1), chance(40) ? statements($d - 1) : undef);
    return { t => "if $c->{t} then\n" . indent($a->{t}) . ($b ? "\nelse\n" . indent($b->{t}) : '') . "\nend;",
        f => sub { $c->{f}->($_[0]) ? $a->{f}->($_[0]) : $b ? $b->{f}->($_[0]) : 0 } };
}

sub statements { my ($d) = @_; return block(map { statement($d) } 1 .. 1 + rnd(2)) }

# ---- functions
sub routine {
    my ($name, $params, $locals, $body, $result) = @_;
    my @entries = ((map { place_entry($_->[0], $_->[1], !$_->[2]) } @$params), (map { place_entry($_->[0], $_->[1]) } @$locals));
    my $globals = [@scope];
    my $s = in_scope($body, @entries);
    my $text = ($result ? 'function' : 'procedure') . " $name(" . join('; ', map { ($_->[2] ? 'var ' : '') . "$_->[0] : " . type_text($_->[1]) } @$params) . ')' . ($result ? " : $result->{text}" : '') . ";\n"
        . (@$locals ? 'var ' . join(' ', map { "$_->[0] : " . type_text($_->[1]) . ';' } @$locals) . "\n" : '') . "begin\n" . indent($s->{t}) . "\nend;\n";
    my $run = sub {
        my ($e, @refs) = @_;
        my %own = %{ $S->{base} };
        $own{ $params->[$_][0] } = $refs[$_] for 0 .. $#$params;
        for my $l (@$locals) { my $v = fresh($l->[1]); $own{ $l->[0] } = \$v }
        return $s->{f}->(\%own);
    };
    $procs{$name} = { name => $name, params => $params, run => $run, result => $result, text => $text };
    return $text;
}

sub global { my ($name) = @_; my ($g) = grep { $_->{name} eq $name } @globals; return { t => $name, ty => $g->{ty}, r => sub { $_[0]{$name} } } }
sub field { my ($p, $n) = @_; my ($f) = grep { $_->[0] eq $n } @{ $p->{ty}{fields} }; return { t => "$p->{t}.$n", ty => $f->[1], r => sub { \${ $p->{r}->($_[0]) }->{$n} } } }

sub enumeration { my ($name, @v) = @_; return $types{$name} = { k => 'enum', name => $name, vals => [@v], has => { map { $_ => 1 } @v }, text => 'enum {' . join(', ', @v) . '}' } }
sub scalarset { my ($name, $n) = @_; my @v = map { "$name#$_" } 1 .. $n; return $types{$name} = { k => 'sset', name => $name, vals => [@v], has => { map { $_ => 1 } @v }, text => "scalarset($n)" } }
sub range { my ($name, $lo, $hi) = @_; my @v = ($lo .. $hi); my $t = { k => 'range', name => $name, lo => $lo, hi => $hi, vals => [@v], has => { map { $_ => 1 } @v }, text => "$lo .. $hi" }; $types{$name} = $t; return $t }
sub record { my ($name, @f) = @_; return $types{$name} = { k => 'rec', name => $name, fields => [@f], text => 'record ' . join(' ', map { "$_->[0] : " . type_text($_->[1]) . ';' } @f) . ' end' } }
sub bag { my ($n, $el) = @_; return { k => 'bag', n => $n, el => $el, text => "multiset [$n] of " . type_text($el) } }
sub array { my ($idx, $el) = @_; return { k => 'arr', idx => $idx, el => $el, text => "array [" . type_text($idx) . '] of ' . type_text($el) } }

sub model {
    my ($seed, %o) = @_;
    ($rng, $names, $S) = (($seed * 2654435761) & 0x7FFFFFFF, 0, {});
    rnd(2) for 1 .. 5;
    (%types, %procs) = ();
    (@globals, @scope) = ();
    %opt = (risky => chance(25), returns => chance(30), %o);
    my $n = 2 + chance(30);
    my $boolean = { k => 'bool', name => 'boolean', vals => ['false', 'true'], has => { false => 1, true => 1 } };
    my $P = scalarset('Proc', $n);
    my $V = chance(40) ? scalarset('Value', 2) : undef;
    my $H = enumeration('Home', 'HomeType');
    my @nv = (@{ $H->{vals} }, @{ $P->{vals} });
    my $N = $types{Node} = { k => 'union', name => 'Node', vals => [@nv], has => { map { $_ => 1 } @nv }, text => 'union {Home, Proc}' };
    my $VC = range('VC', 0, rnd(2));
    my $C = range('Cnt', 0, $n);
    my $MT = enumeration('MT', map { "M$_" } 1 .. 2 + rnd(2));
    my $PS = enumeration('PS', map { "P$_" } 1 .. 2);
    my $HS = enumeration('HS', map { "H$_" } 1 .. 2);
    my @msg = (['mtype', $MT]);
    push @msg, ['src', $N] if chance(80);
    push @msg, ['aux', $N] if chance(25);
    push @msg, ['vc', $VC] if chance(30);
    push @msg, ['val', $V] if $V && chance(60);
    push @msg, ['seen', array($P, $boolean)] if chance(12);
    my $M = record('Message', @msg);
    my @home = (['state', $HS]);
    push @home, ['owner', $N] if chance(70);
    my $shr = rnd(4);
    push @home, ['sharers', $shr == 0 ? array($N, $boolean) : bag($n + (chance(50) ? 1 : 0), chance(80) ? $N : $P)] if $shr;
    push @home, ['val', $V] if $V;
    push @home, ['acks', $C] if chance(40);
    push @home, ['inner', record('Inner', ['who', $P], ['q', bag(1 + rnd(2), $MT)])] if chance(15);
    my $HR = record('HomeState', @home);
    my @proc = (['st', $PS]);
    push @proc, ['box', bag(1 + rnd(2), pick($MT, $N, $P, $VC))] if chance(30);
    push @proc, ['peer', pick($P, $N)] if chance(40);
    push @proc, ['mine', array($VC, bag(1, $P))] if chance(12);
    push @proc, ['val', $V] if $V && chance(50);
    my $PR = record('ProcState', @proc);
    my $cap = 1 + rnd(2);
    my $net = chance(75) ? array($N, bag($cap, $M)) : chance(50) ? array($VC, array($N, bag(1, $M))) : bag($cap + 1, $M);
    my @vars = (['Net', $net], ['HomeNode', $HR]);
    push @vars, ['Procs', array($P, $PR)] if chance(85);
    push @vars, ['flag', $boolean] if chance(30);
    push @vars, ['InBox', array(pick($N, $P), $M)] if chance(20);
    push @vars, ['LastWrite', $V] if $V && chance(50);
    push @vars, ['turn', $P] if chance(20);
    push @vars, ['busy', array($N, $boolean)] if chance(15);
    push @globals, { name => $_->[0], ty => $_->[1] } for @vars;
    @scope = map { place_entry($_->[0], $_->[1]) } @vars;

    my $text = "const ProcCount : $n;\ntype\n" . join('', map { my $x = $types{$_}; $x ? "  $_ : $x->{text};\n" : () } qw(Proc Value Home Node VC Cnt MT PS HS Message Inner HomeState ProcState));
    $text .= "var\n" . join('', map { "  $_->{name} : " . type_text($_->{ty}) . ";\n" } @globals);
    $opt{keep_net} = 1;
    $text .= functions($M, $net, $P, $N, $C, $MT, $n);
    $opt{keep_net} = 0;
    $text .= rules($P, $N, $VC, $net);
    return { text => $text, globals => [@globals], start => $o{start_only}, parts => delete $S->{parts}, sorts => [grep { $_ } $P, $V] };
}

sub functions {
    my ($M, $net, $P, $N, $C, $MT, $n) = @_;
    my $text = '';
    # Send: a local message, field by field, with the check for room
    my @params = map { [ "f_$_->[0]", $_->[1], 0 ] } grep { simple($_->[1]) } @{ $M->{fields} };
    unshift @params, ['dst', $N, 0] if $net->{k} eq 'arr' && $net->{idx} == $N;
    unshift @params, (['ch', $types{VC}, 0], ['dst', $N, 0]) if $net->{k} eq 'arr' && $net->{idx} != $N;
    $text .= routine('Send', \@params, [['msg', $M]], sub {
        my ($where, $ref) = ('Net', sub { $_[0]{Net} });
        for my $p (grep { $_->[0] eq 'ch' || $_->[0] eq 'dst' } @params) {
            my ($q, $r) = ($p->[0], $ref);
            my $dom = $p->[1];
            $where .= "[$q]";
            $ref = sub { my $v = ${ $_[0]{$q} }; fault('index') unless defined $v; \${ $r->($_[0]) }->{$v} };
        }
        my $cap = $net->{k} eq 'bag' ? $net->{n} : $net->{el}{k} eq 'bag' ? $net->{el}{n} : $net->{el}{el}{n};
        my @set = map { my $f = $_->[0]; { t => "msg.$f := f_$f;", f => sub { ${ $_[0]{msg} }->{$f} = ${ $_[0]{"f_$f"} }; 0 } } } grep { simple($_->[1]) } @{ $M->{fields} };
        my $put = { t => "MultiSetAdd(msg, $where);", f => sub { my $a = ${ $ref->($_[0]) }; fault('full') if @$a >= $cap; push @$a, copy(${ $_[0]{msg} }); 0 } };
        my $how = rnd($opt{risky} ? 3 : 2);
        my $room = sub { @{ ${ $ref->($_[0]) } } < $cap };
        return block({ t => "if MultiSetCount(i : $where, true) >= $cap then return; end;", f => sub { !$room->($_[0]) } }, @set, $put) if $how == 0;
        return block(@set, { t => "if MultiSetCount(i : $where, true) < $cap then\n" . indent($put->{t}) . "\nend;", f => sub { $room->($_[0]) ? $put->{f}->($_[0]) : 0 } }) if $how == 1;
        return block({ t => "assert MultiSetCount(i : $where, true) < $cap \"room\";", f => sub { fault('assert') unless $room->($_[0]); 0 } }, @set, $put);
    });
    my $home = global('HomeNode');
    my ($sf) = grep { $_->[0] eq 'sharers' } @{ $home->{ty}{fields} };
    if ($sf) {
        my $sh = field($home, 'sharers');
        my $is_bag = is_bag($sh->{ty});
        my $has = sub { my ($e, $v) = @_; my $x = ${ $sh->{r}->($e) }; $is_bag ? grep({ $_ eq $v } @$x) > 0 : do { fault('index') if $v eq '?'; my $y = $x->{$v}; fault('undefined') unless defined $y; $y eq 'true' } };
        my $test = $is_bag ? "MultiSetCount(i : HomeNode.sharers, HomeNode.sharers[i] = n) > 0" : 'HomeNode.sharers[n]';
        $text .= routine('IsSharer', [['n', $N, 0]], [], sub { return { t => "return $test;", f => sub { $has->($_[0], ${ $_[0]{n} } // '?') } } }, { text => 'boolean' });
        if ($is_bag) {
            $text .= routine('AddSharer', [['n', $N, 0]], [], sub {
                my $el = $sh->{ty}{el};
                return { t => "if !isundefined(n)" . ($el == $P ? ' & IsMember(n, Proc)' : '') . " then\n  if !IsSharer(n)" . ($opt{risky} ? '' : " & MultiSetCount(i : HomeNode.sharers, true) < $sh->{ty}{n}") . " then MultiSetAdd(n, HomeNode.sharers); end;\nend;",
                    f => sub { my $v = ${ $_[0]{n} }; return 0 if !defined $v || !$el->{has}{$v} || $has->($_[0], $v); my $a = ${ $sh->{r}->($_[0]) };
                        if (@$a >= $sh->{ty}{n}) { $opt{risky} ? fault('full') : return 0 } push @$a, $v; 0 } };
            });
            $text .= routine('RemoveSharer', [['n', $N, 0]], [], sub {
                return { t => 'MultiSetRemovePred(i : HomeNode.sharers, HomeNode.sharers[i] = n);', f => sub { my $v = ${ $_[0]{n} } // '?'; my $a = ${ $sh->{r}->($_[0]) }; @$a = grep { $_ ne $v } @$a; 0 } } });
        }
        $text .= routine('Count', [], [['c', $C]], sub {
            return { t => "c := 0;\nfor n : Proc do if IsSharer(n) then c := c + 1; end; end;\nreturn c;", f => sub { my ($e) = @_; my $k = 0; for my $v (@{ $P->{vals} }) { $k++ if $has->($e, $v) } $k } } }, { text => 'Cnt' });
    }
    $text .= routine('Broadcast', [['rqst', $N, 0]], [], sub {
        my $d = 1;
        return in_scope(sub { loop($d) }) if chance(40);
        my $x = name('n');
        my $t = pick($N, $N, $P);
        my ($c, $s) = in_scope(sub { (condition(1), block(call(), chance(50) ? statement(0) : ())) }, value_entry($x, $t));
        return { t => "for $x : $t->{name} do\n  if ($x != rqst) & $c->{t} then\n" . indent(indent($s->{t})) . "\n  end;\nend;",
            f => sub { my ($e) = @_; for my $v (@{ $t->{vals} }) { my $w = with($e, $x => $v); next unless $v ne (${ $e->{rqst} } // '?') && $c->{f}->($w); return 1 if $s->{f}->($w) } 0 } };
    });
    $text .= routine('Work', [['m', $M, 0], (chance(50) ? ['n', $N, 0] : ()), (chance(30) ? ['c', $C, 1] : ())], [(chance(40) ? ['l', pick($N, $C, $M)] : ())], sub { statements(2) });
    return $text;
}

sub rules {
    my ($P, $N, $VC, $net) = @_;
    my ($text, @rules, @props) = ('');
    # the start: everything simple that is not an element has a value
    my @init = ({ t => join("\n", map { "clear $_->{name};" } @globals), f => sub { ${ $_[0]{ $_->{name} } } = lowest($_->{ty}) for @globals; 0 } });
    push @init, statement(1) if chance(40);
    my $start = in_scope(sub { block(@init) });
    $text .= "startstate\n" . indent($start->{t}) . "\nend;\n";
    for my $k (1 .. 2 + rnd(3)) {
        my $x = name('p');
        my $t = pick($P, $P, $N, $VC);
        my $has_param = chance(85);
        my ($g, $s) = in_scope(sub { (condition(2), statements(2)) }, $has_param ? value_entry($x, $t) : ());
        $text .= ($has_param ? "ruleset $x : $t->{name} do\n" : '') . "rule \"r$k\" $g->{t} ==>\nbegin\n" . indent($s->{t}) . "\nend;\n" . ($has_param ? "end;\n" : '');
        push @rules, { bindings => sub { $has_param ? map { my %e = (%{ $_[0] }, $x => $_); \%e } @{ $t->{vals} } : ($_[0]) }, guard => $g->{f}, body => $s->{f} };
    }
    # a message is received
    my ($d, $c, $i, $a) = (name('d'), name('c'), name('i'), name('msg'));
    my $is_arr = $net->{k} eq 'arr';
    my $two = $is_arr && $net->{idx} != $N;
    my @q = $two ? ([$c, $VC], [$d, $N]) : $is_arr ? ([$d, $N]) : ();
    my $where = 'Net' . join('', map { "[$_->[0]]" } @q);
    my $ref = sub { my ($e) = @_; my $r = $e->{Net}; $r = \$$r->{ $e->{ $_->[0] } } for @q; $r };
    my $M = $types{Message};
    my @entries = ((map { value_entry(@$_) } @q), { name => $a, ty => $M, is_place => 1, ro => 1, get => sub { $_[0]{$a} } });
    $opt{keep_net} = 1;
    my ($g, $s) = in_scope(sub { (chance(40) ? condition(1) : { t => 'true', f => sub { 1 } }, statements(2)) }, @entries);
    my $drop = { t => "MultiSetRemove($i, $where);", f => sub { my $b = ${ $ref->($_[0]) }; my $gone = $_[0]{gone}; @$b = grep { $_ != $gone } @$b; 0 } };
    my $first = chance(20);
    my $keep = chance(25) ? in_scope(sub { condition(1) }, @entries) : undef;
    my $drop_it = $keep ? { t => "if $keep->{t} then $drop->{t} end;", f => sub { $keep->{f}->($_[0]) ? $drop->{f}->($_[0]) : 0 } } : $drop;
    my @body = ($s, $drop_it);
    my $loc = chance(30) ? name('cp') : undef;    # the message is copied first, and then removed
    my $b = block(@body);
    $text .= "ruleset " . join('; ', map { "$_->[0] : $_->[1]{name}" } @q) . " do\n" if @q;
    $text .= "choose $i : $where do\nalias $a : $where\[$i] do\nrule \"receive\" $g->{t} ==>\nbegin\n" . indent($b->{t}) . "\nend;\nend;\nend;\n" . (@q ? "end;\n" : '');
    push @rules, { bindings => sub {
        my ($e) = @_;
        my @e = ($e);
        for my $q (@q) { @e = map { my $f = $_; map { { (%$f, $q->[0] => $_) } } @{ $q->[1]{vals} } } @e }
        return map { my $f = $_; my $bag = ${ $ref->($f) }; my %seen; map { my $el = $bag->[$_]; my $key = text_of($M, $el, {}); $seen{$key}++ ? () : { (%$f, $a => \$bag->[$_], gone => $el) } } 0 .. $#$bag } @e;
    }, guard => $g->{f}, body => $b->{f} };
    # how a message comes to be
    my $mk = in_scope(sub { my $k = call_of('Send') }, value_entry('pp', $P));
    $text .= "ruleset pp : Proc do\nrule \"send\" true ==>\nbegin\n" . indent($mk->{t}) . "\nend;\nend;\n";
    push @rules, { bindings => sub { my ($e) = @_; map { { (%$e, pp => $_) } } @{ $P->{vals} } }, guard => sub { 1 }, body => $mk->{f} };
    for my $k (1 .. (chance(30) ? 1 : 0)) {
        my $c = condition(2);
        $text .= "invariant \"i$k\" $c->{t};\n";
        push @props, { name => "i$k", f => $c->{f} };
    }
    $S->{parts} = { start => $start->{f}, rules => \@rules, props => \@props };
    return $text;
}

sub call_of {
    my ($name) = @_;
    my %all = %procs;
    %procs = ($name => $all{$name});
    my $c = call();
    %procs = %all;
    return $c;
}

# ---- exploration

sub permutations { my (@x) = @_; return [] unless @x; return map { my $i = $_; map { [$x[$i], @$_] } permutations(@x[grep { $_ != $i } 0 .. $#x]) } 0 .. $#x }

sub renamings {
    my (@sorts) = @_;
    my @all = ({});
    for my $s (@sorts) {
        my @v = @{ $s->{vals} };
        @all = map { my $r = $_; map { my $p = $_; my %new = %$r; @new{@v} = @$p; \%new } permutations(@v) } @all;
    }
    return @all;
}

sub key_of { my ($m, $s, $p) = @_; return join '|', map { text_of($_->{ty}, $s->{ $_->{name} }, $p) } @{ $m->{globals} } }

sub env_of { my ($s) = @_; my %e = map { my $n = $_; $n => \$s->{$n} } keys %$s; return \%e }

# Runs what may fail: (1, ended or not), or (0) for a fault.
sub attempt { my ($f, $e) = @_; my $r = eval { $S->{base} = { map { $_ => $e->{$_} } @{ $S->{names} } }; $f->($e); }; if ($@) { die $@ unless ref $@; return (0, $@->{fault}) } return (1, $r) }

# All states: {states, orbits => sub(sorts), verdict, depth, why}; stops at the first violation, level by level.
sub explore {
    my ($m, $most) = @_;
    $S = { names => [map { $_->{name} } @{ $m->{globals} }] };
    my $parts = $m->{parts};
    my $s = { map { $_->{name} => fresh($_->{ty}) } @{ $m->{globals} } };
    my ($ok, $why) = attempt($parts->{start}, env_of($s));
    return { verdict => 'violated', depth => 0, why => "start: $why" } unless $ok;
    my (%seen, @level, @all);
    $seen{ key_of($m, $s, {}) } = 1;
    @level = ($s);
    push @all, $s;
    my $depth = 0;
    while (@level) {
        for my $x (@level) {
            for my $p (@{ $parts->{props} }) {
                my $y = copy($x);
                my ($good, $holds) = attempt($p->{f}, env_of($y));
                return { verdict => 'violated', depth => $depth, why => $p->{name} . ($good ? '' : ": $holds"), states => scalar @all } unless $good && $holds;
            }
        }
        my @next;
        my $bad;
        for my $x (@level) {
            my $moves = 0;
            my $from = key_of($m, $x, {});
            for my $r (@{ $parts->{rules} }) {
                my $probe = copy($x);
                my @b = $r->{bindings}->(env_of($probe));
                for my $k (0 .. $#b) {
                    my $y = copy($x);
                    my $e = ($r->{bindings}->(env_of($y)))[$k];
                    my ($good, $is) = attempt($r->{guard}, $e);
                    if (!$good) { $bad //= "guard: $is"; next }
                    next unless $is;
                    my $before = key_of($m, $y, {});
                    my ($fine, $say) = attempt($r->{body}, $e);
                    if (!$fine) { $bad //= $say; next }
                    my $key = key_of($m, $y, {});
                    $moves = 1 if $key ne $from;
                    next if $seen{$key}++;
                    push @next, $y;
                    push @all, $y;
                    return { too_many => 1 } if @all > $most;
                }
            }
            return { verdict => 'violated', depth => $depth, why => 'deadlock', states => scalar @all } if !$moves && !$bad;
        }
        return { verdict => 'violated', depth => $depth + 1, why => $bad, states => scalar @all } if $bad;
        @level = @next;
        $depth++;
    }
    my $orbits = sub { my (@sorts) = @_; my @r = renamings(@sorts); my %o; for my $x (@all) { my ($least) = sort map { key_of($m, $x, $_) } @r; $o{$least} = 1 } return scalar keys %o };
    return { verdict => 'holds', states => scalar @all, orbits => $orbits };
}

1;
