/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "linux/cgroup.h"

#include "core/cleanup.h"
#include "core/list.h"
#include "linux/again.h"
#include "linux/close.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { UNIFIED, PIDS, NAMED, HIERARCHIES };

struct hierarchy {
	char prefix[16]; /* of its line in /proc/PID/cgroup: "0:" */
	char *mount;
	struct stat root;
};

/* Where a path has led. */
struct known {
	char *path;
	struct cgroup *cgroup;
	unsigned long round; /* when that was found */
};

struct cgroups {
	struct hierarchy hierarchy;
	struct cgroup **list; /* all that have been seen: the first is the root */
	size_t count;
	void *by_path; /* tsearch(3) tree of struct known */
	struct known *last;
	unsigned long round; /* 0: none is going on, and every path is looked up */
	unsigned long rounds;
	char *line, *again; /* of getline(3) */
	size_t line_size, again_size;
};

static void close_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

static bool has_word(const char *list, const char *word, size_t length)
{
	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, word, length) == 0 && (at[length] == '\0' || at[length] == ','))
			return true;
	}
	return false;
}

/*
 * The number that the hierarchy has in /proc/PID/cgroup, "8:pids:/build/7" (cgroups(7)); the
 * unified one has no controllers there, and the number 0.
 */
static int find_number(const char *controller, size_t length, struct hierarchy *hierarchy)
{
	cleanup(close_file) FILE *file = fopen("/proc/self/cgroup", "re");
	cleanup(free_pointer) char *line = NULL;
	size_t size = 0;

	if (!file)
		return -errno;
	while (getline(&line, &size, file) > 0) {
		char *list = strchr(line, ':');
		char *end = list ? strchr(list + 1, ':') : NULL;

		if (!end || list - line + 2 > (ptrdiff_t)sizeof(hierarchy->prefix))
			continue;
		*end = '\0';
		if (length ? has_word(list + 1, controller, length) : list[1] == '\0') {
			list[1] = '\0';
			strcpy(hierarchy->prefix, line);
			return 0;
		}
	}
	return ferror(file) ? -EIO : -ENOENT;
}

/* What proc_pid_mountinfo(5) writes as "\040". */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		unsigned character;

		if (sscanf(from, "\\%3o", &character) == 1) {
			*to = (char)character;
			from += strlen("\\040");
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

/* Whether that path leads to that very mount, with no other over it (where the kernel tells). */
static int check_mount(struct hierarchy *hierarchy, unsigned id)
{
	cleanup(close_descriptor) int fd = open(hierarchy->mount, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct statx stx;

	if (fd < 0 || fstat(fd, &hierarchy->root) < 0)
		return -errno;
	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &stx) < 0)
		return errno == ENOSYS || errno == EPERM ? 0 : -errno;
	return stx.stx_mask & STATX_MNT_ID && stx.stx_mnt_id != id ? -ESTALE : 0;
}

/* Which of ours a mount is, or -1. @name: what tells its line in /proc/PID/cgroup. */
static int kind_of(const char *type, const char *options, const char **name, size_t *length)
{
	const char *named = strstr(options, "name=");

	*name = "";
	*length = 0;
	if (strcmp(type, "cgroup2") == 0)
		return UNIFIED;
	if (strcmp(type, "cgroup") != 0)
		return -1;
	*name = named ? named : "pids";
	*length = strcspn(*name, ",");
	if (named)
		return NAMED;
	return has_word(options, *name, *length) ? PIDS : -1;
}

/*
 * "31 23 0:27 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw". The fourth field is the
 * root of the mount as seen from our own cgroup namespace (cgroup_namespaces(7)): with another than
 * "/" it does not show what our paths say. 0, also for one that does not count, or the errno of
 * what should be tried again.
 */
static int read_mount(char *line, struct hierarchy found[HIERARCHIES])
{
	cleanup(free_pointer) char *root = NULL;
	cleanup(free_pointer) char *mount = NULL;
	cleanup(free_pointer) char *options = NULL;
	struct hierarchy hierarchy = { .mount = NULL };
	const char *name, *rest = strstr(line, " - ");
	char type[16];
	size_t length;
	unsigned id;
	int rc = -EIO, kind = -1;

	if (rest && sscanf(line, "%u %*s %*s %ms %ms", &id, &root, &mount) == 3 &&
	    sscanf(rest, " - %15s %*s %ms", type, &options) == 2)
		kind = kind_of(type, options, &name, &length);
	if (kind < 0 || found[kind].mount || strcmp(root, "/") != 0)
		return 0;
	unescape(mount);
	hierarchy.mount = mount;
	for (int try = 0; rc < 0 && rc != -ESTALE && try < TRIES; try++) {
		rc = check_mount(&hierarchy, id);
		if (!rc)
			rc = find_number(name, length, &hierarchy);
	}
	if (rc < 0)
		return rc == -ESTALE || is_refusal(rc) ? 0 : rc;
	found[kind] = hierarchy;
	mount = NULL;
	return 0;
}

