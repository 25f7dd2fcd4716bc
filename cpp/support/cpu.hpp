// What this machine can run. Kernels that gain from newer instructions are compiled several times and chosen
// by hand here, once: clones that the linker chooses run before sanitizers are ready.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define LDAG_X86 1
#endif

namespace ldag {

struct Cpu {
    bool popcnt = false;         // counts the bits of a word in one instruction
    bool wide_popcount = false;  // counts bits many words at a time
    bool wide_bytes = false;     // adds to those of 64 bytes that a mask says
    bool avx2 = false;           // four doubles at a time
};

inline const Cpu& cpu() {
#ifdef LDAG_X86
    static const Cpu cpu = [] {
        __builtin_cpu_init();
        return Cpu{__builtin_cpu_supports("popcnt") != 0,
                   __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vl"),
                   __builtin_cpu_supports("avx512bw") != 0, __builtin_cpu_supports("avx2") != 0};
    }();
#else
    static const Cpu cpu;
#endif
    return cpu;
}

// Nanoseconds to count the bits of a word that is at hand anyway, measured and rounded.
inline double bit_count_time() { return cpu().wide_popcount ? 0.09 : 0.28; }

}  // namespace ldag
