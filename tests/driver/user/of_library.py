"""libturnstile, by its Python module, against the RTL of the card."""
import ctypes
import os
import select
import signal
import subprocess
import sys
import threading
import time

import pytest
import turnstile
from kit import ADDRESS, AP, DRIVER, INSTALLED, NOBODY, SEED, asked, card_with_basic_queue, card_with_queue, in_child, process, seeded, send
from turnstile import Code


def test_a_card_says_what_it_is():
    with turnstile.Card() as card:
        assert card.path == "calls" # User-Mode Linux maps nothing
        assert card.express_queues == 0xC0 and card.shared_bytes == 7 << 20 and card.shared_address == 0x80800000


def test_the_message_that_arrives_is_the_one_sent():
    random = seeded()
    with card_with_queue() as a, card_with_queue() as b:
        for tag in [t for t in range(32) if t != 16]:
            word, priority = random.getrandbits(32), tag % 2
            a.send(turnstile.name_of_queue(0, b.queue), word, tag, priority)
            assert b.receive(timeout=5) == turnstile.Express(word, turnstile.name_of_queue(0, a.queue), tag, priority)
        assert a.poll() is None and b.poll() is None


def test_an_ap_answers_in_order():
    random = seeded()
    with card_with_queue() as card:
        words = [random.getrandbits(31) for _ in range(8)]
        for word in words:
            send(card, AP, word, tag=1)
        assert [card.receive(timeout=5).word for _ in words] == [word + 1 for word in words]


def test_a_full_queue_is_an_error_and_nothing_is_lost():
    """VY-22: while the aP does not read, its senders are held; the library tells that, and keeps what was not sent with the caller."""
    turns, flood = 60000, 1200
    with card_with_queue() as card:
        lost, full = card.lost(), 0
        asked(card, "COUNTED", 0)
        send(card, AP, turns, tag=5)
        for word in range(flood):
            while True:
                try:
                    card.send(AP, word, tag=6)
                    break
                except turnstile.Error as error:
                    assert error.code == Code.FULL and f"transmit queue {card.queue} has no room" in str(error)
                    full += 1
        assert full > 0 and card.receive(timeout=20).word == turns
        assert asked(card, "COUNTED", 0) == flood and card.lost() == lost


def test_a_basic_message_of_any_length_arrives_as_it_was_sent():
    """VY-16: between two processes' queues, and to an aP and back."""
    random = seeded()
    with card_with_basic_queue() as a, card_with_basic_queue() as b:
        for length in [0, 1, 7, 8, 9, 63, 64, 65, 87, 88, *(random.randrange(89) for _ in range(12))]:
            payload, tag = random.randbytes(length), random.randrange(16)
            a.basic_send(b.name, payload, tag)
            assert b.basic_receive(timeout=5) == turnstile.Basic(a.name, tag, payload)
            a.basic_send(AP, payload, tag)
            assert a.basic_receive(timeout=5) == turnstile.Basic(AP, tag, bytes(~byte & 255 for byte in payload))
        assert a.basic_poll() is None and a.basic_refused() == b.basic_refused() == (0, None)


def test_basic_messages_leave_together_in_order_and_a_full_ring_is_an_error():
    with card_with_basic_queue() as card:
        for i in range(16):
            card.basic_make(card.name, bytes([i]) * i)
        with pytest.raises(turnstile.Error, match="has 16 messages that have not left: launch them") as full:
            card.basic_make(card.name, b"")
        assert full.value.code == Code.FULL and card.basic_poll() is None
        card.basic_launch()
        assert [card.basic_receive(timeout=5).payload for _ in range(16)] == [bytes([i]) * i for i in range(16)]
        with pytest.raises(turnstile.Error, match="89 bytes: the legal range is 0..88"):
            card.basic_make(card.name, bytes(89))


def test_a_ring_that_is_not_read_loses_its_own_and_says_so():
    """More than the ring and what is on its way: another sender and the aP are served meanwhile."""
    with card_with_basic_queue() as reader, card_with_basic_queue() as sender:
        for i in range(100):
            while True:
                try:
                    sender.basic_send(reader.name, i.to_bytes(4, "little"))
                    break
                except turnstile.Error as error:
                    assert error.code == Code.FULL
        sender.basic_send(AP, b"a")
        assert sender.basic_receive(timeout=20).payload == bytes([~ord("a") & 255])
        came = []
        while message := reader.basic_poll():
            came.append(int.from_bytes(message.payload, "little"))
        assert came[:64] == list(range(64)) and came == sorted(came) and len(came) < 100
        count, why = reader.basic_refused()
        assert count > 0 and why == "a received message, lost because the ring stayed full"
        reader.basic_send(reader.name, b"again")
        assert reader.basic_receive(timeout=5).payload == b"again"


