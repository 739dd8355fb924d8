/** \file Tables of Stache and of what lies below it. */
#ifndef STACHE_ROWS_H
#define STACHE_ROWS_H
#include "../../fw/protocols/stache/stache.h"
void home_rows(void), copy_rows(void), page_rows(void), service_rows(void), place_rows(void);
#endif
