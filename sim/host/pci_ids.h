/** \file How the card is known in configuration space; the driver has the same in host-driver/kernel/turnstile.h. */
#pragma once

/** AMD's vendor number with a device number of our choice: a board's block is to be made with the same. */
enum { PCI_VENDOR = 0x10EE, PCI_DEVICE = 0x7453, PCI_CLASS = 0x120000 /* processing accelerator */ };
