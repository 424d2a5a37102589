/* SPDX-License-Identifier: BSD-3-Clause */
/* DPDK inside somebody else's program: what is that program's stays as it was. Each check is a process of its own. */
#define _GNU_SOURCE /* sched_getaffinity(), unshare() */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <ginet/ginet.h>
#include <grp.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <softnic/fixture.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
static int has_tap; /* may this process make interfaces in a network namespace? */

static struct gin_nic *open_nic(const char *name)
{
	struct gin_nic *nic;

	ck_assert_msg(!gin_nic_open(name, &nic), "%s", name);
	return nic;
}

/* Of this process: the names of its threads, in one string; the number of its descriptors. */
static uint32_t list(const char *folder, const char *file, char *names, size_t size)
{
	DIR *dir = opendir(folder);
	const struct dirent *d;
	char path[300], name[64];
	uint32_t n = 0;
	FILE *f;

	ck_assert_ptr_nonnull(dir);
	names[0] = 0;
	while ((d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		n++;
		snprintf(path, sizeof(path), "%s/%.64s/%s", folder, d->d_name, file);
		f = *file ? fopen(path, "r") : NULL;
		if (f && fgets(name, sizeof(name), f))
			snprintf(names + strlen(names), size - strlen(names), "%.*s;", (int)strcspn(name, "\n"), name);
		if (f)
			fclose(f);
	}
	closedir(dir);
	return n;
}

static uint32_t n_fds(void)
{
	char none[4];

	return list("/proc/self/fd", "", none, sizeof(none));
}

/* All that belongs to the program. */
struct program {
	cpu_set_t cpus;
	sigset_t mask;
	struct sigaction handlers[65];
	char environment[16384], arguments[1024], folder[512];
	int opt, has_runtime;
	char *arg;
};

static void look(struct program *p)
{
	FILE *f = fopen("/proc/self/cmdline", "r");
	char **e;
	int sig;

	memset(p, 0, sizeof(*p));
	ck_assert_int_eq(sched_getaffinity(0, sizeof(p->cpus), &p->cpus), 0);
	ck_assert_int_eq(sigprocmask(SIG_SETMASK, NULL, &p->mask), 0);
	for (sig = 1; sig < 65; sig++)
		sigaction(sig, NULL, &p->handlers[sig]);
	for (e = environ; *e; e++)
		snprintf(p->environment + strlen(p->environment), sizeof(p->environment) - strlen(p->environment), "%s;", *e);
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_gt(fread(p->arguments, 1, sizeof(p->arguments), f), 0);
	fclose(f);
	ck_assert_ptr_nonnull(getcwd(p->folder, sizeof(p->folder)));
	p->opt = optind;
	p->arg = optarg;
	p->has_runtime = !access(geteuid() ? "/tmp/dpdk" : "/var/run/dpdk", F_OK);
}

/* How much of both is the same. */
static size_t common(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

static void ck_same(const struct program *a, const struct program *b)
{
	int sig;

	ck_assert(CPU_EQUAL(&a->cpus, &b->cpus));
	ck_assert_int_eq(memcmp(&a->mask, &b->mask, sizeof(a->mask)), 0);
	for (sig = 1; sig < 65; sig++)
		ck_assert_msg(a->handlers[sig].sa_handler == b->handlers[sig].sa_handler, "signal %d", sig);
	ck_assert_msg(!strcmp(a->environment, b->environment), "%s", b->environment + common(a->environment, b->environment));
	ck_assert_int_eq(memcmp(a->arguments, b->arguments, sizeof(a->arguments)), 0);
	ck_assert_str_eq(a->folder, b->folder);
	ck_assert_int_eq(a->opt, b->opt);
	ck_assert_ptr_eq(a->arg, b->arg);
	ck_assert_int_eq(a->has_runtime, b->has_runtime);
}

/* No telemetry socket, no channel to other processes. */
static void ck_no_unix_sockets(void)
{
	int fd, domain;
	socklen_t len;

	for (fd = 3; fd < 256; fd++) {
		len = sizeof(domain);
		ck_assert(getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) || domain != AF_UNIX);
	}
}

static void ck_no_runtime_folder(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/ginet-%d", geteuid() ? "/tmp/dpdk" : "/var/run/dpdk", (int)getpid());
	ck_assert_int_ne(access(path, F_OK), 0);
}

static void ck_nothing_changes(const char *name)
{
	static struct program before, with, after;
	struct gin_nic *nic;

	look(&before);
	log_clear();
	nic = open_nic(name);
	look(&with);
	ck_no_unix_sockets();
	ck_no_runtime_folder();
	gin_nic_close(nic);
	look(&after);
	ck_same(&before, &with);
	ck_same(&before, &after);
}

START_TEST(nothing_of_the_program_changes)
{
	ck_nothing_changes("soft:net_ring0");
}
END_TEST

/* On one CPU only, some signals blocked, a handler on a signal that net_tap would take. */
static void on_signal(int sig)
{
	(void)sig;
}

START_TEST(nothing_of_a_special_program_changes)
{
	struct sigaction sa = { .sa_handler = on_signal };
	sigset_t some;
	cpu_set_t one, all;
	int cpu = 0;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	sigemptyset(&some);
	sigaddset(&some, SIGUSR1);
	sigaddset(&some, SIGRTMIN + 3);
	sigprocmask(SIG_SETMASK, &some, NULL);
	ck_assert_int_eq(sigaction(SIGRTMIN + 1, &sa, NULL), 0);
	ck_nothing_changes("soft:net_ring0");
	if (has_tap)
		ck_nothing_changes("soft:net_tap0,iface=gin0");
}
END_TEST

START_TEST(not_a_word_on_the_programs_streams)
{
	char path[] = "/tmp/ginet-embed-XXXXXX";
	int fd = mkstemp(path), out = dup(1), err = dup(2);
	struct stat st;

	ck_assert_int_ge(fd, 0);
	unlink(path);
	log_clear();
	fflush(stdout);
	dup2(fd, 1);
	dup2(fd, 2);
	gin_nic_close(open_nic("soft:net_ring0"));
	if (has_tap)
		gin_nic_close(open_nic("soft:net_tap0,iface=gin0"));
	fflush(stdout);
	dup2(out, 1);
	dup2(err, 2);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_size, 0);
}
END_TEST

