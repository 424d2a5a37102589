/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds, loads and checks ginet-dpdk.so. It stays loaded: DPDK cannot be stopped and started again in one process. */
#define _GNU_SOURCE /* dladdr() */
#include "plugin.h"
#include "devargs.h"
#include "sn.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef GINET_SIM
/* The simulation has its own clock and its own wires. */
int sn_plugin_load(const char *devargs, const struct sn_plugin **out)
{
	(void)out;
	gin_error("soft:%.200s: the simulation has no DPDK", devargs ? devargs : "capture");
	return -ENOTSUP;
}

const struct sn_plugin *sn_plugin_loaded(void)
{
	return NULL;
}
#else
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#ifndef GINET_PLUGIN_BUILD_DIR
#define GINET_PLUGIN_BUILD_DIR ""
#define GINET_PLUGIN_BUILD_TOP ""
#endif
#ifndef GINET_PLUGIN_INSTALL_DIR
#define GINET_PLUGIN_INSTALL_DIR ""
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct sn_plugin *loaded; /* atomic: set once, with the lock held */

static void host_log(enum gin_log_level level, const char *line)
{
	gin_log(level, "%s", line);
}

static void host_note(struct sn_device *dev, enum gin_log_level level, const char *line)
{
	sn_note(dev, level, "%s", line);
}

static const struct sn_profile *host_profile(const struct sn_device *dev)
{
	return &dev->profile;
}

static void host_set_mac(struct sn_device *dev, const uint8_t mac[6])
{
	if (!dev->profile.has_mac)
		memcpy(dev->profile.mac, mac, 6);
}

static uint64_t host_now_ns(const struct sn_device *dev)
{
	return gin_env_now(dev->env);
}

static const struct sn_plugin_host host = {
	.log = host_log,
	.note = host_note,
	.arrived = sn_port_arrived,
	.update_link = sn_port_update_link,
	.profile = host_profile,
	.set_mac = host_set_mac,
	.now_ns = host_now_ns,
	.rang = sn_engine_rang,
};

/* The folder of a file, with its last '/'; "" if there is none. */
static void folder_of(const char *file, char dir[PATH_MAX])
{
	const char *slash = strrchr(file, '/');
	size_t len = slash ? (size_t)(slash - file) + 1 : 0;

	if (len >= PATH_MAX)
		len = 0;
	memcpy(dir, file, len);
	dir[len] = 0;
}

/* Of the library, or the program, that this code is in. */
static void own_folder(char dir[PATH_MAX])
{
	char exe[PATH_MAX];
	Dl_info info;
	ssize_t n;

	dir[0] = 0;
	if (dladdr((void *)&lock, &info) && info.dli_fname && info.dli_fname[0] == '/') {
		folder_of(info.dli_fname, dir);
		return;
	}
	/* A program is named as it was called, which says nothing once it has changed its folder. */
	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n <= 0)
		return;
	exe[n] = 0;
	folder_of(exe, dir);
}

struct search {
	void *handle;
	char tried[768];
	char error[384]; /* of a file that is there and does not load */
};

static void look_in(struct search *s, const char *base, const char *below)
{
	char path[2 * PATH_MAX];
	size_t at = strlen(s->tried);

	if (s->handle || s->error[0] || !*base)
		return;
	snprintf(path, sizeof(path), "%s%s%s", base, below, SN_PLUGIN_FILE);
	if (access(path, F_OK)) {
		snprintf(s->tried + at, sizeof(s->tried) - at, "%s%s%s", at ? ", " : "", base, below);
		return;
	}
	s->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!s->handle)
		snprintf(s->error, sizeof(s->error), "%s", dlerror());
}

/* What is installed must not load from where it was built: anybody may have made that folder since. */
static int is_of_build(const char *own)
{
	size_t len = strlen(GINET_PLUGIN_BUILD_TOP);

	return !strncmp(own, GINET_PLUGIN_BUILD_TOP, len) && own[len] == '/';
}

static void search(struct search *s)
{
	const char *chosen = secure_getenv("GINET_PLUGIN_DIR");
	char own[PATH_MAX];

	memset(s, 0, sizeof(*s));
	if (chosen && *chosen) {
		look_in(s, chosen, "/");
		return;
	}
	own_folder(own);
	look_in(s, own, "");
	look_in(s, own, "ginet/");
	look_in(s, own, "../lib/ginet/");
#ifdef GINET_PLUGIN_TRIPLET
	look_in(s, own, "../lib/" GINET_PLUGIN_TRIPLET "/ginet/");
#endif
	look_in(s, GINET_PLUGIN_INSTALL_DIR, "/");
	if (is_of_build(own))
		look_in(s, GINET_PLUGIN_BUILD_DIR, "/");
}

static int not_found(const struct search *s, const char *what)
{
	if (s->error[0])
		gin_error("soft:%.100s: %s does not load: %s: install what is missing (apt-get install libdpdk-dev brings all), or build ginet again",
			  what, SN_PLUGIN_FILE, s->error);
	else
		gin_error("soft:%.100s: this needs %s, which is not in %s: build ginet where DPDK is (apt-get install libdpdk-dev pkg-config), or set GINET_PLUGIN_DIR to its folder",
			  what, SN_PLUGIN_FILE, s->tried);
	return s->error[0] ? -ENOTSUP : -ENOENT;
}

/* The plugin of a file, if it is of this library's version. */
static int examine(void *handle, const char *what, const struct sn_plugin **out)
{
	const struct sn_plugin *plugin = dlsym(handle, SN_PLUGIN_SYMBOL);

	if (plugin && plugin->version == SN_PLUGIN_VERSION) {
		*out = plugin;
		return 0;
	}
	gin_error("soft:%.100s: %s is of interface version 0x%08x, this library needs 0x%08x: build and install both together",
		  what, SN_PLUGIN_FILE, plugin ? plugin->version : 0, SN_PLUGIN_VERSION);
	dlclose(handle);
	return -ESTALE;
}

static int find(const char *what, const struct sn_plugin **out)
{
	struct search s;

	if (loaded) {
		*out = loaded;
		return 0;
	}
	search(&s);
	if (!s.handle)
		return not_found(&s, what);
	return examine(s.handle, what, out);
}

int sn_plugin_load(const char *devargs, const struct sn_plugin **out)
{
	const struct sn_plugin *plugin = NULL;
	int err;

	pthread_mutex_lock(&lock);
	err = find(devargs ? devargs : "capture", &plugin);
	if (!err)
		err = plugin->init(&host, devargs);
	if (plugin)
		__atomic_store_n(&loaded, plugin, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
	if (!err)
		*out = plugin;
	return err;
}

const struct sn_plugin *sn_plugin_loaded(void)
{
	return __atomic_load_n(&loaded, __ATOMIC_ACQUIRE);
}
#endif