static bool is_in_use(const struct hierarchy *hierarchy)
{
	return hierarchy->mount && hierarchy->root.st_nlink > 2; /* "." and ".." of none below */
}

static void choose(struct hierarchy found[HIERARCHIES], struct hierarchy *chosen)
{
	int kind = 0;

	while (kind < HIERARCHIES && !is_in_use(&found[kind]))
		kind++;
	if (kind == HIERARCHIES)
		kind = 0;
	while (kind < HIERARCHIES && !found[kind].mount)
		kind++;
	for (int other = 0; other < HIERARCHIES; other++)
		if (other != kind)
			free(found[other].mount);
	if (kind < HIERARCHIES)
		*chosen = found[kind];
}

static int find_hierarchy(struct hierarchy *chosen)
{
	cleanup(close_file) FILE *file = fopen("/proc/self/mountinfo", "re");
	cleanup(free_pointer) char *line = NULL;
	struct hierarchy found[HIERARCHIES] = { 0 };
	size_t size = 0;
	int rc = file ? 0 : -errno;

	while (!rc && getline(&line, &size, file) > 0)
		rc = strchr(line, '\n') ? read_mount(line, found) : -EIO;
	if (!rc && ferror(file))
		rc = -EIO;
	choose(found, chosen);
	if (rc < 0) {
		free(chosen->mount);
		chosen->mount = NULL;
	}
	return rc;
}

/* One that is not noted yet. NULL: out of memory. */
static struct cgroup *note(struct cgroups *cgroups, uint64_t id, const struct cgroup *parent,
			   const char *path)
{
	struct cgroup **place = list_append(&cgroups->list, &cgroups->count, sizeof(*place));
	char *folder = NULL;

	if (!place)
		return NULL;
	*place = calloc(1, sizeof(**place));
	if (!*place || asprintf(&folder, "%s%s", cgroups->hierarchy.mount, path) < 0) {
		free(*place);
		cgroups->count--;
		return NULL;
	}
	**place = (struct cgroup){
		.id = id,
		.parent = parent,
		.path = folder + strlen(cgroups->hierarchy.mount),
		.folder = folder,
	};
	return *place;
}

int cgroups_open(struct cgroups **cgroups)
{
	struct cgroups *opened = calloc(1, sizeof(*opened));
	int rc = -EIO;

	if (!opened)
		return -ENOMEM;
	for (int try = 0; rc < 0 && try < TRIES; try++)
		rc = find_hierarchy(&opened->hierarchy);
	if (!rc && opened->hierarchy.mount &&
	    !note(opened, opened->hierarchy.root.st_ino, NULL, "/"))
		rc = -ENOMEM;
	if (rc < 0)
		cgroups_close(opened);
	else
		*cgroups = opened;
	return rc;
}

static void free_known(void *node)
{
	struct known *known = node;

	free(known->path);
	free(known);
}

void cgroups_close(struct cgroups *cgroups)
{
	if (!cgroups)
		return;
	tdestroy(cgroups->by_path, free_known);
	for (size_t i = 0; i < cgroups->count; i++) {
		free((char *)cgroups->list[i]->folder);
		free(cgroups->list[i]);
	}
	free(cgroups->list);
	free(cgroups->hierarchy.mount);
	free(cgroups->line);
	free(cgroups->again);
	free(cgroups);
}

/*
 * The path of @pid, at the end of *@line. 0 or a negative errno; -ENOENT: outside of what we see.
 */
static int read_path(const struct cgroups *cgroups, pid_t pid, char **line, size_t *size,
		     const char **path)
{
	const char *prefix = cgroups->hierarchy.prefix;
	cleanup(close_file) FILE *file = NULL;
	char name[32];

	snprintf(name, sizeof(name), "/proc/%d/cgroup", pid);
	file = fopen(name, "re");
	if (!file)
		return -errno;
	while (errno = 0, getline(line, size, file) > 0) {
		if (strncmp(*line, prefix, strlen(prefix)) != 0)
			continue;
		if (!strchr(*line, '\n'))
			break; /* the rest could not be read */
		*path = strchr(*line + strlen(prefix), ':');
		(*line)[strcspn(*line, "\n")] = '\0';
		if (!*path || (*path)[1] != '/' || strncmp(*path, ":/..", 4) == 0)
			return -ENOENT;
		++*path;
		return 0;
	}
	return errno ? -errno : -EIO;
}

