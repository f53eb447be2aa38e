// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * malformed DIRECTORY - write each content of the table to a file there, and a line for each to
 * standard output: the file's name, its exit status, a piece of what is to be said, and its name in
 * words, with tabs between them
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../malformed.h"

static int write_row(size_t number)
{
	const struct malformed *row = &malformed[number];
	size_t size;
	char *text = malformed_content(row, &size);
	char name[32];
	FILE *file;
	int failed = 1;

	snprintf(name, sizeof(name), "%03zu", number);
	file = fopen(name, "w");
	if (text && file)
		failed = fwrite(text, 1, size, file) != size;
	if (file)
		failed |= fclose(file) != 0;
	free(text);
	printf("%s\t%d\t%s\t%s\n", name, row->says ? 3 : 0, row->says ? row->says : "PID 4712 (",
	       row->name);
	return failed;
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc != 2 || chdir(argv[1]) < 0) {
		fprintf(stderr, "usage: malformed DIRECTORY\n");
		return 2;
	}
	umask(022);
	for (size_t i = 0; i < MALFORMED_COUNT; i++)
		failed |= write_row(i);
	if (failed || fflush(stdout) != 0) {
		perror("malformed");
		return 1;
	}
	return 0;
}
