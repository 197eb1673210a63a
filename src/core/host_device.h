#pragma once
/// The one macro: a function that nvcc compiles for the device too, and any other compiler for the host alone. So the
/// index arithmetic of a kernel is the same text in the kernel and in its test on a machine without a GPU.
#if defined(__CUDACC__)
#define DUET_HOST_DEVICE __host__ __device__
#else
#define DUET_HOST_DEVICE
#endif