static int compare_known(const void *a, const void *b)
{
	return strcmp(((const struct known *)a)->path, ((const struct known *)b)->path);
}

static struct known *find_known(struct cgroups *cgroups, const char *path)
{
	struct known key = { .path = (char *)path };
	struct known **found;

	if (cgroups->last && strcmp(cgroups->last->path, path) == 0)
		return cgroups->last;
	found = tfind(&key, &cgroups->by_path, compare_known);
	if (found)
		cgroups->last = *found;
	return found ? *found : NULL;
}

/* What the path leads to now, to be had again by it. */
static int remember(struct cgroups *cgroups, const char *path, struct cgroup *cgroup)
{
	struct known *known = find_known(cgroups, path);

	if (!known) {
		known = calloc(1, sizeof(*known));
		if (known)
			known->path = strdup(path);
		if (!known || !known->path || !tsearch(known, &cgroups->by_path, compare_known)) {
			if (known)
				free_known(known);
			return -ENOMEM;
		}
	}
	known->cgroup = cgroup;
	known->round = cgroups->round;
	cgroups->last = known;
	return 0;
}

static struct cgroup *find_noted(const struct cgroups *cgroups, uint64_t id)
{
	for (size_t i = 0; i < cgroups->count; i++)
		if (cgroups->list[i]->id == id)
			return cgroups->list[i];
	return NULL;
}

/*
 * From @folder, which is closed, up: what is above it is found through it, so that it cannot be
 * another's. @path is cut at its end on the way.
 */
static struct cgroup *climb(struct cgroups *cgroups, int folder, char *path)
{
	struct cgroup *parent = cgroups->list[0], *noted = NULL;
	char *name = strrchr(path, '/');
	struct stat st;
	bool found = fstat(folder, &st) == 0 && st.st_dev == cgroups->hierarchy.root.st_dev;
	int above = -1;

