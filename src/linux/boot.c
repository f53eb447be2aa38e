/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/boot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
	uint64_t now;

	return boot_forks(&now) < 0 || now < forks ? UINT64_MAX : now - forks;
}
