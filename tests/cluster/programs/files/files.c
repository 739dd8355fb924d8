/* Reads stdin and a file, writes one and reads it back; process 1 goes on in a file that its creator opened. The same lines everywhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <turnstile.h>
#include <unistd.h>

enum { ROW = 700 }; /* bytes; not a multiple of a host call's 1024 */

static FILE *words;
static ts_barrier_t *turn;

static void rest_of_words(void)
{
    char word[32];

    ts_barrier(turn, 2);
    if (ts_self() == 1)
        while (fscanf(words, "%31s", word) == 1) printf("process 1: %s\n", word);
    ts_barrier(turn, 2);
}

static void check(int good, const char *what)
{
    if (good) return;
    printf("wrong: %s\n", what);
    exit(1);
}

int main(void)
{
    int count, sum = 0, character;
    char line[80], *rows = malloc(3 * ROW);
    double weight;
    struct stat status;

    check(scanf("%d %lf", &count, &weight) == 2, "scanf");
    printf("%d numbers, weight %.3f\n", count, weight);
    for (int i = 0, n; i < count; i++) {
        check(scanf("%d", &n) == 1, "a number");
        sum += n;
    }
    printf("sum %d\n", sum);
    while ((character = getchar()) != '\n' && character != EOF) {
    }
    while (fgets(line, sizeof line, stdin)) printf("line of %d: %s", (int)strlen(line), line);
    printf("end %d\n", feof(stdin) != 0);

    char *shared = ts_alloc(ROW); /* what is read and written may lie in either memory */
    FILE *table = fopen("table.bin", "w+");
    check(table != NULL, "fopen");
    for (int row = 0; row < 3; row++) {
        memset(shared, 'a' + row, ROW);
        check(fwrite(shared, 1, ROW, table) == ROW, "fwrite");
    }
    rewind(table);
    check(fread(rows, 1, 3 * ROW, table) == 3 * ROW && fgetc(table) == EOF, "fread");
    for (int i = 0; i < 3 * ROW; i++) check(rows[i] == 'a' + i / ROW, "what was read back");
    fseek(table, ROW - 1, SEEK_SET);
    char before = (char)fgetc(table), after = (char)fgetc(table);
    printf("at the seam: %c%c, tell %ld\n", before, after, ftell(table));
    fclose(table);
    check(stat("table.bin", &status) == 0 && S_ISREG(status.st_mode), "stat");
    printf("%ld bytes\n", (long)status.st_size);
    check(remove("table.bin") == 0 && stat("table.bin", &status) != 0, "remove");

    FILE *kept = fopen("result.txt", "w"); /* not closed: exit writes it out */
    fprintf(kept, "sum %d\n", sum);
    fprintf(stderr, "to stderr \005\016\017\020.\n");
    printf("control \005\016\017\020.\n");

    words = fopen("data/words.txt", "r");
    check(words != NULL, "the program's own file");
    setvbuf(words, NULL, _IONBF, 0); /* so that the offset is that of the reader */
    char word[32];
    check(fscanf(words, "%31s", word) == 1, "a word");
    printf("process 0: %s\n", word);
    turn = ts_alloc(sizeof *turn);
    ts_barrier_init(turn, 0);
    fflush(stdout);
    fflush(kept);
    ts_create_all(rest_of_words, 2);
    ts_wait_for_end(2);
    check(fscanf(words, "%31s", word) == EOF, "the offset is one for both");
    fprintf(kept, "weight %.3f\n", weight);
    printf("last, without an end of line");
    return 0;
}
