/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cli/progress.h"

#include "cli/words.h"
#include "linux/clock.h"

/* Who waits less needs no line; and who waits longer wants to read it. */
#define PATIENCE      NS_PER_SECOND
#define REWRITE_EVERY (NS_PER_SECOND / 4)

#define WIDTH_UNKNOWN 80
#define LINE_SIZE     512

/* Who could not be signalled is not waited for, and named at the end. */
static bool is_waited_for(const struct victim *victim)
{
	return victim->fate == FATE_LISTED || victim->fate == FATE_PINNED ||
	       victim->fate == FATE_SIGNALLED;
}

static bool is_over(const struct victim *victim)
{
	return victim->fate == FATE_ENDED || victim->fate == FATE_VANISHED;
}

/* "4s" until @then, and not 0s before. */
static char *show_left(char *text, size_t size, uint64_t then, uint64_t now)
{
	uint64_t left = then > now ? then - now + NS_PER_SECOND - 1 : 0;

	return words_age(text, size, 0, left / NS_PER_SECOND, 1);
}

/* "nskill: 3 of 57 alive, oldest 5089 (sleep), 12s old; KILL in 4s; 14s left" */
static void write_line(char *text, size_t size, const struct kill *kill, uint64_t now)
{
	const struct victim *oldest = NULL;
	size_t alive = 0, over = 0, used;
	char who[WHO_SIZE], left[32];

	for (size_t i = 0; i < kill->victim_count; i++) {
		const struct victim *victim = kill->victims[i];

		over += is_over(victim);
		if (!is_waited_for(victim))
			continue;
		alive++;
		if (!oldest || process_compare_age(&victim->process, &oldest->process) < 0)
			oldest = victim;
	}
	used = (size_t)snprintf(text, size, "nskill: %zu of %zu alive", alive, alive + over);
	if (oldest)
		used += (size_t)snprintf(text + used, size - used, ", oldest %s",
					 words_process(who, sizeof(who), &oldest->process));
	if (kill->escalation != CLOCK_NEVER)
		used += (size_t)snprintf(text + used, size - used, "; KILL in %s",
					 show_left(left, sizeof(left), kill->escalation, now));
	if (kill->orders.deadline != CLOCK_NEVER)
		snprintf(text + used, size - used, "; %s left",
			 show_left(left, sizeof(left), kill->orders.deadline, now));
}

void progress_show(struct progress *progress, struct output *err, const struct kill *kill)
{
	uint64_t now = clock_now();
	char line[LINE_SIZE];
	size_t width;

	if (!progress->next)
		progress->next = now + PATIENCE;
	if (now < progress->next)
		return;
	progress->next = now + REWRITE_EVERY;
	if (!output_takes_line(err))
		return;
	write_line(line, sizeof(line), kill, now);
	/* The last column stays free: a cursor behind it may go on to the next line. */
	width = output_width(err);
	width = width ? width - 1 : WIDTH_UNKNOWN - 1;
	if (width < sizeof(line))
		line[width] = '\0';
	output_line(err, line);
}

void progress_end(struct progress *progress, struct output *err)
{
	output_line(err, "");
	*progress = (struct progress){ 0 };
}