def test_the_next_owner_of_a_basic_queue_finds_nothing_of_the_last():
    def run():
        with card_with_basic_queue() as card:
            for _ in range(5):
                card.basic_send(card.name, b"secret")
            card.basic_make(card.name, b"never launched")
    first = in_child(run)
    assert first == 0
    with card_with_basic_queue() as card:
        assert card.basic_poll() is None
        card.basic_send(card.name, b"mine")
        assert card.basic_receive(timeout=5).payload == b"mine" and card.basic_poll() is None


def test_shared_memory_is_that_of_the_ap():
    with card_with_queue() as card:
        at = asked(card, "WHERE", 0) - card.shared_address
        for i in range(0, 1024, 171):
            card.store(at + 4 * i, (0xC0DE0000 + i).to_bytes(4, "little"))
            card.fence()
            assert asked(card, "LOAD", i) == 0xC0DE0000 + i
            assert asked(card, "STORE", i) == i
            assert int.from_bytes(card.load(at + 4 * i, 4), "little") == ~i & 0xFFFFFFFF


def test_shared_memory_keeps_stores_of_any_length():
    random = seeded()
    with turnstile.Card() as card:
        begin, size = card.shared_bytes // 2, 600
        card.store(begin, bytes(size))
        model = bytearray(size)
        for _ in range(40):
            at = random.randrange(size)
            data = random.randbytes(random.randrange(size - at + 1))
            card.store(begin + at, data)
            model[at:at + len(data)] = data
            at = random.randrange(size)
            n = random.randrange(size - at + 1)
            assert card.load(begin + at, n) == model[at:at + n]
        card.store(card.shared_bytes - 1, b"\x5a")
        assert card.load(card.shared_bytes - 1, 1) == b"\x5a"


@pytest.mark.parametrize("to, tag, priority, sentence", [
    (512, 0, 0, "name 512: legal are 0..511"), (-1, 0, 0, "legal are"), (1, 0, 0, "name 1: legal are 0..511 of which the last three bits are 2..7"), (8, 0, 0, "name 8"),
    (2, 32, 0, "tag 32: legal are 0..31, but 16"), (2, 16, 0, "tag 16"), (2, 0, 2, "priority 2: legal are 0 and 1"),
])
def test_a_message_that_is_not_legal_is_refused_in_words(to, tag, priority, sentence):
    with card_with_queue() as card:
        with pytest.raises((turnstile.Error, ValueError), match=sentence.replace("(", r"\(") if to >= 0 else "name -1") as refused:
            card.send(to, 0, tag, priority)
        assert to < 0 or refused.value.code == Code.ARGUMENT


@pytest.mark.parametrize("offset, size", [(7 << 20, 1), ((7 << 20) - 3, 4), (1 << 63, 1), ((1 << 64) - 1, 2)])
def test_memory_beyond_the_heap_is_refused(offset, size):
    with turnstile.Card() as card:
        buffer = ctypes.create_string_buffer(size)
        for call in (turnstile._lib.ts_load, turnstile._lib.ts_store):
            assert call(card._card, offset, buffer, size) == Code.ARGUMENT
        assert b"the heap has 0x700000" in turnstile._lib.ts_strerror(Code.ARGUMENT)


@pytest.mark.parametrize("device, code, sentence", [
    ("/dev/turnstile9", Code.NO_CARD, "/dev/turnstile9 is not there: load the driver"), ("/dev/null", Code.NO_CARD, "/dev/null is no Turnstile card"),
    ("/dev", Code.SYSTEM, "Is a directory"),
])
def test_what_is_no_card_is_said(device, code, sentence):
    with pytest.raises(turnstile.Error, match=sentence) as refused:
        turnstile.Card(device)
    assert refused.value.code == code


def test_a_user_without_permission_is_told():
    def run():
        with pytest.raises(turnstile.Error, match="this user may not read and write it") as refused:
            turnstile.Card()
        assert refused.value.code == Code.PERMISSION
    assert in_child(run, user=NOBODY) == 0


def test_a_library_of_another_tree_is_refused_by_build_id():
    program = "import turnstile\ntry:\n    turnstile.Card()\nexcept turnstile.Error as error:\n    print(error.code.name, error)"
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "TURNSTILE_LIBRARY": os.environ["OTHER_LIBRARY"]}, capture_output=True, text=True)
    assert done.stdout.startswith("VERSION") and "this library 0x0badcafe: build all of one tree" in done.stdout, done.stdout + done.stderr


