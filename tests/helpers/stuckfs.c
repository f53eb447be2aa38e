// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stuckfs NAME FOLDER - mount a file system on FOLDER with one file, `file`, and answer no read
 *
 * Whoever reads the file waits until this process ends, and does not even die of KILL before.
 * Writes "NAME PID" to descriptor 9 when it is mounted, and "NAME-read PID" with the PID of each
 * reader (0: somebody outside its PID namespace). Exits with 77 where it cannot be mounted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_ID	  2
#define FILE_SIZE 65536

static int device;

static void answer(const struct fuse_in_header *to, int error, const void *body, size_t size)
{
	struct {
		struct fuse_out_header header;
		char body[256];
	} reply = { .header = { .len = (unsigned)(sizeof(reply.header) + size),
				.error = -error,
				.unique = to->unique } };

	if (size)
		memcpy(reply.body, body, size);
	if (write(device, &reply, reply.header.len) < 0 && errno != ENOENT)
		perror("stuckfs: write");
}

static struct fuse_attr attributes(unsigned long node)
{
	return (struct fuse_attr){
		.ino = node,
		.size = node == FILE_ID ? FILE_SIZE : 0,
		.mode = node == FILE_ID ? S_IFREG | 0444 : S_IFDIR | 0755,
		.nlink = 1,
		.blksize = 4096,
	};
}

static void serve(const struct fuse_in_header *asked, const char *body, const char *name)
{
	const struct fuse_init_in *init = (const void *)body;
	const struct fuse_open_in *open = (const void *)body;
	struct fuse_init_out ready = { .major = FUSE_KERNEL_VERSION,
				       .minor = FUSE_KERNEL_MINOR_VERSION,
				       .max_write = 4096 };
	struct fuse_attr_out attr = { .attr_valid = 3600, .attr = attributes(asked->nodeid) };
	struct fuse_entry_out entry = { .nodeid = FILE_ID,
					.entry_valid = 3600,
					.attr_valid = 3600,
					.attr = attributes(FILE_ID) };
	struct fuse_open_out opened = { .fh = 1 };

	switch (asked->opcode) {
	case FUSE_INIT:
		if (init->minor < ready.minor)
			ready.minor = init->minor;
		answer(asked, 0, &ready, sizeof(ready));
		break;
	case FUSE_GETATTR:
		answer(asked, 0, &attr, sizeof(attr));
		break;
	case FUSE_LOOKUP:
		if (strcmp(body, "file") != 0)
			answer(asked, ENOENT, NULL, 0);
		else
			answer(asked, 0, &entry, sizeof(entry));
		break;
	case FUSE_OPEN:
		opened.open_flags = FOPEN_KEEP_CACHE;
		opened.open_flags |= open->flags & O_DIRECT ? FOPEN_DIRECT_IO : 0;
		answer(asked, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		dprintf(9, "%s-read %u\n", name, asked->pid);
		break;
	case FUSE_INTERRUPT:
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
		break;
	default:
		answer(asked, ENOSYS, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	static char request[FUSE_MIN_READ_BUFFER + 4096];
	char options[128];

	if (argc != 3) {
		fprintf(stderr, "usage: stuckfs NAME FOLDER\n");
		return 2;
	}
	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (device < 0) {
		perror("/dev/fuse");
		return 77;
	}
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%u,group_id=%u", device,
		 getuid(), getgid());
	if (mount("stuckfs", argv[2], "fuse.stuckfs", MS_NOSUID | MS_NODEV, options) < 0) {
		perror("stuckfs: mount");
		return 77;
	}
	dprintf(9, "%s %d\n", argv[1], getpid());
	for (;;) {
		ssize_t size = read(device, request, sizeof(request));

		if (size < (ssize_t)sizeof(struct fuse_in_header)) {
			if (size < 0 && (errno == EINTR || errno == ENOENT))
				continue;
			perror("stuckfs: read");
			return 125;
		}
		request[size < (ssize_t)sizeof(request) ? size : size - 1] = '\0';
		serve((void *)request, request + sizeof(struct fuse_in_header), argv[1]);
	}
}
