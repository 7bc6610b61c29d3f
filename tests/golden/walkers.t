#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# walkers: who goes through expressions or statements by functions that call themselves, and why model/walk does not
# serve there. Questions about a model ("does anything below read f?") are asked with model/walk, which is linear
# whatever is shared. What recurses is in the table below with its reason; something new that is not there fails, and
# so does a line about what is gone. One name stands for all functions that call each other in a circle.
use strict;
use warnings;
use Test::More;

my %reasons = (
    meaning => 'gives every kind of node a meaning of its own (evaluates, translates, prints), large shared ones once',
    flow    => 'follows statements in the order in which they run, with what is known at each point',
    rebuild => 'makes statements anew from those below them',
    pair    => 'goes through two at once, as far as they agree',
    outside => 'goes along the outside (quantifiers, junctions, premises), as far as that has a certain shape',
    kept    => 'keeps its answers from one question to the next',
    bounded => 'counts its steps, or asks for the size of the tree before, and gives up where that is much',
    text    => 'goes along a text that is read or written, in which nothing is shared',
    others  => 'does not go into the expression: into bindings, members, indices or the arguments of a function',
);

my %table = (
    # model
    eval_value_of => 'meaning', eval_run => 'flow', print_at => 'meaning', print_long => 'meaning',
    print_one => 'text', is_empty => 'text', kleene => 'meaning', fold_once => 'meaning',
    rewrite_node => 'meaning', expr_subst => 'meaning', nnf => 'meaning', expr_gather => 'outside', execute => 'flow',
    stmt_replace => 'rebuild', take_apart => 'rebuild', in_text_order => 'rebuild', stmt_count_tree => 'kept',
    reads_some => 'kept', copies_replace => 'rebuild', scan => 'flow',
    # pass
    simplify_stmt => 'rebuild', where_of => 'meaning', effects_run => 'flow', effects_read => 'meaning',
    find_covers => 'outside', is_surely => 'bounded', is_fixed_here => 'kept', only_asks => 'bounded',
    only_tests => 'bounded', is_steady => 'bounded', effects_learn => 'bounded', local_use_note_stmt => 'flow',
    slot_use_walk => 'flow', has_constant => 'kept', look_at_stmt => 'flow', body_without => 'rebuild',
    counters_follow => 'flow', begin_stmt => 'flow',
    is_done_always => 'outside', round_flatten => 'outside', choose_in => 'rebuild', values_where => 'bounded',
    end_stmt => 'flow', find_certain => 'outside', restate_stmt => 'rebuild', read_below => 'bounded',
    read_stmt => 'flow', leave_out_dependents => 'flow', relevant_look_at => 'flow', trip_flatten => 'outside',
    name_elements => 'outside',
    # logic, infer
    formula_literal => 'meaning', concrete => 'meaning', ground_touched => 'kept', matrix_gather => 'bounded',
    matrix_build => 'bounded', plain_part => 'meaning', z3_translate => 'meaning', finite_value => 'meaning',
    admit_stmt => 'rebuild', term => 'meaning', formula => 'meaning', sample_eval => 'meaning',
    assumption_of => 'outside', compare_shape => 'pair', provenance_shape => 'bounded', ways_to_hold => 'bounded',
    cuts_atom => 'bounded', cuts_open => 'bounded', walked_some_one => 'bounded',
    # space, explore, cmp, zone
    lower_scalar => 'meaning', lower_stmt => 'flow', is_separable => 'outside', body_expr => 'bounded',
    body_stmt => 'meaning', body_note => 'kept', each_premise => 'bounded', mark_counters => 'flow',
    translate_bool => 'meaning', body_statement => 'flow', rest_rounds => 'flow', mirror_stmt => 'rebuild',
    is_false_from => 'others', bounds_find_moves => 'flow', stmt_shape => 'meaning', same_stmt => 'pair',
    hash_stmt => 'meaning', put_image => 'rebuild', image_of => 'meaning', compare_exprs => 'pair',
    compare_stmts => 'pair',
    # front, certificate, report
    murphi_lower => 'text', murphi_run => 'flow', add_reaches => 'others',
    drop_undefined => 'flow', pv_check_covers => 'flow', pv_stmt_lower_stmt => 'text', pyv_rule_split => 'bounded',
    table_of => 'kept', xexpr => 'text', narrow => 'text', narrow_comparison => 'text',
    xclock_split => 'text', write_leaves => 'others', write_expr => 'meaning', murphi_put => 'meaning',
    murphi_put_stmt => 'text', words_put => 'bounded', has_twin => 'bounded', add_excluded => 'bounded',
    is_simple => 'bounded',
    # of syntax trees
    declared_in => 'text', written_in_expr => 'text', is_of_constants => 'text', all_literals => 'text',
    needs_hint => 'text', read_literals => 'text', check_argument => 'text', has_rate => 'text', names_expr => 'text',
    names_collect_expr => 'text', names_collect_stmt => 'text', names_stmt => 'text', pyv_take_literals => 'text',
    # from one argument to the next
    store_at => 'others', choices_apply => 'others', add_answers => 'others', vocabulary_apply => 'others',
    map_cells => 'others', fill_from => 'others', choose_slots => 'others', diagram_word => 'others',
    words_of_func => 'others', terms_fill => 'others', small_add_places => 'others', instantiate => 'others',
);

