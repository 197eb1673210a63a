// The numbers that the double's headers must share with NVIDIA's: this file compiles against either, and in the `cuda`
// preset that is NVIDIA's. (That the calls agree shows by double and transport compiling there.)
#include <cuda_runtime_api.h>
#include <nccl.h>

static_assert(cudaSuccess == 0 && cudaErrorInvalidValue == 1 && cudaErrorMemoryAllocation == 2);
static_assert(cudaErrorInsufficientDriver == 35 && cudaErrorNoDevice == 100 && cudaErrorInvalidDevice == 101);
static_assert(cudaErrorNotReady == 600 && cudaErrorLaunchFailure == 719 && cudaErrorUnknown == 999);
static_assert(cudaMemcpyHostToDevice == 1 && cudaMemcpyDeviceToHost == 2 && cudaMemcpyDeviceToDevice == 3);
static_assert(cudaStreamNonBlocking == 1 && cudaEventDefault == 0);
static_assert(ncclSuccess == 0 && ncclUnhandledCudaError == 1 && ncclSystemError == 2 && ncclInternalError == 3);
static_assert(ncclInvalidArgument == 4 && ncclInvalidUsage == 5 && ncclRemoteError == 6 && ncclInProgress == 7);
static_assert(ncclUint8 == 1 && ncclInt64 == 4 && ncclFloat32 == 7 && ncclFloat64 == 8 && ncclSum == 0);
static_assert(sizeof(ncclUniqueId) == 128 && NCCL_VERSION(2, 28, 9) == 22809);