/* EAL's interrupt thread stays, and it takes no signals. */
START_TEST(one_thread_stays_and_leaves_signals_alone)
{
	char threads[512], status[4096], path[300];
	struct dirent *d;
	DIR *dir;
	FILE *f;

	gin_nic_close(open_nic("soft:net_ring0"));
	ck_assert_uint_eq(list("/proc/self/task", "comm", threads, sizeof(threads)), 2);
	ck_assert_ptr_nonnull(strstr(threads, "eal-intr"));
	dir = opendir("/proc/self/task");
	while ((d = readdir(dir))) {
		if (d->d_name[0] == '.' || atoi(d->d_name) == getpid())
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/status", d->d_name);
		f = fopen(path, "r");
		ck_assert_ptr_nonnull(f);
		status[fread(status, 1, sizeof(status) - 1, f)] = 0;
		fclose(f);
		/* All but SIGKILL, SIGSTOP and the two that glibc keeps for itself. */
		ck_assert_ptr_nonnull(strstr(status, "SigBlk:\tfffffffe7ffbfeff"));
	}
	closedir(dir);
}
END_TEST

static long resident_kib(void)
{
	long size, pages;
	FILE *f = fopen("/proc/self/statm", "r");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%ld %ld", &size, &pages), 2);
	fclose(f);
	return pages * 4;
}

