#ifndef VPROTO_THREADS_1
#define VPROTO_THREADS_1
#endif