sub code_only {
    my ($text) = @_;
    $text =~ s{(//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')}{}gs;
    $text =~ s/^\s*#(?:[^\n]*\\\n)*[^\n]*//gm;
    return $text;
}

# name => {over: has an expression or a statement for a parameter, body}
sub functions {
    my ($text) = @_;
    my %found;
    my $code = code_only($text);
    while ($code =~ /^[A-Za-z_][\w\h*]*?\b(\w+)\h*\(((?:[^(){};]|\([^(){};]*\))*)\)\s*\{(?:([^\n]*)\}$|(.*?)^\})/gms) {
        my ($name, $params, $body) = ($1, $2, $3 // $4);
        my $is_over = $params =~ /(?:^|,)\s*(?:(?:expr|expr_info)\s+\w|(?:const\s+expr(?:_info)?|(?:const\s+)?stmt)\s*\*)/
            || ($body =~ /\b(?:nargs|norelse|nbody)\b|\bargs\[/ && $body =~ /\b\Q$name\E\(/);
        $found{$name} = {over => $is_over, body => $body};
    }
    return %found;
}

# Lists of names that call each other in a circle and of which one is over expressions or statements.
sub circles {
    my (%f) = @_;
    my %calls;
    for my $name (keys %f) {
        my @called = $f{$name}{body} =~ /(?<![.>\w])(\w+)\(/g;
        push @called, $name if $f{$name}{body} =~ /[(,] ?\Q$name\E[,)]/;  # handed on to be called
        $calls{$name} = {map { $_ => 1 } grep { $f{$_} } @called};
    }
    my ($n, @stack, %number, %low, %on, @out) = (0);
    my $visit;
    $visit = sub {
        my ($v) = @_;
        $number{$v} = $low{$v} = $n++;
        push @stack, $v;
        $on{$v} = 1;
        for my $w (sort keys %{$calls{$v}}) {
            if (!defined $number{$w}) { $visit->($w); $low{$v} = $low{$w} if $low{$w} < $low{$v} }
            elsif ($on{$w}) { $low{$v} = $number{$w} if $number{$w} < $low{$v} }
        }
        return if $low{$v} != $number{$v};
        my @circle;
        do { push @circle, pop @stack; $on{$circle[-1]} = 0 } while ($circle[-1] ne $v);
        push @out, [sort @circle] if (@circle > 1 || $calls{$v}{$v}) && grep { $f{$_}{over} } @circle;
    };
    no warnings 'recursion';
    for my $v (sort keys %f) { $visit->($v) if !defined $number{$v} }
    return @out;
}

# What is wrong with a table, given the circles.
sub complaints {
    my ($names, @circles) = @_;
    my %left = map { $_ => 1 } keys %$names;
    my @found;
    for my $circle (@circles) {
        my @named = grep { $names->{$_} } @$circle;
        delete @left{@named};
        push @found, "@$circle: asks by recursion; use model/walk, or say why not in tests/golden/walkers.t" if !@named;
    }
    return (@found, map { "$_: is in the table and does not recurse" } sort keys %left);
}

my %example = functions(<<'END');
static bool reads(const model *m, expr e) {
    if (e.id) return true;
    return parts(m, e);  // reads()
}
static bool parts(const model *m, expr e) { return reads(m, e); }
static int count(int n) { return n ? count(n - 1) : 0; }
static void plain(const stmt *s) { puts("plain(s)"); reads(0, s->cond); }
static void run(const stmt *s) {
    run(s->body[0]);
}
END
my @example = circles(%example);
is_deeply(\@example, [['parts', 'reads'], ['run']], 'self-check: finds what calls itself over the model');
my @told = complaints({run => 'flow', plain => 'flow'}, @example);
is(scalar @told, 2, 'self-check: tells what is missing and what is gone');

my %all;
for my $file (sort glob 'src/*/*.[ch] src/*/*/*.[ch]') {
    open my $in, '<:encoding(UTF-8)', $file or die "$file: $!\n";
    local $/;
    %all = (%all, functions(scalar <$in>));
}
cmp_ok(scalar(keys %all), '>', 5000, 'there are functions');
is_deeply([grep { !$reasons{$table{$_}} } sort keys %table], [], 'every reason is one of those above');
my @wrong = complaints(\%table, circles(%all));
ok(!@wrong, 'whoever goes through the model by recursion has a reason') or diag(join "\n", @wrong);
done_testing;
