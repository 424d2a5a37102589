/* SPDX-License-Identifier: BSD-3-Clause */
/* What people who write CUDA C++ use: templates, a class, constexpr, lambdas, a namespace. */
#include <ginet/device.h>
#include <type_traits>
#include "cxx.h"

namespace user {

__host__ __device__ constexpr uint32_t bin_of(uint32_t len, uint32_t width)
{
	return len / width;
}
static_assert(bin_of(250, 100) == 2, "at compile time");
constexpr uint32_t first_len = 60, len_step = 8, bin_width = 100;

/* Over the lanes of a full warp; the result is lane 0's. */
template <typename T, typename Op> GIN_FN T warp_reduce(T v, Op op)
{
	static_assert(std::is_arithmetic<T>::value, "what can be shuffled");
	for (int distance = 16; distance; distance /= 2)
		v = op(v, __shfl_down_sync(0xffffffffu, v, distance));
	return v;
}

template <typename T, uint32_t N> class histogram {
public:
	__device__ void clear()
	{
		for (T &bin : bins)
			bin = 0;
	}
	__device__ void add(uint32_t len)
	{
		atomicAdd(&bins[min(bin_of(len, bin_width), N - 1)], T(1));
	}
	template <typename F> __device__ void each(F &&f) const
	{
		for (uint32_t i = 0; i < N; i++)
			f(i, bins[i]);
	}

private:
	T bins[N];
};

/* One frame a lane, each of another length. 0, or why it could not be sent. */
template <typename Args> GIN_FN int send_all(const Args &a)
{
	struct gin_pkt pkt = {};
	uint64_t ticket;

	pkt.data = reinterpret_cast<uint8_t *>(a.frame.addr);
	pkt.lkey = a.frame.key;
	pkt.len = first_len + len_step * threadIdx.x;
	return gin_txq_send_own_warp(&a.txq, &pkt, 0, GIN_UNTIL_STOP, &ticket);
}

GIN_KERNEL(sizes, struct cxx_args, a)
{
	using bins_t = histogram<unsigned, CXX_BINS>;
	GIN_SHARED(bins_t, bins, 1);
	uint32_t taken = 0, bytes = 0;
	int smallest = 1 << 30;
	struct gin_run run;

	if (threadIdx.x == 0)
		bins->clear();
	__syncwarp();
	if (send_all(a))
		return;
	auto look = [&](const struct gin_pkt &pkt) {
		bins->add(pkt.len);
		bytes += pkt.len;
		smallest = min(smallest, int(pkt.len));
	};
	while (taken < 32 && !gin_rxq_recv_warp(&a.rxq, 32, GIN_UNTIL_STOP, &run)) {
		if (threadIdx.x < run.n)
			look(gin_rxq_pkt(&a.rxq, run.first + threadIdx.x));
		taken += run.n;
		gin_rxq_release_warp(&a.rxq, &run);
	}
	auto sum = [](auto x, auto y) { return x + y; };
	uint32_t all = warp_reduce(bytes, sum);
	float half = warp_reduce(bytes * 0.5f, sum);
	int least = warp_reduce(smallest, [](int x, int y) { return min(x, y); });

	__syncwarp();
	if (threadIdx.x)
		return;
	a.results->packets = taken;
	a.results->bytes = all;
	a.results->half_bytes = half;
	a.results->smallest = least;
	bins->each([&](uint32_t i, unsigned n) { a.results->bins[i] = n; });
}

} // namespace user
