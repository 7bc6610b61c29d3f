# SPDX-License-Identifier: Apache-2.0
#
# Browser: a real browser without a screen, driven over the DevTools protocol through two pipes (JSON texts that end
# with a NUL), with core modules only.
#
#   my $b = Browser->new($folder) or plan skip_all => ...;
#   $b->open("$page#step=3");  $b->eval("document.title");  $b->key('ArrowRight');
#   $b->shot('page.png', 1280);  $b->problems;  $b->close;
package Browser;
use strict;
use warnings;
use JSON::PP;
use MIME::Base64 ();
use POSIX ();
use Time::HiRes qw(time);

my @names = qw(chromium chromium-browser google-chrome);
my @flags = qw(--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --disable-dev-shm-usage --hide-scrollbars --mute-audio --remote-debugging-pipe);

sub program {
    for my $name (@names) {
        for my $dir (split /:/, $ENV{PATH} // '') { return "$dir/$name" if -x "$dir/$name" }
    }
    return undef;
}

# A browser with a profile of its own in the folder; undef: there is none.
sub new {
    my ($class, $folder) = @_;
    my $program = program() or return undef;
    pipe(my $in_read, my $in_write) or die "pipe: $!\n";
    pipe(my $out_read, my $out_write) or die "pipe: $!\n";
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        CORE::open STDERR, '>', "$folder/browser.log";
        CORE::open STDOUT, '>&', \*STDERR;
        my ($from, $to) = (POSIX::dup(fileno $in_read), POSIX::dup(fileno $out_write));
        ($from, $to) = map { my $d = $_; $d = POSIX::dup($d) while $d < 10; $d } $from, $to;
        POSIX::dup2($from, 3);
        POSIX::dup2($to, 4);
        $ENV{HOME} = $folder;
        exec $program, @flags, "--user-data-dir=$folder/profile", 'about:blank' or POSIX::_exit(127);
    }
    CORE::close $in_read;
    CORE::close $out_write;
    $in_write->autoflush(1);
    my $self = bless { pid => $pid, to => $in_write, from => $out_read, rest => '', id => 0, events => [], json => JSON::PP->new->utf8 }, $class;
    my $target = eval { $self->call('Target.createTarget', { url => 'about:blank' }) } or do { warn "browser: $@"; $self->close; return undef };
    $self->{session} = $self->call('Target.attachToTarget', { targetId => $target->{targetId}, flatten => JSON::PP::true })->{sessionId};
    $self->call($_) for qw(Page.enable Runtime.enable Network.enable Log.enable);
    return $self;
}

sub message {
    my ($self, $until) = @_;
    my $end;
    while (($end = index $self->{rest}, "\0") < 0) {
        my $left = $until - time;
        vec(my $want = '', fileno $self->{from}, 1) = 1;
        die "the browser does not answer\n" if $left <= 0 || !select($want, undef, undef, $left);
        sysread $self->{from}, $self->{rest}, 1 << 20, length $self->{rest} or die "the browser is gone\n";
    }
    my $text = substr $self->{rest}, 0, $end + 1, '';
    chop $text;
    return $self->{json}->decode($text);
}

