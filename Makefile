# SPDX-License-Identifier: Apache-2.0
#
# Parvis: build, test, install. GNU make; `make help` lists the targets.
#
#   src/cli/**.c            -> ./parvis           ($(O)/parvis when O is not the default)
#   src/<other>/*.c         -> $(O)/libparvis.a
#   src/ranks/mpi.c         -> ./parvis-mpi.so    where mpicc is found
#   tests/oracle/*.c        -> $(O)/libtestkit.a  (helpers linked into every test program)
#   tests/*/<name>_test.c   -> $(O)/tests/*/<name>_test  for unit, diff and fuzz
#   tests/run               builds and runs test suites, counts, prints the closing line
#   scripts/setup           installs missing Debian packages; SETUP=true goes on without
#
#   debian/                 the Debian package (make deb)
#
# Variables: O (output folder), CC, CFLAGS, LDFLAGS, WERROR= (warnings stay warnings), SANITIZE=1 (clang with
# ASan and UBSan, into build/asan), V=1 (show whole commands), PREFIX and DESTDIR.

# All cores, unless -j says otherwise or another make hands out jobs.
ifeq ($(filter -j% --jobserver%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc)
endif

O        ?= $(if $(SANITIZE),build/asan,build)
SETUP    ?= scripts/setup
PREFIX   ?= /usr/local
CFLAGS   ?= -O2 -g
WERROR   ?= -Werror

ifdef SANITIZE
CC       := clang
SAN      := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -DPARVIS_ASAN
else ifeq ($(origin CC),default)
CC       := gcc
endif

# pkg-config is asked once, and only when something is compiled: set-up may have to install it first.
XML_CFLAGS = $(eval XML_CFLAGS := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags libxml-2.0)))$(XML_CFLAGS)
XML_LIBS   = $(eval XML_LIBS := $(shell pkg-config --libs libxml-2.0))$(XML_LIBS)

# Hardening: addresses of the linker are fixed before main and read-only, smashed stacks and overrun buffers stop the
# program, returns are checked where the processor can. A sanitizer replaces it; FORTIFY needs an optimising build.
ifndef SANITIZE
HARDEN   := -fstack-protector-strong -fPIE $(if $(findstring -O,$(filter-out -O0,$(CFLAGS))),-D_FORTIFY_SOURCE=2) \
            $(if $(filter x86_64 i686,$(shell uname -m)),-fcf-protection=full)
HARDEN_LD := -pie -Wl,-z,relro,-z,now
endif

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes $(WERROR)
COMPILE   = $(CC) -std=c11 -D_GNU_SOURCE -Isrc -Iinclude $(WARNINGS) $(XML_CFLAGS) $(HARDEN) $(CPPFLAGS) $(CFLAGS) $(SAN) -MMD -MP
LINK      = $(CC) $(CFLAGS) $(SAN) $(HARDEN_LD) $(LDFLAGS) -Wl,--as-needed
LIBS      = -lc -lcadical -lstdc++ -lz3 -ljansson -lxxhash -lz $(XML_LIBS) -ldl -lpthread -lm -ledit

PROGRAM  := $(if $(filter build,$(O)),parvis,$(O)/parvis)
LIB      := $(O)/libparvis.a
TESTKIT  := $(O)/libtestkit.a
RECORDER := $(if $(filter x86_64,$(shell uname -m)),$(O)/libparvis-record.so)