#ifdef __SANITIZE_ADDRESS__
enum { GROWTH_KIB = 65536 }; /* it keeps what was freed for a while */
#else
enum { GROWTH_KIB = 4096 };
#endif

static void ck_fifty_times(const char *name)
{
	uint32_t i, fds = 0;
	char threads[512];
	long kib = 0;

	for (i = 0; i < 50; i++) {
		gin_nic_close(open_nic(name));
		if (i == 4) {
			fds = n_fds();
			kib = resident_kib();
		}
	}
	ck_assert_uint_eq(n_fds(), fds);
	ck_assert_uint_eq(list("/proc/self/task", "comm", threads, sizeof(threads)), 2);
	ck_assert_int_lt(resident_kib() - kib, GROWTH_KIB);
}

START_TEST(opened_and_closed_fifty_times)
{
	ck_fifty_times("soft:net_ring0");
	if (has_tap)
		ck_fifty_times("soft:net_tap0,iface=gin0");
}
END_TEST

/* "HugetlbPages:	   4096 kB" */
static long huge_kib(void)
{
	char line[256];
	long kib = 0;
	FILE *f = fopen("/proc/self/status", "r");

	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "HugetlbPages: %ld kB", &kib) == 1)
			break;
	fclose(f);
	return kib;
}

static long free_huge_pages(void)
{
	long n = 0;
	FILE *f = fopen("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "r");

	if (!f)
		return 0;
	ck_assert_int_eq(fscanf(f, "%ld", &n), 1);
	fclose(f);
	return n;
}

/* huge_pages.sh runs this once with and once without; $GINET_TEST_HUGE says which. */
START_TEST(huge_pages_are_used_where_they_are_free)
{
	long pages = free_huge_pages();
	struct gin_nic *nic = open_nic("soft:net_ring0");
	const char *want = getenv("GINET_TEST_HUGE");

	if (want)
		ck_assert_int_eq(atoi(want), pages >= 128);
	ck_assert_int_eq(huge_kib() > 0, pages >= 128);
	gin_nic_close(nic);
}
END_TEST

static void become_nobody(void)
{
	ck_assert_int_eq(setgroups(0, NULL), 0);
	ck_assert_int_eq(setgid(65534), 0);
	ck_assert_int_eq(setuid(65534), 0);
	unsetenv("XDG_RUNTIME_DIR");
}

/* Where nobody may not read the build folder the plugin is copied. */
static void copy_plugin(char *folder)
{
	char command[1024];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(command, sizeof(command), "cp %s %s/ginet-dpdk.so && chmod 755 %s %s/ginet-dpdk.so", GINET_DPDK_FILE, folder, folder, folder);
	ck_assert_int_eq(system(command), 0);
	setenv("GINET_PLUGIN_DIR", folder, 1);
}

/* As nobody, in a process of its own: only root can. */
static void as_nobody(void (*act)(void))
{
	char folder[] = "/tmp/ginet-embed-XXXXXX", command[64];
	int status;
	pid_t pid;

	copy_plugin(folder);
	pid = fork();
	if (!pid) {
		become_nobody();
		act();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(status, 0);
}

static void open_those_that_need_no_right(void)
{
	ck_nothing_changes("soft:net_ring0");
	ck_nothing_changes("soft:net_null0");
}

START_TEST(an_ordinary_user_has_the_drivers_that_need_no_right)
{
	if (geteuid())
		gin_nic_close(open_nic("soft:net_ring0"));
	else
		as_nobody(open_those_that_need_no_right);
}
END_TEST

static void try_a_tap(void)
{
	struct gin_nic *nic;

	log_clear();
	ck_assert_int_ne(gin_nic_open("soft:net_tap0,iface=gin0", &nic), 0);
	ck_assert_uint_eq(log_lines(), 1);
	ck_assert(log_has("root"));
}

START_TEST(an_ordinary_user_is_told_what_a_tap_needs)
{
	if (!geteuid())
		as_nobody(try_a_tap);
}
END_TEST

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* 0.5 % is the aim; a machine with other load makes each wake-up dearer. A busy loop would be 100. */
static void ck_idle(const char *name)
{
	struct gin_nic *nic = open_nic(name);
	struct timespec second = { .tv_sec = 1 };
	double before;

	nanosleep(&second, NULL); /* the naps grow meanwhile */
	before = cpu_seconds();
	nanosleep(&second, NULL);
	ck_assert_msg(cpu_seconds() - before < 0.05, "%s: %.1f %%", name, (cpu_seconds() - before) * 100);
	gin_nic_close(nic);
}

START_TEST(an_idle_nic_costs_nearly_nothing)
{
	ck_idle("soft:net_ring0");
	if (has_tap)
		ck_idle("soft:net_tap0,iface=gin0");
}
END_TEST

/* A packet socket on gin0. */
static int packet_socket(void)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex("gin0") };
	int s = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(s, 0);
	ck_assert_int_eq(bind(s, (const struct sockaddr *)&at, sizeof(at)), 0);
	return s;
}

