namespace Millrace.Lab.Data;

/// <summary>
/// Numbers that are the same on every machine and with every runtime, which those of <see cref="Random"/> with a seed are
/// not promised to be. Not thread-safe.
/// </summary>
/// <remarks>
/// SplitMix64: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014, with the constants of
/// https://prng.di.unimi.it/splitmix64.c.
/// </remarks>
internal struct SplitMix64(ulong seed)
{
    private ulong _state = seed;

    /// <summary>The next 64 bits.</summary>
    public ulong Next()
    {
        ulong z = unchecked(_state += 0x9E3779B97F4A7C15);
        z = unchecked((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9);
        z = unchecked((z ^ (z >> 27)) * 0x94D049BB133111EB);
        return z ^ (z >> 31);
    }

    /// <summary>A number from 0 to one less than a limit.</summary>
    public int Below(int limit) => (int)((Next() >> 32) * (ulong)limit >> 32);
}