	if (found)
		noted = find_noted(cgroups, st.st_ino);
	if (found && !noted && name > path)
		above = openat(folder, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	close(folder);
	if (!found || noted)
		return noted;
	if (name > path) {
		*name = '\0';
		parent = above < 0 ? NULL : climb(cgroups, above, path);
		*name = '/';
	}
	return parent ? note(cgroups, st.st_ino, parent, path) : NULL;
}

static int find_cgroup(struct cgroups *cgroups, const char *path, struct cgroup **cgroup)
{
	cleanup(free_pointer) char *name = NULL;
	int folder;

	if (asprintf(&name, "%s%s", cgroups->hierarchy.mount, path) < 0)
		return -ENOMEM;
	folder = open(name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return -errno;
	errno = 0;
	*cgroup = climb(cgroups, folder, name + strlen(cgroups->hierarchy.mount));
	if (!*cgroup)
		return errno ? -errno : -ESTALE;
	return remember(cgroups, path, *cgroup);
}

/*
 * A cgroup with a process in it cannot be removed, so that a path which is the process's before and
 * after it was looked up leads to that cgroup, though others may have borne it.
 */
static int read_once(struct cgroups *cgroups, pid_t pid, struct cgroup **cgroup)
{
	const char *path = "", *again = "";
	int rc = read_path(cgroups, pid, &cgroups->line, &cgroups->line_size, &path);
	const struct known *known = rc < 0 ? NULL : find_known(cgroups, path);

	if (known && cgroups->round && known->round == cgroups->round) {
		*cgroup = known->cgroup;
		return 0;
	}
	if (!rc)
		rc = find_cgroup(cgroups, path, cgroup);
	if (!rc)
		rc = read_path(cgroups, pid, &cgroups->again, &cgroups->again_size, &again);
	return rc ? rc : strcmp(path, again) ? -EAGAIN : 0;
}

/* Of v1, who is dead has gone back to the root, though threads of his may live on elsewhere. */
static bool is_led_by_a_dead(const struct cgroups *cgroups, const struct process *process)
{
	return process->state == 'Z' && strcmp(cgroups->hierarchy.prefix, "0:") != 0;
}

int cgroups_read(struct cgroups *cgroups, const struct process *process,
		 const struct cgroup **cgroup)
{
	struct cgroup *found = NULL;
	int rc = -EIO;

	*cgroup = NULL;
	if (!cgroups->hierarchy.mount || is_led_by_a_dead(cgroups, process))
		return 0;
	for (int try = 0; rc < 0 && try < TRIES; try++) {
		rc = read_once(cgroups, process->pid, &found);
		if (rc < 0 && is_gone(process->pid))
			return -ESRCH;
	}
	if (!rc)
		*cgroup = found;
	return rc == -ENOENT || rc == -ESTALE || rc == -EAGAIN ? 0 : rc;
}

void cgroups_begin(struct cgroups *cgroups)
{
	cgroups->round = ++cgroups->rounds;
}

static bool has_changed(const struct cgroup *cgroup)
{
	struct stat st;

	return stat(cgroup->folder, &st) == 0 && st.st_ino != cgroup->id;
}

void cgroups_end(struct cgroups *cgroups, struct snapshot *snapshot)
{
	cgroups->round = 0;
	for (size_t i = 0; i < cgroups->count; i++) {
		if (!has_changed(cgroups->list[i]))
			continue;
		for (size_t p = 0; p < snapshot->count; p++)
			if (snapshot->processes[p].cgroup == cgroups->list[i])
				snapshot->processes[p].cgroup = NULL;
	}
}

void cgroup_close(struct cgroup_ref *ref)
{
	close_descriptor(&ref->folder);
	close_descriptor(&ref->kill);
	*ref = CGROUP_REF_NULL;
}

/* Documentation/admin-guide/cgroup-v2.rst: cgroup.kill is in every cgroup of v2 but the root. */
int cgroup_open(struct cgroup_ref *ref, const struct cgroup *cgroup)
{
	struct cgroup_ref opened = CGROUP_REF_NULL;
	struct stat st;
	int rc = 0;

	opened.folder = open(cgroup->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (opened.folder < 0 || fstat(opened.folder, &st) < 0)
		rc = -errno;
	else if (st.st_ino != cgroup->id)
		rc = -ESTALE;
	else
		opened.kill = openat(opened.folder, "cgroup.kill", O_WRONLY | O_CLOEXEC);
	if (!rc && opened.kill < 0)
		rc = -errno;
	if (rc < 0)
		cgroup_close(&opened);
	else
		*ref = opened;
	return rc;
}

struct pids {
	pid_t *list;
	size_t count;
};

/* A threaded one (EOPNOTSUPP) has its processes listed in the one above that is not. */
static int list_one(int folder, struct pids *pids)
{
	cleanup(close_file) FILE *file = NULL;
	int pid, rc = 0, fd = openat(folder, "cgroup.procs", O_RDONLY | O_CLOEXEC);

	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!file && fd >= 0)
		close(fd);
	if (!file)
		return -errno;
	while (!rc && (errno = 0, fscanf(file, "%d", &pid) == 1)) {
		pid_t *place = list_append(&pids->list, &pids->count, sizeof(*place));

		if (place)
			*place = pid;
		else
			rc = -ENOMEM;
	}
	if (!rc && ferror(file))
		rc = errno ? -errno : -EIO;
	return rc;
}

static int list_below(int parent, const char *name, bool top, struct pids *pids)
{
	cleanup(close_directory) DIR *folder = NULL;
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct dirent *entry;
	int rc;

	folder = fd < 0 ? NULL : fdopendir(fd);
	if (!folder && fd >= 0)
		close(fd);
	if (!folder)
		return errno == ENOENT && !top ? 0
					       : -errno; /* removed meanwhile: nobody was in it */
	rc = list_one(fd, pids);
	if ((rc == -EOPNOTSUPP || rc == -ENODEV) && !top)
		rc = 0;
	while (!rc && (errno = 0, entry = readdir(folder)))
		if (entry->d_type == DT_DIR && strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			rc = list_below(fd, entry->d_name, false, pids);
	return rc ? rc : -errno;
}

int cgroup_list(const struct cgroup_ref *ref, pid_t **pids)
{
	struct pids found = { 0 };
	int rc = list_below(ref->folder, ".", true, &found);

	if (rc < 0) {
		free(found.list);
		return rc;
	}
	*pids = found.list;
	return (int)found.count;
}

int cgroup_kill(const struct cgroup_ref *ref)
{
	ssize_t size = write(ref->kill, "1", 1);

	return size < 0 ? -errno : 0;
}
