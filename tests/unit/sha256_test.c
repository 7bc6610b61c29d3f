// SPDX-License-Identifier: Apache-2.0
// SHA-256: the examples of FIPS 180-4 and of NIST's test vectors, and texts around the length of a block, whose hashes
// are those of coreutils' sha256sum.
#include "oracle/unit.h"

#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

static void expect(const char *text, size_t size, const char *hex) {
    uint8_t hash[SHA256_BYTES];
    char seen[2 * SHA256_BYTES + 1];
    sha256(text, size, hash);
    for (unsigned i = 0; i < SHA256_BYTES; i++) snprintf(seen + 2 * i, 3, "%02x", hash[i]);
    assert_string_equal(seen, hex);
}

static void examples_of_the_standard(void **state) {
    (void)state;
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    expect("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(two, strlen(two), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void around_a_block(void **state) {
    (void)state;
    static const struct {
        size_t size;
        const char *hex;
    } cases[] = {
        {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {57, "f13b2d724659eb3bf47f2dd6af1accc87b81f09f59f2b75e5c0bed6589dfe8c6"},
        {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        {65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
        {119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
        {120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
        {128, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e"},
        {129, "c12cb024a2e5551cca0e08fce8f1c5e314555cc3fef6329ee994a3db752166ae"},
    };
    char text[130];
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) expect(text, cases[i].size, cases[i].hex);
}

static void base64_as_browsers_write_it(void **state) {
    (void)state;
    str s = {0};
    sha256_base64("", 0, &s);
    assert_string_equal(str_get(&s), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    str_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(examples_of_the_standard), cmocka_unit_test(around_a_block),
                                       cmocka_unit_test(base64_as_browsers_write_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
