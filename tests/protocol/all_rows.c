#include "stache_rows.h"
#include "recorder.h"

void tables(void) {
    home_rows();
    copy_rows();
    page_rows();
    service_rows();
    place_rows();
}