# One command; its result. What the browser says meanwhile is kept.
sub call {
    my ($self, $method, $params, $seconds) = @_;
    my $id = ++$self->{id};
    my %command = (id => $id, method => $method, params => $params // {}, $self->{session} ? (sessionId => $self->{session}) : ());
    print { $self->{to} } $self->{json}->encode(\%command), "\0" or die "the browser is gone\n";
    my $until = time + ($seconds // 60);
    while (1) {
        my $m = $self->message($until);
        if (!defined $m->{id}) { push @{ $self->{events} }, $m; next }
        next if $m->{id} != $id;
        die "$method: $m->{error}{message}\n" if $m->{error};
        return $m->{result};
    }
}

# Opens a file, with a fragment if it has one, in a new document; waits until its script is done.
sub open {
    my ($self, $path) = @_;
    $self->{events} = [];
    $self->call('Page.navigate', { url => 'about:blank' });
    $path =~ s/([^A-Za-z0-9_.\/#=&-])/sprintf '%%%02X', ord $1/ge;
    $self->call('Page.navigate', { url => "file://$path" });
    for (my $until = time + 60; time < $until; select undef, undef, undef, 0.05) {
        return 1 if eval { $self->eval('location.href !== "about:blank" && document.documentElement.dataset.ready === "yes"') };
    }
    return 0;
}

# The value of an expression, as data; dies with what it throws.
sub eval {
    my ($self, $expression) = @_;
    my $r = $self->call('Runtime.evaluate', { expression => $expression, returnByValue => JSON::PP::true, awaitPromise => JSON::PP::true });
    die "$expression: " . ($r->{exceptionDetails}{exception}{description} // $r->{exceptionDetails}{text}) . "\n" if $r->{exceptionDetails};
    return $r->{result}{value};
}

sub key {
    my ($self, @keys) = @_;
    for my $key (@keys) {
        my %code = (ArrowRight => 39, ArrowLeft => 37, ArrowUp => 38, ArrowDown => 40, Home => 36, End => 35, PageUp => 33, PageDown => 34, Tab => 9, Enter => 13);
        $self->call('Input.dispatchKeyEvent', { type => $_, key => $key, code => $key, windowsVirtualKeyCode => $code{$key} }) for qw(keyDown keyUp);
    }
}

sub size {
    my ($self, $width, $height) = @_;
    $self->call('Emulation.setDeviceMetricsOverride', { width => $width + 0, height => $height + 0, deviceScaleFactor => 1, mobile => JSON::PP::false });
}

# 'light' or 'dark'; 'print' for paper.
sub media {
    my ($self, $how) = @_;
    $self->call('Emulation.setEmulatedMedia', { media => $how eq 'print' ? 'print' : 'screen',
        features => [{ name => 'prefers-color-scheme', value => $how eq 'dark' ? 'dark' : 'light' }] });
}

# The whole page at a width, as a file.
sub shot {
    my ($self, $file, $width) = @_;
    $self->size($width, 900);
    my $high = $self->eval('Math.min(6000, document.documentElement.scrollHeight)');
    $self->size($width, $high);
    my $r = $self->call('Page.captureScreenshot', { format => 'png' });
    CORE::open(my $out, '>:raw', $file) or die "$file: $!\n";
    print $out MIME::Base64::decode($r->{data});
    CORE::close($out) or die "$file: $!\n";
    $self->size($width, 900);
}

sub pdf {
    my ($self) = @_;
    return MIME::Base64::decode($self->call('Page.printToPDF', { printBackground => JSON::PP::true })->{data});
}

# What went wrong since the page was opened: errors of scripts, messages of the console and of the policy, and requests
# for anything but the file itself.
sub problems {
    my ($self) = @_;
    $self->eval('0');
    my @found;
    for my $e (@{ $self->{events} }) {
        my ($method, $p) = @$e{qw(method params)};
        push @found, "exception: $p->{exceptionDetails}{text} " . ($p->{exceptionDetails}{exception}{description} // '') if $method eq 'Runtime.exceptionThrown';
        push @found, "console: " . join ' ', map { $_->{value} // $_->{description} // '' } @{ $p->{args} } if $method eq 'Runtime.consoleAPICalled';
        push @found, "log: $p->{entry}{text} " . ($p->{entry}{url} // '') if $method eq 'Log.entryAdded';
        push @found, "request: $p->{request}{url}" if $method eq 'Network.requestWillBeSent' && $p->{request}{url} !~ m{^(?:file:///[^?]*\.html|about:blank|data:,)};
        push @found, "dialog: $p->{message}" if $method eq 'Page.javascriptDialogOpening';
    }
    return @found;
}

sub close {
    my ($self) = @_;
    my $pid = delete $self->{pid} or return;
    eval { $self->call('Browser.close', {}, 5) };
    CORE::close $self->{to};
    for (1 .. 100) { return if waitpid($pid, POSIX::WNOHANG()) == $pid; select undef, undef, undef, 0.05 }
    kill 'KILL', $pid;
    waitpid $pid, 0;
}

sub DESTROY { local ($@, $?); $_[0]->close }

1;
