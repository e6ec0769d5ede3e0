using System.Runtime.Intrinsics.X86;

namespace Millrace.Tuning;

/// <summary>How many bytes one system call copies between the page cache and memory, by processor.</summary>
/// <remarks>
/// On some processors copies get cheaper up to the size of the second-level cache; on others they do not, and a larger block only
/// falls out of that cache. A process that measured its own calls chose the size of this table on every machine, and took one
/// percent of the copying for it. See docs/measuring.md.
/// </remarks>
internal static class CopySize
{
    /// <summary>Bytes where nothing larger is known to be faster.</summary>
    public const int MinBytes = 256 * 1024;

    /// <summary>Bytes at most: 2 MiB gained 1 to 2 % where 1 MiB gained 20, for twice the memory.</summary>
    public const int MaxBytes = 1024 * 1024;

    public static bool IsAmd { get; } = Processor().IsAmd;

    /// <summary>Bytes for this processor.</summary>
    public static int Known { get; } = For(Processor());

    /// <summary>The size that was measured to be best on a processor of a kind.</summary>
    /// <param name="processor">Whether it is AMD's, and the bytes of its second-level cache; 0 if that is not known.</param>
    public static int For((bool IsAmd, int CacheBytes) processor) =>
        !processor.IsAmd || processor.CacheBytes < 2 * MinBytes ? MinBytes
        : processor.CacheBytes >= MaxBytes ? MaxBytes
        : MaxBytes / 2;

    /// <summary>Asks the processor itself: leaf 0 has the vendor, leaf 0x80000006 of AMD's has KiB of cache in 31:16 of ECX.</summary>
    private static (bool IsAmd, int CacheBytes) Processor()
    {
        const int Auth = 0x68747541; // of "AuthenticAMD"
        if (!X86Base.IsSupported || X86Base.CpuId(0, 0).Ebx != Auth)
        {
            return default;
        }

        uint highest = (uint)X86Base.CpuId(unchecked((int)0x80000000), 0).Eax;
        return (true, highest < 0x80000006 ? 0 : (X86Base.CpuId(unchecked((int)0x80000006), 0).Ecx >>> 16) * 1024);
    }
}
