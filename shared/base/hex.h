/* hex.h - bytes as hexadecimal digits: the one spelling that we write, and what others write. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Room for so many bytes and the end of the string. */
#define FL_HEX_MAX(bytes) (2 * (bytes) + 1)

/* Writes FL_HEX_MAX(len) characters, in lower case. */
void fl_hex_print(const void *ptr, size_t len, char *out);

/* Reads 2 * len digits.  False: fl_hex_print would not write one of them. */
bool fl_hex_parse(const char *text, size_t len, void *ret_bytes);

/* The value of a digit in either case; -1: another character. */
int fl_hex_digit(char c);
