/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/boot.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

int boot_id(char id[37])
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	char line[64] = "";
	int rc = 0;

	if (!file)
		return -errno;
	if (!fgets(line, sizeof(line), file) || strcspn(line, "\n") != 36)
		rc = -EPROTO;
	fclose(file);
	if (rc == 0) {
		memcpy(id, line, 36);
		id[36] = '\0';
	}
	return rc;
}

int boot_forks(uint64_t *forks)
{
	FILE *file = fopen("/proc/stat", "re");
	char line[256];
	int rc = -ENODATA;

	if (!file)
		return -errno;
	while (rc < 0 && fgets(line, sizeof(line), file))
		if (sscanf(line, "processes %" SCNu64, forks) == 1)
			rc = 0;
	fclose(file);
	return rc;
}

uint64_t boot_forks_since(uint64_t forks)
{
	uint64_t now = 0;

	return boot_forks(&now) < 0 || now < forks ? UINT64_MAX : now - forks;
}

/* "0.20 0.18 0.12 1/80 11206": 80 threads (proc_loadavg(5)), if that is not a file of lxcfs. */
uint64_t boot_numbers_in_use(void)
{
	FILE *file = fopen("/proc/loadavg", "re");
	uint64_t threads = 0;
	struct statfs fs;

	if (!file)
		return UINT64_MAX;
	if (fstatfs(fileno(file), &fs) < 0 || fs.f_type != PROC_SUPER_MAGIC ||
	    fscanf(file, "%*s %*s %*s %*u/%" SCNu64, &threads) != 1)
		threads = 0;
	fclose(file);
	return threads ? 3 * threads : UINT64_MAX;
}