def test_without_a_queue_nothing_is_sent_or_taken():
    with turnstile.Card() as card:
        for call in (lambda: card.send(AP, 0), card.poll, card.lost):
            with pytest.raises(turnstile.Error, match="ts_express_open first") as refused:
                call()
            assert refused.value.code == Code.NO_QUEUE
        card.express_open()
        with pytest.raises(turnstile.Error, match="has Express queue [67] already"):
            card.express_open()
        with pytest.raises(turnstile.Error) as late:
            card.receive(timeout=0.05)
        assert late.value.code == Code.TIMEOUT


def test_the_third_is_told_that_queues_are_taken_until_one_dies():
    def takes(ready):
        turnstile.Card().express_open()
        os.write(ready, b"!")
    with process(takes) as (first, _), card_with_queue(), turnstile.Card() as third:
        with pytest.raises(turnstile.Error, match=r"other processes have all Express queues \(0xc0\)") as refused:
            third.express_open()
        assert refused.value.code == Code.BUSY
        os.kill(first, signal.SIGKILL)
        os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
        assert third.express_open() in (6, 7)


def test_a_child_cannot_use_its_parents_card():
    with card_with_queue() as card:
        def run():
            for call in (lambda: card.send(AP, 0), card.poll, card.express_open, lambda: card.load(0, 4), card.fence):
                with pytest.raises(turnstile.Error, match="opened by the parent") as refused:
                    call()
                assert refused.value.code == Code.FORKED
            card.close()
            with card_with_queue() as own:
                assert own.queue != card.queue and asked(own, "ADD_ONE", 4) == 5
        assert in_child(run) == 0
        assert asked(card, "ADD_ONE", 6) == 7


def test_a_process_that_is_killed_in_the_middle_of_messages_harms_nobody():
    def floods(ready):
        with card_with_queue() as card:
            os.write(ready, str(card.queue).encode())
            word = 0
            while True:
                send(card, AP, word, tag=1) # it never reads the answers
                word += 1
    with card_with_queue() as other:
        for _ in range(3):
            with process(floods):
                assert asked(other, "ADD_ONE", 30) == 31
        assert asked(other, "ADD_ONE", 31) == 32 # behind all that the dead have asked: their answers have come, and the driver throws them away
    with card_with_queue() as a, card_with_queue() as b: # one of them has the queue of the dead
        for card in (a, b):
            assert asked(card, "ADD_ONE", 40) == 41


def test_threads_share_a_card():
    each, threads = 20, 4
    room = threading.Semaphore(8) # a host's queue holds so many: what comes beyond is lost
    with card_with_queue() as card:
        name = turnstile.name_of_queue(0, card.queue)
        wrong = []

        def sends(thread):
            try:
                for i in range(each):
                    room.acquire()
                    send(card, name, thread << 16 | i, tag=thread)
            except Exception as error:
                wrong.append(error)
        running = [threading.Thread(target=sends, args=(thread,)) for thread in range(threads)]
        for thread in running:
            thread.start()
        came = []
        while len(came) < each * threads and not wrong:
            came.append(card.receive(timeout=20))
            room.release()
        for thread in running:
            thread.join()
        assert not wrong and card.poll() is None
        for thread in range(threads):
            assert [m.word for m in came if m.tag == thread] == [thread << 16 | i for i in range(each)]


def test_a_card_that_is_taken_away_while_one_waits_is_gone():
    with card_with_queue() as card:
        answers = []

        def waits():
            try:
                card.receive(timeout=20)
            except turnstile.Error as error:
                answers.append(error.code)
        thread = threading.Thread(target=waits)
        thread.start()
        (DRIVER / "unbind").write_text(ADDRESS)
        thread.join()
        assert answers == [Code.GONE]
        for call in (lambda: card.send(AP, 0), card.poll, lambda: card.load(0, 4), lambda: card.store(0, b"abcd")):
            with pytest.raises(turnstile.Error, match="the card was taken away; close it"):
                call()
    (DRIVER / "bind").write_text(ADDRESS)
    with card_with_queue() as card:
        assert asked(card, "ADD_ONE", 9) == 10


def sent_later(send, seconds=0.5):
    """In a process of its own, while the caller waits."""
    def run():
        time.sleep(seconds)
        send()
    child = os.fork()
    if child == 0:
        try:
            run()
        finally:
            os._exit(0)
    return child


def express_to(queue, *words):
    def send_all():
        with card_with_queue() as card:
            for word in words:
                send(card, turnstile.name_of_queue(0, queue), word)
    return send_all


def test_who_waits_sleeps_until_the_message_comes():
    """Asleep: the process has used next to no time of the processor, and the message still comes at once."""
    with card_with_queue() as card:
        ring = card.basic_open()
        assert card.sleeps
        ring = turnstile.name_of_queue(0, ring - 8)

        def basic():
            with card_with_basic_queue() as other:
                other.basic_send(ring, b"basic")
        for wait, send_it, what in ((card.wait, express_to(card.queue, 7), 7), (card.basic_wait, basic, b"basic")):
            child = sent_later(send_it)
            begin, used = time.monotonic(), time.process_time()
            message = wait(timeout=20)
            assert what in (getattr(message, "word", None), getattr(message, "payload", None))
            assert time.monotonic() - begin > 0.4 and time.process_time() - used < 0.2
            os.waitpid(child, 0)


