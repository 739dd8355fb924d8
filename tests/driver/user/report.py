"""Of the tests in the guest: a line each, and one at the end, as tests/driver/guest says them."""
counted = {"passed": 0, "failed": 0}


def pytest_runtest_logreport(report):
    if report.when == "call" or report.failed:
        outcome = "passed" if report.passed else "failed"
        counted[outcome] += 1
        print(f"\nguest: {outcome if report.passed else 'FAILED'} {report.nodeid.split('::')[-1]}", flush=True)


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"guest: {counted['passed']} passed, {counted['failed']} failed")
