/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <poll.h>

/* To whoever asks, there is always something to read and room for more: others were faster. */
static int hasty_poll(struct pollfd *pollers, nfds_t count, int timeout)
{
	(void)count;
	(void)timeout;
	pollers->revents = pollers->events;
	return 1;
}

#define poll hasty_poll
#include "linux/output.c"
#include "linux/pidfile.c"
#undef poll

#include "linux/bounded.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#include <cmocka.h>

#define TEST(sentence, function)                                                                   \
	{                                                                                          \
		sentence, function, set_up, tear_down, NULL                                        \
	}

static int empty[2], full[2];

static int set_up(void **state)
{
	char text[PIPE_BUF] = "";

	(void)state;
	if (pipe2(empty, O_CLOEXEC) < 0 || pipe2(full, O_CLOEXEC | O_NONBLOCK) < 0)
		return -1;
	while (write(full[1], text, sizeof(text)) > 0)
		;
	fcntl(full[1], F_SETFL, 0);
	return dup2(empty[0], STDIN_FILENO) < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		close(empty[i]);
		close(full[i]);
	}
	return 0;
}

static void deal_with_alarm(int how, void (*handler)(int))
{
	const struct sigaction action = { .sa_handler = handler };
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	assert_int_equal(sigprocmask(how, &alarm, NULL), 0);
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
}

static void assert_bounded(void)
{
	char text[PIPE_BUF] = "";

	assert_int_equal(bounded_read(empty[0], text, sizeof(text)), -1);
	assert_int_equal(errno, EINTR);
	assert_int_equal(bounded_write(full[1], text, sizeof(text)), -1);
	assert_int_equal(errno, EINTR);
}

static void test_by_default(void **state)
{
	(void)state;
	deal_with_alarm(SIG_UNBLOCK, SIG_DFL);
	assert_bounded();
}

static void test_blocked(void **state)
{
	(void)state;
	deal_with_alarm(SIG_BLOCK, SIG_DFL);
	assert_bounded();
}

static void test_ignored(void **state)
{
	(void)state;
	deal_with_alarm(SIG_UNBLOCK, SIG_IGN);
	assert_bounded();
}

static void test_what_is_ready(void **state)
{
	char text[8] = "";

	(void)state;
	assert_int_equal(bounded_write(empty[1], "text", 4), 4);
	assert_int_equal(bounded_read(empty[0], text, sizeof(text)), 4);
	assert_string_equal(text, "text");
	assert_int_equal(bounded_read(-1, text, sizeof(text)), -1);
	assert_int_equal(errno, EBADF);
}

static void test_left_as_it_was(void **state)
{
	const struct itimerval far = { .it_value.tv_sec = 1000, .it_interval.tv_sec = 7 };
	const struct itimerval never = { 0 };
	struct sigaction action;
	struct itimerval timer;
	sigset_t mask;

	(void)state;
	deal_with_alarm(SIG_BLOCK, SIG_IGN);
	assert_int_equal(setitimer(ITIMER_REAL, &far, NULL), 0);
	assert_bounded();
	assert_int_equal(setitimer(ITIMER_REAL, &never, &timer), 0);
	assert_in_range(timer.it_value.tv_sec, 900, 1000);
	assert_int_equal(timer.it_interval.tv_sec, 7);
	assert_int_equal(sigaction(SIGALRM, NULL, &action), 0);
	assert_true(action.sa_handler == SIG_IGN);
	assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &mask), 0);
	assert_int_equal(sigismember(&mask, SIGALRM), 1);
}

static void test_input(void **state)
{
	uint64_t until = clock_now() + NS_PER_SECOND / 20;
	struct pidfile file;
	struct error error;

	(void)state;
	deal_with_alarm(SIG_BLOCK, SIG_DFL);
	assert_int_equal(pidfile_read_input(PIDFILE_MAX, until, &file, &error), -ETIMEDOUT);
	assert_int_equal(error.status, STATUS_REFUSED);
	assert_string_equal(error.text, "standard input: did not come to its end in time");
}

static void test_output(void **state)
{
	struct output output;

	(void)state;
	deal_with_alarm(SIG_BLOCK, SIG_DFL);
	assert_int_equal(output_open(&output, full[1]), 0);
	fprintf(output.stream, "never\n");
	output_push(&output);
	assert_int_equal(output_finish(&output, clock_now() + NS_PER_SECOND / 20), -ETIMEDOUT);
	output_close(&output);
}

/* What would block for ever ends so. */
static int set_limit(void)
{
	struct sigevent end = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };
	const struct itimerspec limit = { .it_value.tv_sec = 20 };
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &end, &timer) < 0)
		return -1;
	return timer_settime(timer, 0, &limit, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST("neither a read nor a write blocks", test_by_default),
		TEST("nor where SIGALRM is blocked", test_blocked),
		TEST("nor where it is ignored", test_ignored),
		TEST("what is ready is read and written", test_what_is_ready),
		TEST("mask, disposition and timer of the caller's are as before",
		     test_left_as_it_was),
		TEST("standard input whose other readers are faster ends in time", test_input),
		TEST("output whose other writers are faster ends in time", test_output),
	};

	if (set_limit() < 0)
		return 99;
	return cmocka_run_group_tests_name("bounded", tests, NULL, NULL);
}
