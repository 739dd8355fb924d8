divert(-1)
# PARMACS (ANL macros) for Turnstile: SPLASH-2 spelling and that of its descendants, on turnstile.h.
#
#   m4 parmacs.m4 program.C > program.c
#
# The spelling of the callers decides the shapes below: G_MALLOC ends in a semicolon because programs write
# `x = (T *) G_MALLOC(n)' with none of their own, statements are braced because they write `CLOCK(t)' the same way.

# ts_macro(NAME, body): NAME is a macro only when called with arguments, so that the bare word survives in messages and
# as an identifier.
define(`ts_macro', `define(`$1', `ifelse($'`#, 0, ``$1'', `$2')')')
# ts_nothing(NAME, ...): words and calls that mean nothing here.
define(`ts_nothing', `ifelse(`$1', , , `define(`$1', `')ts_nothing(shift($@))')')

# ---- environment ----
define(`ts_environment', `
#include <stdlib.h>
#include <stdint.h>
#include <unistd.h>
#include <assert.h>
#include <turnstile.h>
#ifndef PAGE_SIZE
#define PAGE_SIZE 4096
#endif
')
define(`MAIN_ENV', `ts_environment')
define(`EXTERN_ENV', `ts_environment')
define(`MAIN_INITENV', `{;}')
define(`MAIN_INITENV_LITE', `{;}')
define(`MAIN_END', `{exit(0);}')
define(`MAIN_END_LITE', `{exit(0);}')

# ---- processes ----
ts_macro(`CREATE', `ifelse($#, 1, `{ts_create((void (*)(void))($1));}', `{ts_create_all((void (*)(void))($1), $2);}')')
ts_macro(`CREATE_LITE', `CREATE($@)')
define(`WAIT_FOR_END', `{ts_wait_for_end(ifelse(`$1', , 0, `$1'));}')
ts_macro(`GET_PID', `{($1) = ts_self();}')
define(`GET_PID_F', `ts_self()')
ts_macro(`GET_HOME', `{($1) = ts_self();}')

# ---- memory: a second argument is the process whose site is to be home ----
ts_macro(`G_MALLOC', `G_MALLOC_F($@);')
ts_macro(`G_MALLOC_F', `ifelse(`$2', , `ts_alloc($1)', `ts_alloc_at($1, $2)')')
ts_macro(`NU_MALLOC', `NU_MALLOC_F($@);')
ts_macro(`NU_MALLOC_F', `ifelse(`$2', , `ts_alloc($1)', `ts_alloc_at($1, $2)')')
ts_macro(`G_FREE', `{ts_free((void *)($1));}')
ts_macro(`NU_FREE', `{ts_free((void *)($1));}')

# ---- locks ----
ts_macro(`LOCKDEC', `ts_lock_t $1;')
ts_macro(`LOCKINIT', `{ts_lock_init(&($1), 1);}')
ts_macro(`LOCK', `{ts_lock(&($1));}')
ts_macro(`UNLOCK', `{ts_unlock(&($1));}')
ts_macro(`NLOCKDEC', `ts_lock_t $1;')
ts_macro(`NLOCKINIT', `{ts_lock_init(&($1), 1);}')
ts_macro(`NLOCK', `{ts_lock(&($1));}')
ts_macro(`NUNLOCK', `{ts_unlock(&($1));}')
ts_macro(`ALOCKDEC', `ts_lock_t $1[$2];')
ts_macro(`ALOCKINIT', `{ts_lock_init(($1), $2);}')
ts_macro(`ALOCK', `{ts_lock(&($1)[$2]);}')
ts_macro(`AULOCK', `{ts_unlock(&($1)[$2]);}')
ts_macro(`AGETL', `(($1)[$2])')

# ---- barriers ----
ts_macro(`BARDEC', `ts_barrier_t $1;')
ts_macro(`BARINIT', `{ts_barrier_init(&($1), ifelse(`$2', , 0, `$2'));}')
ts_macro(`BARRIER', `{ts_barrier(&($1), ifelse(`$2', , 0, `$2'));}')
ts_macro(`BAREXCLUDE', `{;}')
ts_macro(`BARINCLUDE', `{;}')

# ---- events ----
ts_macro(`PAUSEDEC', `ts_pause_t $1;')
ts_macro(`PAUSEINIT', `{ts_pause_init(&($1));}')
ts_macro(`SETPAUSE', `{ts_pause_set(&($1));}')
ts_macro(`CLEARPAUSE', `{ts_pause_clear(&($1));}')
ts_macro(`WAITPAUSE', `{ts_pause_wait(&($1));}')
ts_macro(`EVENT', `{ts_pause_set(&($1));}')
ts_macro(`POST', `{ts_pause_set(&($1));}')
ts_macro(`PAUSE', `{ts_pause_wait(&($1));}')

# ---- semaphores, condition variables ----
ts_macro(`SEMDEC', `ts_semaphore_t $1;')
ts_macro(`SEMINIT', `{ts_semaphore_init(&($1), ifelse(`$2', , 0, `$2'));}')
ts_macro(`SEMP', `{ts_semaphore_p(&($1));}')
ts_macro(`SEMV', `{ts_semaphore_v(&($1));}')
ts_macro(`CONDVARDEC', `ts_condition_t $1;')
ts_macro(`CONDVARINIT', `{ts_condition_init(&($1));}')
ts_macro(`CONDVARWAIT', `{ts_condition_wait(&($1), &($2));}')
ts_macro(`CONDVARSIGNAL', `{ts_condition_signal(&($1));}')
ts_macro(`CONDVARBCAST', `{ts_condition_signal(&($1));}')

# ---- self-scheduled loops, monitors, askfor ----
ts_macro(`GSDEC', `ts_getsub_t $1;')
ts_macro(`GSINIT', `{ts_getsub_init(&($1));}')
ts_macro(`GETSUB', `{($2) = ts_getsub(&($1), $3, $4);}')
ts_macro(`NU_GSDEC', `ts_getsub_t $1;')
ts_macro(`NU_GSINIT', `{ts_getsub_init(&($1));}')
ts_macro(`NU_GETSUB', `{($2) = ts_getsub(&($1), $3, $4);}')
ts_macro(`MONDEC', `ts_monitor_t $1;')
ts_macro(`MONINIT', `{ts_monitor_init(&($1), ifelse(`$2', , 1, `$2'));}')
ts_macro(`MENTER', `{ts_monitor_enter(&($1));}')
ts_macro(`MEXIT', `{ts_monitor_exit(&($1));}')
ts_macro(`DELAY', `{ts_monitor_delay(&($1), ifelse(`$2', , 0, `$2'));}')
ts_macro(`CONTINUE', `{ts_monitor_continue(&($1), ifelse(`$2', , 0, `$2'));}')
ts_macro(`ADEC', `ts_monitor_t $1;')
ts_macro(`AINIT', `{ts_monitor_init(&($1), 1);}')
# ASKFOR(monitor, result, processes, code that sets result to 0 when it found a problem, code that resets)
ts_macro(`ASKFOR', `{
    ts_monitor_enter(&($1));
    do {
        ($2) = 1;
        if (!ts_monitor_ended(&($1))) { $4 }
        if (($2) != 0) ($2) = ts_monitor_nothing(&($1), $3); else break;
        if (($2) != 0 && ts_monitor_last(&($1))) { $5 }
    } while (($2) == 0);
    ts_monitor_continue(&($1), 0);
}')
ts_macro(`PROBEND', `{ts_monitor_end(&($1), ifelse(`$2', , 1, `$2'));}')

# ---- atomic operations of the latest descendants ----
define(`ts_atomic', `({ts_guard(&($1)); __typeof__($1) ts_old_ = ($1); ($1) = $2; ts_unguard(&($1)); ts_old_;})')
ts_macro(`FETCH_ADD', `ts_atomic(`$1', `ts_old_ + ($2)')')
ts_macro(`FETCH_SUB', `ts_atomic(`$1', `ts_old_ - ($2)')')
ts_macro(`FETCH_ADD_DOUBLE', `ts_atomic(`*($1)', `ts_old_ + ($2)')')
ts_macro(`LOAD', `(*(volatile __typeof__($1) *)&($1))')
ts_macro(`STORE', `({ts_guard(&($1)); ($1) = ($2); ts_unguard(&($1));})')
ts_macro(`CAS', `({ts_guard(&($1)); int ts_same_ = ($1) == ($2);
    if (ts_same_) ($1) = ($3); else ($2) = ($1); ts_unguard(&($1)); ts_same_;})')
define(`RELEASE_FENCE', `{ts_fence();}')
define(`ACQUIRE_FENCE', `{ts_fence();}')
define(`FULL_FENCE', `{ts_fence();}')

# ---- time ----
ts_macro(`CLOCK', `{($1) = ts_clock();}')

# ---- the part of the program that is measured ----
define(`SPLASH3_ROI_BEGIN', `{ts_mark(1);}')
define(`SPLASH3_ROI_END', `{ts_mark(2);}')
define(`SPLASH4_ROI_BEGIN', `{ts_mark(1);}')
define(`SPLASH4_ROI_END', `{ts_mark(2);}')

# ---- instructions to simulators of long ago ----
ts_nothing(`AUG_ON', `AUG_OFF', `TRACE_ON', `TRACE_OFF', `REF_TRACE_ON', `REF_TRACE_OFF', `DYN_TRACE_ON',
`DYN_TRACE_OFF', `DYN_REF_TRACE_ON', `DYN_REF_TRACE_OFF', `DYN_SIM_ON', `DYN_SIM_OFF', `DYN_SCHED_ON', `DYN_SCHED_OFF',
`AUG_SET_LOLIMIT', `AUG_SET_HILIMIT', `AUG_DELAY', `AUG_INIT', `RESET_STATISTICS', `ALLOCATE_PAGE', `ALLOCATE_RANGE',
`NEWPROC')
ts_macro(`SET_HOME', `')
ts_macro(`ST_LOG', `')
ts_macro(`INITIALIZE', `')

# Words of m4 that are words of C programs too.
undefine(`builtin', `changeword', `debugfile', `debugmode', `decr', `defn', `divnum', `dumpdef', `errprint', `esyscmd',
`eval', `format', `incr', `index', `indir', `len', `m4exit', `m4wrap', `maketemp', `mkstemp', `patsubst', `popdef',
`pushdef', `regexp', `substr', `symbols', `syscmd', `sysval', `traceoff', `traceon', `translit', `undivert', `unix',
`__unix__', `__gnu__', `__file__', `__line__', `__program__', `shift', `ts_macro', `ts_nothing')
divert(0)dnl
