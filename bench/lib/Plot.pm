# SPDX-License-Identifier: Apache-2.0
#
# Plot: plot(PATH, TITLE, XLABEL, YLABEL, NAME => [[x, y], ...], ...) writes an SVG with logarithmic axes. A series whose
# name begins with "measured" has points alone, one that begins with "projected" a broken line alone.
package Plot;
use strict;
use warnings;
use Exporter qw(import);
our @EXPORT_OK = qw(plot);

sub plot {
    my ($path, $title, $xlabel, $ylabel, %series) = @_;
    my @all = map { @$_ } values %series;
    return unless @all;
    my ($w, $h, $left, $bottom) = (640, 400, 80, 50);
    my ($x0, $x1) = (10**9, 0);
    my ($y0, $y1) = (10**12, 0);
    for my $p (@all) {
        my $x = $p->[0];
        my $y = $p->[1] > 1e-6 ? $p->[1] : 1e-6;
        $x0 = $x if $x < $x0; $x1 = $x if $x > $x1;
        $y0 = $y if $y < $y0; $y1 = $y if $y > $y1;
    }
    my $log = sub { log($_[0] > 1e-6 ? $_[0] : 1e-6) / log(10) };
    my ($lx0, $lx1) = (int($log->($x0)) - ($x0 < 1 ? 1 : 0), int($log->($x1)) + 1);
    my ($ly0, $ly1) = (int($log->($y0)) - ($y0 < 1 ? 1 : 0), int($log->($y1)) + 1);
    my $px = sub { $left + ($log->($_[0]) - $lx0) / ($lx1 - $lx0) * ($w - $left - 20) };
    my $py = sub { $h - $bottom - ($log->($_[0]) - $ly0) / ($ly1 - $ly0) * ($h - $bottom - 40) };
    my @colours = map { "#$_" } qw(1b6ca8 c0392b 27824a 8e5ea2 b7791f 444444);
    my $svg = qq{<svg xmlns="http://www.w3.org/2000/svg" width="$w" height="$h" font-family="sans-serif" font-size="12">\n}
        . qq{<rect width="$w" height="$h" fill="white"/>\n<text x="$left" y="20" font-size="14">$title</text>\n};
    for my $e ($lx0 .. $lx1) {
        my $x = $px->(10**$e);
        $svg .= sprintf qq{<line x1="%.1f" y1="40" x2="%.1f" y2="%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">10^%d</text>\n},
            $x, $x, $h - $bottom, $x, $h - $bottom + 16, $e;
    }
    for my $e ($ly0 .. $ly1) {
        my $y = $py->(10**$e);
        $svg .= sprintf qq{<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">10^%d</text>\n},
            $left, $y, $w - 20, $y, $left - 6, $y + 4, $e;
    }
    $svg .= sprintf qq{<text x="%d" y="%d" text-anchor="middle">%s</text>\n}, ($left + $w - 20) / 2, $h - 12, $xlabel;
    $svg .= sprintf qq{<text x="16" y="%d" transform="rotate(-90 16 %d)" text-anchor="middle">%s</text>\n}, $h / 2, $h / 2, $ylabel;
    my $i = 0;
    for my $name (sort keys %series) {
        my $colour = $colours[$i % @colours];
        my @points = sort { $a->[0] <=> $b->[0] } @{ $series{$name} };
        my $dashes = $name =~ /^projected/ ? ' stroke-dasharray="6 4"' : '';
        $svg .= sprintf qq{<polyline fill="none" stroke="%s" stroke-width="2"%s points="%s"/>\n}, $colour, $dashes,
            join(' ', map { sprintf "%.1f,%.1f", $px->($_->[0]), $py->($_->[1]) } @points) unless $name =~ /^measured/;
        my @dots = $dashes ? () : @points;
        $svg .= sprintf qq{<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>\n}, $px->($_->[0]), $py->($_->[1]), $colour for @dots;
        $svg .= sprintf qq{<text x="%d" y="%d" fill="%s">%s</text>\n}, $left + 12, 56 + 16 * $i, $colour, $name;
        $i++;
    }
    open(my $f, '>', $path) or die "$path: $!\n";
    print $f $svg, "</svg>\n";
    close $f;
}

1;
