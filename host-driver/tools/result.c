/* SPDX-License-Identifier: Apache-2.0 */
/* Results, for people or for scripts. */
#include "tool.h"
#include <inttypes.h>
#include <stdio.h>

static int json, fields;

void begin_result(const struct options *options)
{
    json = options->json;
    fields = 0;
    if (json) printf("{");
}

void end_result(void)
{
    if (json) printf("}\n");
    fflush(stdout);
}

static void name_field(const char *name)
{
    if (json) printf("%s\"%s\": ", fields++ ? ", " : "", name);
    else printf("%-28s", name);
}

/* Values are paths, names and sentences of ours, and whatever somebody called a program. */
static void quoted(const char *value)
{
    putchar('"');
    for (; *value; value++) {
        if (*value == '"' || *value == '\\') printf("\\%c", *value);
        else if ((unsigned char)*value < ' ') printf("\\u%04x", *value);
        else putchar(*value);
    }
    putchar('"');
}

static void end_field(void)
{
    if (!json) putchar('\n');
}

void text(const char *name, const char *value)
{
    name_field(name);
    if (json) quoted(value);
    else printf("%s", value);
    end_field();
}

void number(const char *name, uint64_t value)
{
    name_field(name);
    printf("%" PRIu64, value);
    end_field();
}

void decimal(const char *name, double value)
{
    name_field(name);
    printf("%.3f", value);
    end_field();
}

void hexadecimal(const char *name, uint64_t value)
{
    name_field(name);
    if (json) printf("%" PRIu64, value);
    else printf("0x%08" PRIx64, value);
    end_field();
}

void list(const char *name, uint32_t bits)
{
    const char *between = "";

    name_field(name);
    if (json) putchar('[');
    for (int i = 0; i < 32; i++)
        if (bits >> i & 1) {
            printf("%s%d", between, i);
            between = json ? ", " : " ";
        }
    if (json) putchar(']');
    end_field();
}
