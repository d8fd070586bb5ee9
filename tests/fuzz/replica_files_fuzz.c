/* The files of a replica, by which its supervisor and any later agent agree: the spec, gate and
 * exit records, commands, and the names of folders and of output.  A job that runs as the same user
 * can write them.
 * Input: the bytes of a file, or a name.  A record without a right checksum is read once more with
 * one, since random bytes have none.
 * Property: a file that is read is written as bytes that read as the same; a name has one spelling;
 * a record of another length or with another byte is refused; words that are read end within their
 * bounds.
 * The planted bug (planted/replica_files.patch) takes a folder's name with zeros in front.
 *
 *     tests/fuzz/planted.sh replica_files */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "agent/output/output_name.h"
#include "agent/process/layout.h"
#include "agent/process/result_list.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"

enum { INPUT_BYTES_MAX = 64 << 10, NAME_BYTES_MAX = 255, CRC_AT = LAYOUT_RECORD_BYTES - 4 };

/* ---- names ----------------------------------------------------------------------------------- */

static void read_names(const uint8_t *data, size_t size)
{
    char name[NAME_BYTES_MAX + 1] = "", again[RESULT_NAME_MAX], output[OUTPUT_NAME_MAX];
    struct fl_attempt attempt;
    struct result_entry entry, same;
    uint32_t replica;
    uint64_t offset;

    if (size > NAME_BYTES_MAX) return;
    if (size > 0) memcpy(name, data, size);
    if (layout_parse_name(name, &attempt, &replica)) {
        layout_name(attempt, replica, again);
        fl_assert(strcmp(again, name) == 0);
    }
    if (output_name_parse(name, &offset)) {
        output_name(offset, output);
        fl_assert(strcmp(output, name) == 0);
    }
    if (result_entry_parse(name, &entry)) {
        result_entry_name(&entry, again);
        fl_assert(result_entry_parse(again, &same) && same.at == entry.at);
        fl_assert(strcmp(same.replica, entry.replica) == 0 && same.state == entry.state);
        fl_assert(layout_parse_name(entry.replica, &attempt, &replica));
    }
}

static void read_command(const uint8_t *data, size_t size)
{
    uint8_t again[LAYOUT_COMMAND_BYTES];
    struct layout_command command;

    if (size != LAYOUT_COMMAND_BYTES || !layout_command_decode(data, &command)) return;
    layout_command_encode(command, again);
    fl_assert(again[0] == data[0] && memcmp(again + 4, data + 4, 4) == 0);
}

/* ---- the spec -------------------------------------------------------------------------------- */

static void check_strings(const struct layout_strings *strings)
{
    fl_assert(strings->len <= LAYOUT_STRINGS_MAX && !strings->at[strings->len]);
    for (size_t i = 0; i < strings->len; i++) {
        fl_assert(strings->at[i]);
    }
}

/* The bytes in their shortest form are read as a spec that is written as those bytes. */
static void write_spec(const struct layout_spec *spec, struct fl_buf *out)
{
    fl_buf_init(out, INPUT_BYTES_MAX + 64);
    fl_assert(layout_spec_encode(spec, out));
}

static void read_spec(struct fl_str bytes)
{
    struct layout_spec spec, same;
    struct fl_arena arena = {0};
    struct fl_err err = {0};
    struct fl_buf again, once_more;

    if (!layout_spec_decode(bytes, &arena, &spec, &err)) {
        fl_assert(err.code == FL_TORN || err.code == FL_UNSUPPORTED);
        fl_arena_fini(&arena);
        return;
    }
    fl_assert(strlen(spec.run) < sizeof spec.run && strlen(spec.boot) < sizeof spec.boot);
    fl_assert(spec.argv.len > 0 && spec.named.len <= LAYOUT_NAMED_MAX);
    check_strings(&spec.argv);
    check_strings(&spec.env);
    write_spec(&spec, &again);
    fl_assert(
        layout_spec_decode((struct fl_str){(char *)again.at, again.len}, &arena, &same, &err));
    write_spec(&same, &once_more);
    fl_assert(again.len > 0 && again.len == once_more.len);
    fl_assert(memcmp(again.at, once_more.at, again.len) == 0);
    again.at[fl_hash64(0, bytes.at, bytes.len) % again.len] ^= 1;
    fl_assert(
        !layout_spec_decode((struct fl_str){(char *)again.at, again.len}, &arena, &same, &err));
    fl_buf_fini(&again);
    fl_buf_fini(&once_more);
    fl_arena_fini(&arena);
}

/* ---- records --------------------------------------------------------------------------------- */

static bool is_record(struct fl_str bytes)
{
    struct layout_gate gate;
    struct layout_exit end;

    return layout_gate_decode(bytes, &gate) || layout_exit_decode(bytes, &end);
}

static void read_gate(struct fl_str bytes)
{
    uint8_t block[LAYOUT_RECORD_BYTES];
    struct layout_gate gate, same;

    if (!layout_gate_decode(bytes, &gate)) return;
    layout_gate_encode(&gate, block);
    fl_assert(layout_gate_decode((struct fl_str){(char *)block, sizeof block}, &same));
    fl_assert(same.is_open == gate.is_open && same.session == gate.session && same.at == gate.at);
}

static void read_exit(struct fl_str bytes)
{
    uint8_t block[LAYOUT_RECORD_BYTES], again[LAYOUT_RECORD_BYTES];
    struct layout_exit end, same;

    if (!layout_exit_decode(bytes, &end)) return;
    fl_assert(strlen(end.line) <= FL_WORDS_BYTES_MAX && end.usage.replicas <= 1);
    layout_exit_encode(&end, block);
    fl_assert(layout_exit_decode((struct fl_str){(char *)block, sizeof block}, &same));
    fl_assert(same.code == end.code && same.signal == end.signal && same.ended_at == end.ended_at);
    fl_assert(strcmp(same.line, end.line) == 0);
    layout_exit_encode(&same, again);
    fl_assert(memcmp(block, again, sizeof block) == 0);
}

static void read_record(const uint8_t *data, size_t size)
{
    uint8_t block[LAYOUT_RECORD_BYTES] = {0};
    struct fl_str bytes = {(const char *)block, sizeof block};
    uint32_t crc;

    if (size > LAYOUT_RECORD_BYTES) {
        fl_assert(!is_record((struct fl_str){(const char *)data, size}));
        return;
    }
    if (size > 0) memcpy(block, data, size);
    crc = fl_crc32c(0, block, CRC_AT);
    for (int i = 0; i < 4; i++) {
        block[CRC_AT + i] = (uint8_t)(crc >> (8 * i));
    }
    if (!is_record(bytes)) return;
    read_gate(bytes);
    read_exit(bytes);
    block[fl_hash64(1, block, sizeof block) % sizeof block] ^= 2;
    fl_assert(!is_record(bytes));
    fl_assert(!is_record((struct fl_str){bytes.at, bytes.len - 1}));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_buf sealed;

    if (size > INPUT_BYTES_MAX) return 0;
    read_names(data, size);
    read_command(data, size);
    read_record(data, size);
    read_spec((struct fl_str){(const char *)data, size});
    fl_buf_init(&sealed, INPUT_BYTES_MAX + 4);
    fl_buf_put(&sealed, data, size);
    fl_buf_put_u32(&sealed, fl_crc32c(0, data, size));
    read_spec((struct fl_str){(const char *)sealed.at, sealed.len});
    fl_buf_fini(&sealed);
    return 0;
}