def test_a_wait_ends_in_time_and_a_message_that_is_there_is_taken_at_once():
    with card_with_queue() as card:
        begin = time.monotonic()
        with pytest.raises(turnstile.Error, match="no Express message came within 300 ms") as late:
            card.wait(timeout=0.3)
        assert late.value.code == Code.TIMEOUT and 0.3 <= time.monotonic() - begin < 5
        for word in range(3):
            card.send(turnstile.name_of_queue(0, card.queue), word)
        assert [card.wait(timeout=20).word for _ in range(3)] == [0, 1, 2]


def test_threads_that_sleep_on_one_card_get_a_message_each():
    with card_with_queue() as card:
        came = []
        threads = [threading.Thread(target=lambda: came.append(card.wait(timeout=20).word)) for _ in range(4)]
        for thread in threads:
            thread.start()
        os.waitpid(sent_later(express_to(card.queue, 1, 2, 3, 4)), 0)
        for thread in threads:
            thread.join()
        assert sorted(came) == [1, 2, 3, 4]


def test_a_card_is_waited_for_beside_other_files():
    with card_with_queue() as card:
        ready, write = os.pipe()
        assert select.select([card, ready], [], [], 0) == ([], [], [])
        child = sent_later(express_to(card.queue, 5))
        assert select.select([card, ready], [], [], 20)[0] == [card] and card.poll().word == 5
        os.write(write, b"x")
        assert select.select([card, ready], [], [], 20)[0] == [ready]
        os.waitpid(child, 0)
        os.close(ready)
        os.close(write)


def test_a_card_that_is_taken_away_wakes_who_sleeps():
    with card_with_queue() as card:
        child = sent_later(lambda: (DRIVER / "unbind").write_text(ADDRESS))
        with pytest.raises(turnstile.Error) as gone:
            card.wait()
        assert gone.value.code == Code.GONE
        os.waitpid(child, 0)
    (DRIVER / "bind").write_text(ADDRESS)
    with card_with_queue() as card:
        assert asked(card, "ADD_ONE", 9) == 10


def test_any_call_is_answered():
    """Names, tags, offsets and lengths of any value; buffers are as long as the length says, when that is not beyond the heap."""
    random, lib = seeded(), turnstile._lib
    some = [0, 1, 2, 7, 16, 31, 32, 511, 512, -1, 2**31 - 1, -2**31, 7 << 20, 2**32 - 1]
    room = ctypes.create_string_buffer(4096)

    def any_number():
        return random.choice(some) if random.random() < 0.7 else random.getrandbits(32)
    with card_with_queue() as card:
        card.basic_open()
        known = {0, 1, *Code, *range(0x10000)}
        for _ in range(1500):
            kind = random.randrange(7)
            if kind == 0:
                result = lib.ts_express_send(card._card, any_number(), any_number(), any_number(), any_number() & 0xFFFFFFFF)
            elif kind == 1:
                result = lib.ts_express_poll(card._card, ctypes.byref(turnstile._Express()))
            elif kind == 2:
                size = random.choice([0, 1, 3, 8, 64, 65, 100])
                at = random.choice([card.shared_bytes - 64, card.shared_bytes - size, card.shared_bytes, any_number() & 2**64 - 1, 2**64 - 4])
                result = random.choice([lib.ts_load, lib.ts_store])(card._card, at, room, size)
            elif kind == 3:
                result = lib.ts_express_open(card._card)
                assert result == Code.NO_QUEUE
            elif kind == 4:
                result = lib.ts_basic_make(card._card, any_number(), any_number(), room.raw[:88], any_number() & 0xFFFFFFFF)
            elif kind == 5:
                result = lib.ts_basic_launch(card._card) or lib.ts_basic_poll(card._card, ctypes.byref(turnstile._Basic())) or card.basic_refused()[0]
            else:
                result = lib.ts_express_lost(card._card)
            assert result in known
            assert lib.ts_strerror(result if random.random() < 0.5 else any_number() & 0x7FFFFFFF)
        while card.poll():
            pass
    with card_with_queue() as card:
        assert asked(card, "ADD_ONE", SEED) == SEED + 1


def test_a_program_built_by_pkg_config_sends_and_receives():
    for program in ("first-shared", "first-static"):
        done = subprocess.run([os.environ["PROGRAMS"] + "/" + program], env={"LD_LIBRARY_PATH": f"{INSTALLED}/lib"}, capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout == "42\n", done.stdout + done.stderr