objects   = $(patsubst %.c,$(O)/obj/%.o,$(1))
# A sanitizer has an allocator of its own.
CLI_OBJ  := $(call objects,$(sort $(filter-out $(if $(SANITIZE),src/cli/alloc.c),$(wildcard src/cli/*.c src/cli/*/*.c))))
LIB_OBJ  := $(call objects,$(sort $(filter-out src/cli/% src/ranks/mpi.c,$(wildcard src/*/*.c src/*/*/*.c))))
KIT_OBJ  := $(call objects,$(sort $(wildcard tests/oracle/*.c)))
programs  = $(patsubst %.c,$(O)/%,$(sort $(wildcard tests/$(1)/*_test.c)))
TESTED   := $(O)/tests/parvis
TEST_BIN := $(call programs,unit) $(call programs,diff) $(call programs,fuzz)

.PHONY: all demo test quick asan bench check-long install uninstall deb clean format help FORCE
.PHONY: setup setup-test setup-bench build-unit build-diff build-fuzz build-golden
.DELETE_ON_ERROR:
.SECONDARY:

# The plug-in for runs on several machines (src/ranks), beside the program: where there is an mpicc. It is loaded under a
# launcher only.
MPICC    ?= mpicc
PLUGIN   := $(if $(SANITIZE),,$(if $(shell command -v $(MPICC)),$(if $(filter build,$(O)),parvis-mpi.so,$(O)/parvis-mpi.so)))

all: $(LIB) $(if $(CLI_OBJ),$(PROGRAM)) $(RECORDER) $(PLUGIN)  ## build the program (default)
	$(if $(RECORDER),,@echo 'note: the recorder for libitm is for x86_64 only; here parvis record takes programs that use parvis/record.h')

setup setup-test setup-bench: setup%:
	@$(SETUP) $(or $(*:-%=%),build)

# ---- compile and link

# Loaded before libitm by `parvis record`; it has a malloc of its own, so it is no part of the library.
$(O)/libparvis-record.so: $(wildcard recorder/*.[chS]) include/parvis/record.h | setup
	@mkdir -p $(@D)
	$(call say,LD,$@) gcc -std=c11 -D_GNU_SOURCE -Iinclude $(WARNINGS) -Wno-psabi -O2 -g \
	    -fPIC -shared -pthread $(filter %.c %.S,$^) -ldl -o $@

# $(call say,WHAT,FILE) in front of a command replaces it on the screen; V=1 shows the command, -s nothing.
silent = $(findstring s,$(firstword -$(MAKEFLAGS)))
say    = $(if $(V),,@$(if $(silent),,printf '  %-4s %s\n' $(1) $(2);))

# An assembler `.incbin "space/x.h"` is found under src/ and becomes a dependency, as an #include would.
$(O)/obj/src/%.o: src/%.c | setup
	@mkdir -p $(@D)
	$(call say,CC,$<) $(COMPILE) -Wa,-Isrc -c $< -o $@
	@sed -n 's|.*\.incbin *\\*"\([^"\\]*\).*|$@: src/\1\nsrc/\1:|p' $< >> $(@:.o=.d)

# `parvis version` says which commit this is. The file changes only when that does.
$(O)/commit: FORCE
	@mkdir -p $(@D)
	@{ [ -n "$$PARVIS_COMMIT" ] && echo "$$PARVIS_COMMIT" || git describe --always --dirty --abbrev=10 --exclude='*' 2> /dev/null || echo unknown; } > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(O)/obj/src/cli/version.o: $(O)/commit
$(O)/obj/src/cli/version.o: CPPFLAGS += -DPARVIS_COMMIT='"$(shell cat $(O)/commit)"'

# The innermost loops of searches read no text, and marks at their jumps cost 6 % of a search by bytecode.
ifndef SANITIZE
$(O)/obj/src/space/%.o $(O)/obj/src/explore/%.o $(O)/obj/src/zone/%.o: COMPILE += -fno-stack-protector $(if $(findstring fcf,$(HARDEN)),-fcf-protection=none)
endif

# Loops over the bounds of a matrix are done for several at once.
$(O)/obj/src/zone/dbm.o $(O)/obj/src/zone/cover.o: COMPILE += -O3

$(O)/obj/tests/%.o: tests/%.c | setup-test
	@mkdir -p $(@D)
	$(call say,CC,$<) $(COMPILE) -Itests -c $< -o $@

$(LIB): $(LIB_OBJ)
$(TESTKIT): $(KIT_OBJ)
$(LIB) $(TESTKIT):
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR,$@) $(AR) rcs $@ $^

$(PROGRAM): $(CLI_OBJ) $(LIB)
	$(call say,LD,$@) $(LINK) $^ $(LIBS) -o $@

$(O)/tests/parvis-mpi.so $(PLUGIN): src/ranks/mpi.c src/ranks/ranks.h src/base/str.h | setup
	@mkdir -p $(@D)
	$(call say,MPI,$@) $(MPICC) -std=c11 -D_GNU_SOURCE -Isrc $(WARNINGS) $(CPPFLAGS) $(CFLAGS) -fPIC -shared $(LDFLAGS) $< -o $@

$(TESTED): $(CLI_OBJ) $(TESTKIT) $(LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@) $(LINK) $^ $(LIBS) -o $@

$(TEST_BIN): $(O)/%: $(O)/obj/%.o $(TESTKIT) $(LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@) $(LINK) $^ -lcmocka $(LIBS) -o $@

# Calls to these functions go through the test, which seeds faults there.
$(O)/tests/unit/selfcheck_test: LDFLAGS += $(addprefix -Wl$(comma)--wrap=,symmetric_find_exceptions space_new \
    space_interpret space_next space_check space_canonical store_get space_pack store_put)
$(O)/tests/unit/zone_trial_test: LDFLAGS += $(addprefix -Wl$(comma)--wrap=,space_new space_interpret space_next space_check \
    space_pack dbm_extrapolate cover_is_met net_bounds_in orbit_canonical passed_add passed_put)
$(O)/tests/diff/selfcheck_random_test: LDFLAGS += -Wl,--wrap=symmetric_find_exceptions
comma := ,
# A failed self-check ends every other test and the program that golden tests run (tests/oracle/selfcheck.c); these seed
# the failures themselves.
SEEDING  := unit/selfcheck unit/zone_trial unit/zone_symmetry unit/result diff/selfcheck_random
$(TESTED) $(filter-out $(SEEDING:%=$(O)/tests/%_test),$(TEST_BIN)): \
    LDFLAGS += -Wl,--wrap=result_add_self_check,-u,__wrap_result_add_self_check

$(O)/bench/%: bench/%.c $(LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@) $(COMPILE) $< $(LIB) $(LIBS) -o $@

-include $(patsubst %.o,%.d,$(CLI_OBJ) $(LIB_OBJ) $(KIT_OBJ) $(patsubst $(O)/%,$(O)/obj/%.o,$(TEST_BIN)))

# ---- run

demo: setup all  ## show what Parvis does on its own models
	@if [ -x scripts/demo ]; then PARVIS=$(abspath $(PROGRAM)) scripts/demo; else echo "no scripts/demo yet"; fi

# tests/run builds what it runs, so that a failed build still ends in the closing line.
RUN_TESTS = +@O=$(O) MAKE="$(MAKE)" tests/run

# The golden tests that take a second or two under sanitizers: every command, every input language, messages, JSON.
ASAN_GOLDEN := cli diag history_check json lang letters multisets simulate timed_cases vacuous

test: setup-test  ## every test, unit, fuzz and some golden ones under sanitizers too; last line: N passed, N failed
	$(RUN_TESTS) unit golden diff fuzz asan/unit asan/fuzz $(addprefix asan/golden/,$(ASAN_GOLDEN))

check-long: export PARVIS_LONG = 1
check-long: test  ## the same with the long random and fuzz runs, and a table of what was tried

quick: setup-test  ## unit and golden tests only, under a minute
	$(RUN_TESTS) unit golden

asan: setup-test  ## unit and golden tests under clang's ASan and UBSan
	$(RUN_TESTS) asan/unit asan/golden

bench: setup-bench all $(addprefix $(O)/bench/,space_bench record_bench history_gen)  ## the measurements against other tools
	@if [ -x bench/run ]; then PARVIS=$(abspath $(PROGRAM)) bench/run; else echo "no bench/run yet"; fi

build-unit build-diff build-fuzz: build-%: all
build-unit: $(call programs,unit)
build-diff: $(call programs,diff)
build-fuzz: $(call programs,fuzz)
build-golden: all $(TESTED) $(if $(PLUGIN),$(O)/tests/parvis-mpi.so)

# ---- install

BINDIR   := $(DESTDIR)$(PREFIX)/bin
SHAREDIR := $(DESTDIR)$(PREFIX)/share
INCLUDEDIR := $(DESTDIR)$(PREFIX)/include
LIBDIR   := $(DESTDIR)$(PREFIX)/lib
DOCDIR   := $(SHAREDIR)/doc/parvis
# Debian's zsh looks for completions of packages in a folder of its own.
ZSHDIR   := $(SHAREDIR)/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)

# $(call install_into,FOLDER,FILES): FILES may be empty.
install_into = $(if $(2),install -d $(1) && install -m 644 $(2) $(1))

install: all  ## install under PREFIX (/usr/local), below DESTDIR
	install -d $(BINDIR) && install -m 755 $(PROGRAM) $(BINDIR)/parvis
	$(if $(PLUGIN),install -d $(LIBDIR)/parvis && install -m 755 $(PLUGIN) $(LIBDIR)/parvis/parvis-mpi.so)
	$(call install_into,$(SHAREDIR)/man/man1,$(wildcard doc/*.1))
	$(call install_into,$(SHAREDIR)/bash-completion/completions,completions/parvis)
	$(call install_into,$(ZSHDIR),completions/_parvis)
	$(call install_into,$(SHAREDIR)/fish/vendor_completions.d,completions/parvis.fish)
	$(if $(RECORDER),install -d $(LIBDIR)/parvis && install -m 644 $(RECORDER) $(LIBDIR)/parvis/)
	$(call install_into,$(INCLUDEDIR)/parvis,$(wildcard include/parvis/*.h))
	$(call install_into,$(DOCDIR),README.md CHANGELOG.md)
	$(call install_into,$(DOCDIR)/doc,$(wildcard doc/*.md))
	install -d $(SHAREDIR)/parvis && cp -R models $(SHAREDIR)/parvis/
	$(call install_into,$(SHAREDIR)/parvis,doc/answer.schema.json)
	cp -R examples $(SHAREDIR)/parvis/
	cp -R editors $(SHAREDIR)/parvis/ && rm -f $(SHAREDIR)/parvis/editors/*/.gitignore
	find $(SHAREDIR)/parvis -type d -exec chmod 755 {} + -o -type f -exec chmod 644 {} +
	chmod 755 $(SHAREDIR)/parvis/examples/stm/with_postgres

uninstall:  ## remove what install put there
	rm -f $(BINDIR)/parvis $(patsubst doc/%,$(SHAREDIR)/man/man1/%,$(wildcard doc/*.1))
	rm -f $(SHAREDIR)/bash-completion/completions/parvis $(ZSHDIR)/_parvis
	rm -f $(SHAREDIR)/fish/vendor_completions.d/parvis.fish
	rm -rf $(SHAREDIR)/parvis $(DOCDIR) $(INCLUDEDIR)/parvis $(LIBDIR)/parvis

# The package is built from a copy, since dpkg-buildpackage writes beside and into the folder it works on.
VERSION   = $(shell sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)
deb:  ## a Debian package, checked by lintian, into build/deb
	@$(SETUP) deb
	rm -rf $(O)/deb && mkdir -p $(O)/deb/parvis-$(VERSION)
	git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -Pt $(O)/deb/parvis-$(VERSION)
	cd $(O)/deb/parvis-$(VERSION) && PARVIS_COMMIT=$$(git -C $(CURDIR) describe --always --dirty --abbrev=10 --exclude='*') \
	    dpkg-buildpackage -b -us -uc
	cd $(O)/deb && lintian --fail-on warning *.changes
	@ls $(O)/deb/*.deb

# ---- housekeeping

clean:  ## remove everything built
	rm -rf $(O) $(PROGRAM) $(PLUGIN)

format:  ## lay out all C files with clang-format
	clang-format -i $(wildcard src/*/*.[ch] src/*/*/*.[ch] tests/*/*.[ch] include/*/*.h examples/*/*.[ch])

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/\1|\2/p' $(firstword $(MAKEFILE_LIST)) | \
	    while IFS='|' read -r target text; do printf '  %-12s %s\n' "$$target" "$$text"; done
