#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
#
# page: what --report writes, looked at with a real browser (tests/Browser.pm). Every kind of page is opened and stepped
# through: what it shows is compared with what --json --full-states says, nothing is said on the console, nothing is
# asked of the network. Screenshots at three widths, in light, dark and on paper, are left in build/pages for a person.
# Without a browser only what needs none is tested, and the test says so.
use strict;
use warnings;
use utf8;
use Encode ();
use Cwd qw(getcwd);
use JSON::PP;
use Test::More;
use Time::HiRes qw(time);
use lib 'tests';
use Golden qw($parvis $tmp read_file write_file run answer);
use Browser;
use Schema qw(schema_problems);

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output);

my $shots = ($ENV{O} // 'build') . '/pages';
mkdir $shots;
my $browser = Browser->new($tmp);
diag('no browser (chromium): pages are written, but not looked at') unless $browser;

# Writes the page of a command; its text and exit code. What is in it is what the schema says, and nothing else.
my %only_pages = map { $_ => 1 } qw(arguments commit exit_code sources);
sub page {
    my ($name, @command) = @_;
    my $out = "$tmp/$name.html";
    my ($said, $code) = run(map({ quotemeta } @command), '-q', '--report', quotemeta $out);
    my $object = -s $out && -s $out < 2_000_000 ? embedded($out) : {};
    delete $object->{$_} for keys %only_pages;
    is(join("\n", %$object ? schema_problems($object, 1) : ()), '', "$name: as the schema says");
    return ($out, $code, $said);
}

# The object in a page.
sub embedded {
    my ($file) = @_;
    my ($json) = read_file($file) =~ m{<script type="application/json" id="answer">(.*?)</script>}s;
    return decode_json($json);
}

sub shots {
    my ($name) = @_;
    for my $width (1400, 900, 420) { $browser->shot("$shots/$name-$width.png", $width) }
    $browser->media('dark');
    $browser->shot("$shots/$name-dark.png", 1400);
    $browser->media('light');
    $browser->size(1400, 900);
}

sub quiet { my ($what) = @_; my @p = $browser->problems; is("@p", '', "$what: no message, no request") }

# What the state tables show: cell to text.
my $cells = <<'END';
Object.fromEntries([...document.querySelectorAll(".now td[data-cell]")].map(td => {
  const copy = td.cloneNode(true);
  copy.querySelectorAll("del").forEach(d => d.remove());
  const spoken = copy.querySelector(".unseen");
  return [td.dataset.cell, (spoken || copy).textContent.trim()];
}))
END

sub plain { my ($v) = @_; return !defined $v ? '–' : JSON::PP::is_bool($v) ? ($v ? 'true' : 'false') : "$v" }

# Steps through a run from its beginning; compares state and changed cells with the trace.
sub step_through {
    my ($what, $file, $trace, $number) = @_;
    ok($browser->open("$file#" . ($number ? "trace=$number&" : '') . 'step=0'), "$what: it opens");
    my $wrong = '';
    my %before = map { $_ => plain($trace->{initial}{$_}) } keys %{ $trace->{initial} };
    is_deeply($browser->eval($cells), \%before, "$what: the initial state");
    for my $i (1 .. @{ $trace->{steps} }) {
        my $step = $trace->{steps}[$i - 1];
        $browser->key('ArrowRight');
        my %want = $step->{refused} ? %before : map { $_ => plain($step->{state}{$_}) } keys %{ $step->{state} };
        my $seen = $browser->eval($cells);
        my $changed = $browser->eval('[...document.querySelectorAll(".now td.changed[data-cell]")].map(td => td.dataset.cell).sort()');
        my @differ = sort grep { $want{$_} ne $before{$_} } keys %want;
        $wrong ||= "step $i" if join('|', map { "$_=" . ($seen->{$_} // '?') } sort keys %want) ne join('|', map { "$_=$want{$_}" } sort keys %want);
        $wrong ||= "changes of step $i: @$changed, not @differ" if "@$changed" ne "@differ";
        $wrong ||= "row of step $i" if $browser->eval('document.querySelector(".row.now").dataset.step') != $i;
        %before = %want;
    }
    is($wrong, '', "$what: state and changes after each of " . @{ $trace->{steps} } . ' steps');
    my $n = @{ $trace->{steps} };
    $browser->key('Home');
    is($browser->eval('document.querySelector(".controls input").value'), 0, "$what: Home");
    $browser->key('End');
    is($browser->eval('document.querySelector(".controls input").value'), $n, "$what: End");
    quiet($what);
}

# ---- a counterexample

my @swapped = ('check', 'models/tm/tl2_swapped.pv', '--size', 'Thread=2,Loc=1', '-p', 'opaque');
my ($file, $code, $said) = page('counterexample', @swapped);
is($code, 1, 'the exit code is that of the answer');
is($said, "opaque: violated for Thread=2, Loc=1\n", 'and so is the text');
my $text = read_file($file);
like($text, qr/default-src 'none'; style-src 'sha256-[\w+\/]{43}='; script-src 'sha256-[\w+\/]{43}='/, 'a policy that names one style and one script');
unlike($text, qr/https?:(?!\/\/www\.w3\.org\/2000\/svg)|unsafe-inline/, 'no address of another place');
my $object = embedded($file);
my $whole = answer(@swapped, '--full-states');
is($object->{verdict}, 'violated', 'the answer is in it');
is_deeply($object->{arguments}[0], 'parvis', 'and the command');
is($object->{sources}[0]{text}, Encode::decode_utf8(read_file('models/tm/tl2_swapped.pv')), 'and the model');
is($whole->{trace}{order}{sentence}, 'T1 read Loc 1 before T2 committed its write of it, and T2 committed its write of Loc 1 before T1 committed its own: T1 → T2 → T1',
   'the refusal is explained');
my ($json) = answer(@swapped, '--report', "$tmp/json.html");
is($json->{verdict}, 'violated', '--json and --report together');
ok(-s "$tmp/json.html", 'a page beside it');

my @range = ('check', 'models/tm/occ.pv', '--size', 'Thread=1..2,Loc=1');
is_deeply([map { map { !!$_->{trace} } @{ $_->{properties} } } @{ answer(@range, '--report', "$tmp/range.html")->{runs} }],
          [map { map { !!$_->{trace} } @{ $_->{properties} } } @{ answer(@range)->{runs} }], 'a page takes nothing from the answer');

my ($out, $bad) = run(@swapped, '-q', '--report', "$tmp/none/x.html");
is($bad, 2, 'a page that cannot be written is a mistake');
like($out, qr{cannot write '.*none/x.html'}, 'which is said');
run('check', "$tmp/missing.pv", '--report', "$tmp/missing.html");
ok(!-e "$tmp/missing.html", 'where there is no answer there is no page');

if ($browser) {
    step_through('counterexample', $file, $whole->{trace});
    is($browser->eval('document.querySelectorAll(".order .edge.on").length'), 2, 'the cycle is drawn');
    like($browser->eval('document.querySelector(".now .excerpt .here").textContent'), qr/action commit\(t: Thread\)/, 'the line that fired');
    is($browser->eval('document.querySelector("h1").textContent'), 'opaque is violated for Thread=2, Loc=1', 'the headline');
    $browser->eval('document.querySelector(".edges .to").click()');
    is($browser->eval('document.querySelector(".row.now").dataset.step'), 1, 'an edge leads to its step');
    $browser->open("$file#step=7");
    is($browser->eval('document.querySelector(".row.now").dataset.step'), 7, 'an address with a step');
    is($browser->eval('[...document.querySelectorAll(".part")].map(p => p.querySelector("h4").firstChild.textContent).join()'), 'TL2Swapped,Opacity', 'system and specification apart');
    shots('counterexample');
    # After a frame or two: the page hears of the system's wish with the next one.
    my $paper = 'new Promise(r => setTimeout(() => requestAnimationFrame(() => r(getComputedStyle(document.querySelector("section")).backgroundColor)), 50))';
    my $light = $browser->eval($paper);
    $browser->media('dark');
    my $dark = $browser->eval($paper);
    isnt($dark, $light, 'dark where the system prefers it');
    $browser->eval('document.querySelector(".theme").click()');
    is($browser->eval($paper), $light, 'and light where the reader wants it');
    $browser->eval('document.querySelector(".theme").click()');
    $browser->media('light');
    is($browser->eval($paper), $dark, 'which stays, whatever the system says then');
    $browser->media('print');
    is($browser->eval($paper), 'rgb(255, 255, 255)', 'paper is light');
    $browser->shot("$shots/counterexample-print.png", 800);
    ok(length($browser->pdf) > 10_000, 'it goes on paper');
    $browser->media('light');
}

# ---- several properties, a range of sizes, rules that never fire

my ($several) = page('several', @range);
if ($browser) {
    ok($browser->open($several), 'several properties');
    is($browser->eval('document.querySelectorAll("#properties tbody tr").length'), 2, 'a table of them');
    is($browser->eval('document.querySelectorAll("#run .bars tbody tr").length > 2'), JSON::PP::true, 'growth over sizes');
    is($browser->eval('document.querySelector(".transaction.refused .end").textContent'), 'read refused', 'what is refused is a read');
    quiet('several');
    shots('several');
}

my $never = write_file('never.pv', "system N {\n  var x: 0..3 = 0\n  action up() when x < 3 { x := x + 1 }\n  action dead() when x > 3 { x := 0 }\n  invariant small: x <= 3\n}\n");
my ($fires) = page('never', 'check', $never);
if ($browser) {
    ok($browser->open($fires), 'a page without a run');
    is($browser->eval('document.querySelector("tr.never th").textContent'), 'dead', 'a rule that never fired is marked');
    quiet('never');
    shots('never');
}

# ---- proofs

my ($proved, $proved_code) = page('proof', qw(prove models/tm/tpl.pv --property opaque));
is($proved_code, 0, 'a proof');
my ($opaque) = @{ embedded($proved)->{properties} };
my ($lemma) = grep { $_->{formula} eq 'forall t: Thread, v: Loc. Opacity.ws(t, v) -> ws(t, v)' } @{ $opaque->{lemmas} };
is($lemma->{words}, 'For every Thread t and every Loc v: if `Opacity.ws(t, v)`, then `ws(t, v)`', 'a lemma in words');
is(join(' ', map { ($_->{holds} ? '' : '!') . $_->{text} } @{ $lemma->{rules_out} }), 'Opacity.ws(t, v) !ws(t, v)', 'what it excludes');
is_deeply($lemma->{rules_out}[0], { text => 'Opacity.ws(t, v)', holds => JSON::PP::true, function => 'Opacity.ws', arguments => ['t', 'v'], sorts => ['Thread', 'Loc'] }, 'cell by cell');
my ($pending) = grep { $_->{formula} eq 'forall t: Thread. !Opacity.pend(t)' } @{ $opaque->{lemmas} };
is("@{ $pending->{rules} }", 'read write', 'that nothing is pending matters where a transaction begins: at reads and writes');
if ($browser) {
    ok($browser->open($proved), 'a proof opens');
    is($browser->eval('document.querySelectorAll(".lemmas .lemma").length'), scalar @{ $opaque->{lemmas} }, 'every lemma is there');
    is($browser->eval('document.querySelectorAll(".needs-matrix .on").length'), scalar(map { @{ $_->{rules} // [] } } @{ $opaque->{lemmas} }), 'the matrix has a mark for each need');
    is($browser->eval('[...document.querySelectorAll(".lemma")].filter(l => l.querySelector(".small-state")).length'), scalar @{ $opaque->{lemmas} }, 'what each excludes is drawn');
    is($browser->eval('(() => { const l = [...document.querySelectorAll(".lemma")].find(l => l.textContent.includes("forall t: Thread, v: Loc. Opacity.ws(t, v) -> ws(t, v)")); return [...l.querySelectorAll(".small-state td")].map(td => td.dataset.cell + " " + (td.querySelector(".unseen") || td).textContent).join(", "); })()'),
       'Opacity.ws(t,v) true, ws(t,v) false', 'as a small state');
    quiet('proof');
    shots('proof');
}

# By hand: what a lemma forbids is its negation. Two choices of the same name are not one: nothing is said then.
my $shapes = write_file('shapes.pv', <<'END');
sort S
system Shapes {
  rel p(S), q(S), r(S, S)
  action up(a: S) { p(a) := true; q(a) := true }
  action pair(a, b: S) when p(a) & q(b) { r(a, b) := true }
  invariant implies: forall a, b: S. r(a, b) -> p(a) & q(b)
  invariant either: forall a: S. p(a) & q(a) | !p(a)
  invariant some: forall a: S. (exists b: S. r(a, b)) -> p(a)
  invariant twins: forall a: S. (forall b: S. !r(a, b)) | (exists b: S. r(a, b) & q(b))
}
END
my ($formulas) = page('shapes', 'prove', $shapes, '--given');
my %excluded;
for my $l (map { @{ $_->{lemmas} } } @{ embedded($formulas)->{properties} }) {
    $excluded{ $l->{name} } = !$l->{rules_out} ? 'nothing' : join ', ', map { ($_->{holds} ? '' : 'not ') . $_->{text} } @{ $l->{rules_out} } if $l->{name};
}
is_deeply(\%excluded, { implies => 'r(a, b), not p(a) & q(b)', either => 'not p(a) & q(a), p(a)', some => 'r(a, b), not p(a)', twins => 'nothing' }, 'what lemmas exclude')
    or diag(explain(\%excluded));

my ($stuck, $stuck_code, $stuck_said) = page('unknown', 'prove', 'models/tm/tl2_split.pv', '--property', 'opaque', '--limit-cpu', '700ms');
is($stuck_code, 3, 'no proof in time');
if ($browser) {
    ok($browser->open($stuck), 'its page opens');
    quiet('unknown');
    shots('unknown');
}
run('prove', 'models/tm/tpl.pv', '--property', 'opaque', '-q', '--certificate', "$tmp/tpl.cert");
my ($again, $again_code) = page('recheck', 'recheck', "$tmp/tpl.cert");
is($again_code, 0, 'a certificate');
if ($browser) {
    ok($browser->open($again), 'its page opens');
    like($browser->eval('document.querySelector("#recheck").textContent'), qr/opaque.*confirmed.*z3/, 'what was confirmed, and by whom');
    is($browser->eval('document.querySelector("h1").textContent'), 'tpl.cert is confirmed', 'the headline');
    is($browser->eval('document.querySelectorAll("#recheck .confirmed-lemmas li").length'), scalar(grep { $_->{needed} } @{ $opaque->{lemmas} }), 'and the lemmas of the proof');
    quiet('recheck');
    shots('recheck');
}

# ---- answers that are hardly any: a run without a step, a search that was cut off, the premises of the reduction

my $wrong = write_file('wrong.pv', "sort T\nsize T = 20\nsystem W {\n  rel p(T)\n  action a(t: T) { p(t) := true }\n  invariant never: !(forall t: T. !p(t))\n}\n");
my $many = write_file('many.pv', "sort T\nsize T = 20\nsystem M {\n  rel p(T)\n  action a(t: T) when !p(t) { p(t) := true }\n  invariant few: exists t: T. !p(t)\n}\n");
my %hardly = (start => ['check', $wrong], many => ['check', $many], cut => ['check', 'models/tm/tl2.pv', '--limit-states', '100'],
              structural => ['check', 'models/tm/seq.pv', '--structural', '--size', 'Thread=1,Loc=1', '--longest', '2']);
for my $name (sort keys %hardly) {
    my ($at) = page($name, @{ $hardly{$name} });
    next unless $browser;
    ok($browser->open($at), "$name: it opens");
    quiet($name);
}
if ($browser) {
    $browser->open("$tmp/many.html");
    is($browser->eval('document.querySelectorAll(".row.head .title").length'), 1, 'twenty threads that all move have one column');
}

# ---- loops

my @live = ('check', 'models/tm-algorithms/dstm.pv', '--size', 'Thread=2,Loc=1');
my ($loops) = page('loop', @live);
my ($lasso) = grep { $_->{trace} && defined $_->{trace}{loop} } @{ embedded($loops)->{properties} };
ok($lasso, 'a property that is violated by a loop');
if ($browser) {
    my $i = 0;
    for my $p (grep { $_->{trace} } @{ embedded($loops)->{properties} }) { $i++; last if defined $p->{trace}{loop} }
    $browser->open("$loops#trace=$i&step=1");
    is($browser->eval('document.querySelectorAll(".lasso .spot").length > 1'), JSON::PP::true, 'stem and ring');
    quiet('loop');
    shots('loop');
}

# ---- timed runs

my @gate = ('check', 'models/timed/train_gate.xta', '--query', 'E<> Train(0).Cross and Train(1).Stop', '--query', 'A[] Gate.len <= 3');
my ($timed) = page('timed', @gate);
my ($crossing) = @{ embedded($timed)->{properties} };
is_deeply($crossing->{trace}{clocks}, [map { "Train($_).x" } 0 .. 3], 'the clocks of a timed run');
# By the model's own text: these edges set the train's clock, the others do not.
my %sets = map { $_ => 1 } 'Safe Appr', 'Appr Cross', 'Stop Start', 'Start Cross';
my (@clock, $off) = (0) x 4;
for my $step (map { @{ $_->{trace}{steps} } } $crossing) {
    $_ += $step->{delay} for @clock;
    for my $c (@{ $step->{changes} }) { $clock[$1] = 0 if $c->{cell} =~ /^Train\((\d)\)$/ && $sets{"$c->{from} $c->{to}"} }
    $off ||= "$step->{text}: @{ $step->{clocks} }, not @clock" if "@{ $step->{clocks} }" ne "@clock";
}
is($off, undef, 'their values after each step');
if ($browser) {
    my $full = answer(@gate, '--full-states');
    step_through('timed', $timed, $full->{properties}[0]{trace}, 1);
    is($browser->eval('document.querySelectorAll(".timed .event").length'), scalar @{ $crossing->{trace}{steps} }, 'a mark for each step');
    is($browser->eval('document.querySelector("td[data-clock=\'Train(1).x\']").textContent'), $clock[1], 'clock values are shown');
    my $even = $browser->eval('document.querySelector(".timed").getAttribute("width")');
    $browser->eval('document.querySelector(".switch input").click()');
    isnt($browser->eval('document.querySelector(".timed").getAttribute("width")'), $even, 'true distances in time');
    $browser->open($timed);
    is($browser->eval('document.querySelector("#trace-title").textContent'), 'The counterexample of A[] Gate.len <= 3', 'what is violated comes first');
    $browser->open("$timed#trace=2&step=5");
    quiet('timed');
    shots('timed');
}

# ---- a walk

my $walked = `echo 'random 5 3' | $parvis simulate models/tm/occ.pv --property opaque --full-states --json 2> /dev/null`;
is(scalar(grep { $_->{state} } @{ decode_json($walked)->{trace}{steps} }), 5, 'a walk has its states with --full-states');

# ---- comparisons, automata, graphs

my ($compared, $compared_code) = page('comparison', qw(compare models/specs/strict_serializability.pv models/specs/opacity.pv --size), 'Thread=2,Loc=1');
is($compared_code, 1, 'a comparison');
if ($browser) {
    ok($browser->open($compared), 'it opens');
    is($browser->eval('document.querySelector(".separating").textContent'), 'r1_1 w1_2 c_2 r1_1', 'the separating word');
    is($browser->eval('document.querySelectorAll(".order .edge.on").length'), 2, 'and why the second refuses it');
    quiet('comparison');
    shots('comparison');
}

my @seq = ('minimize', 'models/tm/seq.pv', '--size', 'Thread=2,Loc=1');
my ($minimal) = page('automaton', @seq);
my $automaton = embedded($minimal)->{graph};
is(scalar(map { @{ $_->{labels} } } @{ $automaton->{edges} }), answer(@seq)->{minimal_transitions}, 'every step of the automaton is there, parallel ones together');
my $has_dot = grep { -x "$_/dot" } split /:/, $ENV{PATH};
diag('no Graphviz: automata are tables') unless $has_dot;
is(defined $automaton->{places}, !!$has_dot, 'it is laid out where Graphviz is installed');
{
    local $ENV{PATH} = "$tmp/empty";
    my $out = "$tmp/table.html";
    system $parvis, @seq, '-q', '--report', $out;
    is(embedded($out)->{graph}{places}, undef, 'and not where it is missing');
    ok($browser->open($out), 'that page opens') if $browser;
    is($browser->eval('document.querySelectorAll(".steps-table tbody tr").length'), scalar @{ $automaton->{edges} }, 'with a table') if $browser;
}
if ($browser) {
    ok($browser->open($minimal), 'an automaton opens');
    is($browser->eval('document.querySelector("h1").textContent'), 'Seq: minimal automaton of 3 states for Thread=2, Loc=1', 'what it is of');
    if ($has_dot) {
        my $width = '+document.querySelector(".automaton").getAttribute("width")';
        my $whole = $browser->eval($width);
        ok($browser->eval("document.querySelector('.graph-area').scrollWidth <= document.querySelector('.graph-area').clientWidth"), 'a small one is seen whole');
        $browser->eval('document.querySelector(".zoom button[title=larger]").click()');
        ok($browser->eval($width) > $whole, 'it can be made larger');
        $browser->eval("document.querySelector('.zoom button[title=larger]').click()") for 1 .. 4;
        $browser->media('print');
        ok($browser->eval('document.querySelector(".automaton").getBoundingClientRect().right <= document.querySelector(".graph-area").getBoundingClientRect().right'), 'on paper it is whole');
        $browser->media('light');
    }
    is($browser->eval('document.querySelectorAll(".automaton .vertex").length'), 3, 'its states are drawn') if $has_dot;
    $browser->eval('document.querySelector(".vertex").dispatchEvent(new MouseEvent("click", { bubbles: true }))') if $has_dot;
    is($browser->eval('document.querySelectorAll(".arc.picked").length'), scalar(grep { $_->{from} == 0 || $_->{to} == 0 } @{ $automaton->{edges} }), 'a state shows its steps') if $has_dot;
    quiet('automaton');
    shots('automaton');
}
my ($states) = page('graph', qw(show models/tm/tpl.pv --dot --size), 'Thread=2,Loc=1');
my ($listing) = page('text', qw(show models/tm/tpl.pv));
if ($browser) {
    $browser->open($listing);
    is($browser->eval('document.querySelector("h1").textContent'), 'tpl.pv', 'a model that is only shown has no verdicts');
    ok(!$browser->eval('!!document.querySelector("#properties")'), 'and no table of them');
}
my ($walk) = page('walk', qw(simulate models/tm/tl2_swapped.pv --replay), write_file('bug.json', encode_json($whole->{trace})));
if ($browser) {
    for my $p (['graph', $states, '#graph'], ['text', $listing, '#text .code'], ['walk', $walk, '#trace .row.refused']) {
        ok($browser->open($p->[1]), "$p->[0]: it opens");
        ok($browser->eval("!!document.querySelector('$p->[2]')"), "$p->[0]: what it is about");
        quiet($p->[0]);
        shots($p->[0]);
    }
}

# ---- expectations

write_file('expecting.pv', "system E {\n  var x: 0..2 = 0\n  action up() when x < 2 { x := x + 1 }\n  invariant small: x < 2\n}\nexpect small: violated\nexpect small: holds\n");
my ($tested, $tested_code) = page('tests', 'test', "$tmp/expecting.pv");
is($tested_code, 1, 'expectations, of which one is not met');
if ($browser) {
    ok($browser->open($tested), 'they open');
    is($browser->eval('document.querySelector("h1").textContent'), '2 expectations: 1 met, 1 failed', 'how many were met');
    is($browser->eval('[...document.querySelectorAll("#tests tbody .pill")].map(p => p.textContent).join()'), 'failed,met', 'what was not met comes first');
    quiet('tests');
    shots('tests');
}

# ---- histories

my ($skew, $skew_code) = page('history', qw(check models/histories/write_skew.hist));
is($skew_code, 1, 'a history');
my ($violated) = grep { $_->{drawn} } @{ embedded($skew)->{levels} };
is(join(' ', map { "$_->{session} $_->{begins}..$_->{ends}" } grep { $_->{name} } @{ $violated->{drawn} }), 'ann 0..20 bob 1..21', 'the transactions of its core, with times from the first');
is_deeply($violated->{drawn}[0]{operations}[0], { kind => 'read', key => 'on_call_ann', value => '1', call => 4, answer => 5 }, 'and their operations');
my ($by_spec) = page('interchange', qw(check models/interchange/swapped.hist --spec lazy_invalidation));
if ($browser) {
    ok($browser->open($skew), 'it opens');
    is($browser->eval('document.querySelectorAll("#levels tbody tr").length'), 10, 'its levels');
    is($browser->eval('document.querySelectorAll("#violation .order .edge.on").length'), 2, 'the cycle');
    is($browser->eval('document.querySelectorAll(".sessions .tx-box.core").length'), 2, 'its transactions over time');
    $browser->eval('document.querySelector(".switch input").click()');
    quiet('history');
    shots('history');
    ok($browser->open($by_spec), 'a history by its recorded order');
    like($browser->eval('document.querySelector("#recorded").textContent'), qr/lazy_invalidation/, 'what was asked');
    quiet('interchange');
}

# ---- names that would do harm

my $hostile = "</script><script>document.title='harmed'</script> ]]> <!-- \\\" ' & \x{202e}drow\x{2066} \x{7}";
my $murphi = Encode::encode_utf8(qq{var x: 0..2;\nstartstate "s<b>" x := 0; end;\nrule "<img src=x onerror=document.title='harmed'>" x < 2 ==> x := x + 1; end;\ninvariant "$hostile" x < 2;\n});
my $odd = write_file("a<b>&\"'.m", $murphi);
my ($harm, $harm_code, $harm_said) = page('hostile', 'check', $odd);
is($harm_code, 1, 'a model with hostile names') or diag($harm_said);
my @ends = read_file($harm) =~ m{<(?:/?script|!--)}gi;
is(scalar @ends, 4, 'no sign of theirs ends an element');
if ($browser) {
    ok($browser->open($harm), 'it opens');
    unlike($browser->eval('document.title'), qr/harmed/, 'no script of theirs runs');
    is($browser->eval('document.querySelectorAll("#page script, #page img, #page b:not(.chain b)").length'), 0, 'no markup of theirs');
    $browser->eval('document.querySelectorAll("details").forEach(d => { d.open = true; }); new Promise(r => setTimeout(r, 50))');
    like($browser->eval('document.querySelector("#model").textContent'), qr/‹U\+202E›drow‹U\+2066›/, 'marks that turn text round are shown');
    is($browser->eval('/[\\u202a-\\u202e\\u2066-\\u2069\\u0007]/.test(document.getElementById("page").innerText)'), JSON::PP::false, 'and never used');
    quiet('hostile');
    shots('hostile');
}

# ---- a long run

my $steps = 100_000;
my $long = write_file('long.pv', "sort Thread\nsize Thread = 2\nsystem Long {\n  var x: 0..$steps = 0\n  rel turn(Thread)\n  action step(t: Thread) when x < $steps { x := x + 1; turn(t) := !turn(t) }\n  invariant short: x < $steps\n}\n");
my ($far, $far_code, $far_said) = page('long', 'check', $long);
is($far_code, 1, "a run of $steps steps") or diag($far_said);
if ($browser) {
    my $began = time;
    ok($browser->open($far), 'a long page opens');
    my $opened = time - $began;
    my $rows = $browser->eval('document.querySelectorAll(".row").length');
    ok($rows < 200, "only the rows that can be seen are there: $rows");
    is($browser->eval('document.querySelector(".row.now").dataset.step'), $steps, 'at its end');
    $began = time;
    for my $at (5, 50_000, 99_999, 12_345) {
        $browser->eval("location.hash = 'step=$at'; new Promise(r => setTimeout(r, 30))");
        is($browser->eval('document.querySelector(".row.now").dataset.step'), $at, "step $at");
        is($browser->eval('document.querySelector(".now td[data-cell=x]").lastChild.textContent'), $at, 'and its state');
    }
    $browser->key('ArrowRight');
    is($browser->eval('document.querySelector(".row.now").dataset.step'), 12_346, 'one step on');
    my $stepped = time - $began;
    cmp_ok($opened, '<', 30, sprintf 'it opens in time (%.1f s)', $opened);
    cmp_ok($stepped, '<', 10, sprintf 'and steps (%.1f s)', $stepped);
    quiet('long');
}

$browser->close if $browser;
done_testing();