#define BURST 200 /* fit the interface's queue: the kernel drops what does not */

/* From another process, so that this one does nothing but sleep: a burst for each byte in the pipe. */
static pid_t start_sender(int *go)
{
	uint8_t frame[60], byte;
	int pipes[2], s, i;
	pid_t pid;

	ck_assert_int_eq(pipe(pipes), 0);
	pid = fork();
	if (pid) {
		close(pipes[0]);
		*go = pipes[1];
		return pid;
	}
	close(pipes[1]);
	make_frame(frame, broadcast, sizeof(frame), 0);
	s = packet_socket();
	while (read(pipes[0], &byte, 1) == 1)
		for (i = 0; i < BURST; i++)
			ck_assert_int_eq(send(s, frame, sizeof(frame), 0), sizeof(frame));
	_exit(0);
}

START_TEST(ten_thousand_frames_interrupt_nobody)
{
	struct timespec t = { .tv_nsec = 2000000 };
	struct gin_nic_stats s = { 0 };
	struct gin_nic *nic;
	uint32_t sent = 0;
	int status, go;
	pid_t pid;

	if (!has_tap)
		return;
	log_clear();
	nic = open_nic("soft:net_tap0,iface=gin0");
	pid = start_sender(&go);
	while (s.rx_wire < 10000) { /* the check's time-out ends it */
		if (s.rx_wire >= sent) {
			ck_assert_int_eq(write(go, "", 1), 1);
			sent += BURST;
		}
		ck_assert_int_eq(nanosleep(&t, NULL), 0);
		ck_assert_int_eq(gin_nic_stats(nic, &s), 0);
	}
	close(go);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	gin_nic_close(nic);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, nothing_of_the_program_changes);
	tcase_add_test(tc, nothing_of_a_special_program_changes);
	tcase_add_test(tc, not_a_word_on_the_programs_streams);
	tcase_add_test(tc, one_thread_stays_and_leaves_signals_alone);
	tcase_add_test(tc, opened_and_closed_fifty_times);
	tcase_add_test(tc, huge_pages_are_used_where_they_are_free);
	tcase_add_test(tc, an_ordinary_user_has_the_drivers_that_need_no_right);
	tcase_add_test(tc, an_ordinary_user_is_told_what_a_tap_needs);
	tcase_add_test(tc, an_idle_nic_costs_nearly_nothing);
	tcase_add_test(tc, ten_thousand_frames_interrupt_nobody);
}

/* One namespace for all checks, each of which is a child. */
int main(void)
{
	has_tap = !access("/dev/net/tun", R_OK | W_OK) && !geteuid() && !unshare(CLONE_NEWNET);
	if (!has_tap)
		printf("without net_tap: that needs root, /dev/net/tun and a network namespace\n");
	return run_suite("dpdk_embed", add);
}
