/* Some descendants of SPLASH-2 include this beside macros that hide it; what they mean is in turnstile.h already. */
