/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/reading.h"
#include "linux/scan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The path of @pid in the hierarchy of the v1 freezer: "5:freezer:/build/7" (cgroups(7)). */
static bool find_freezer(pid_t pid, char *path, size_t size)
{
	char line[512], *place = NULL;
	FILE *file;

	snprintf(line, sizeof(line), "/proc/%d/cgroup", pid);
	file = fopen(line, "re");
	while (file && !place && fgets(line, sizeof(line), file))
		place = strstr(line, ":freezer:");
	if (place) {
		place += strlen(":freezer:");
		place[strcspn(place, "\n")] = '\0';
		snprintf(path, size, "/sys/fs/cgroup/freezer%s/freezer.state", place);
	}
	if (file)
		fclose(file);
	return place;
}

bool scan_frozen(pid_t pid)
{
	char path[640], state[32] = "";
	FILE *file;

	if (!find_freezer(pid, path, sizeof(path)))
		return false;
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(state, sizeof(state), file))
		state[0] = '\0';
	fclose(file);
	return strncmp(state, "FR", 2) == 0; /* FROZEN or FREEZING */
}

int scan_tracer(struct scan *scan, pid_t pid, struct process *tracer)
{
	char line[256];
	int number;

	if (reading_status(pid, "TracerPid:", line, sizeof(line)) < 0 ||
	    sscanf(line, "TracerPid: %d", &number) != 1 || number <= 0)
		return -ESRCH;
	return scan_process(scan, number, tracer);
}
