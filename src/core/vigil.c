/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "core/vigil.h"

#include "linux/boot.h"
#include "linux/clock.h"
#include "linux/scan.h"

int vigil_open(struct vigil *vigil, struct target *targets, size_t count)
{
	struct vigil opened = { .watch = WATCH_NULL, .targets = targets, .count = count };
	int rc = watch_open(&opened.watch);

	if (boot_forks(&opened.forks) < 0)
		opened.forks = UINT64_MAX;
	opened.in_use = boot_numbers_in_use();
	for (size_t i = 0; !rc && i < count; i++) {
		if (targets[i].dead)
			continue;
		rc = watch_add(&opened.watch, &targets[i].ref, &targets[i]);
		opened.awaited++;
	}
	if (rc < 0) {
		watch_close(&opened.watch);
		return rc;
	}
	*vigil = opened;
	return 0;
}

int vigil_next(struct vigil *vigil, struct target **ended, int *signal)
{
	void *found = NULL;
	int rc;

	while (vigil->dead < vigil->count) {
		struct target *target = &vigil->targets[vigil->dead++];

		if (!target->dead)
			continue;
		*ended = target;
		return 1;
	}
	if (!vigil->awaited)
		return 0;
	do {
		rc = watch_wait(&vigil->watch, CLOCK_NEVER, &found, 1, signal);
	} while (rc == 0);
	if (rc < 0)
		return rc;
	vigil->awaited--;
	*ended = found;
	(*ended)->dead = true;
	return 1;
}

struct numbers vigil_numbers(const struct vigil *vigil)
{
	return (struct numbers){
		.forks = boot_forks_since(vigil->forks),
		.in_use = vigil->in_use,
		.max = scan_pid_max(),
	};
}

void vigil_close(struct vigil *vigil)
{
	watch_close(&vigil->watch);
	*vigil = VIGIL_NULL;
}
