/* Runs a board's top (module ecpix5) and prints what its UART line says; the last line is `leds R G B`, a digit 1 a lit LED, LED 3 first.
 * Arguments: cycles of a bit; cycles after which to stop; 1 with assertions, 0 without. Ends when the program has ended and the line was still
 * for 20 bits. */
#include "Vecpix5.h"
#include <bitset>
#include <cstdio>
#include <cstdlib>
#include <verilated.h>

int main(int argc, char **argv) {
    if (argc != 4)
        return std::fprintf(stderr, "usage: %s BIT LIMIT ASSERTIONS\n", argv[0]), 2;
    const double bit = std::atof(argv[1]);
    const long limit = std::atol(argv[2]);
    VerilatedContext context;
    context.assertOn(argv[3][0] == '1');
    Vecpix5 top(&context);
    double begin = 0; // of the frame that comes
    int bits = -1;    // seen of it; -1: the line is still
    unsigned frame = 0;
    long cycle = 0, still = 0;
    for (; cycle < limit; cycle++) {
        top.clk100 = 1, top.eval();
        top.clk100 = 0, top.eval();
        if (bits < 0 && !top.uart_tx)
            begin = cycle, bits = 0, frame = 0;
        if (bits >= 0 && cycle >= begin + (bits + 0.5) * bit) {
            frame |= unsigned(top.uart_tx) << bits;
            if (++bits == 10) {
                std::putchar(frame >> 9 & 1 && !(frame & 1) ? frame >> 1 & 0xff : '?'); // start bit 0, stop bit 1
                bits = -1;
            }
        }
        still = bits < 0 ? still + 1 : 0;
        const bool ended = !(top.led_g >> 1 & 1) || !(top.led_r & 1);
        if (ended && still > 20 * bit)
            break;
    }
    auto lit = [](unsigned led) { return std::bitset<4>(~led).to_string(); };
    std::printf("\nleds %s %s %s after %ld cycles\n", lit(top.led_r).c_str(), lit(top.led_g).c_str(), lit(top.led_b).c_str(), cycle);
}
