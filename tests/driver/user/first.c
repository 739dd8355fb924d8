/* The first program of docs/user/host.md: a word to aP 0 of site 0 and its answer. */
#include <stdio.h>
#include <turnstile_host.h>

static int failed(int code)
{
    fprintf(stderr, "first: %s\n", ts_strerror(code));
    return 1;
}

int main(void)
{
    ts_card_t *card;
    ts_express_t answer;
    int result = ts_open(NULL, &card);

    if (result < 0) return failed(result);
    result = ts_express_open(card);
    if (result >= 0) result = ts_express_send(card, ts_name_of_ap(0, 0), 1, 0, 41);
    if (result >= 0) result = ts_express_receive(card, &answer, 5000);
    if (result >= 0) printf("%u\n", answer.word);
    ts_close(card);
    return result < 0 ? failed(result) : 0;
}
