using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Millrace.Lab.Interop;

/// <summary>The C library's own memory. Linux only.</summary>
[SupportedOSPlatform("linux")]
internal static partial class LinuxMemory
{
    /// <summary>Gives back what malloc keeps, where the C library has such a call: glibc's malloc_trim(3); musl has none.</summary>
    public static void Trim()
    {
        try
        {
            _ = TrimHeap(keep: 0);
        }
        catch (EntryPointNotFoundException)
        {
            // Then there is nothing to give back either.
        }
    }

    [LibraryImport("libc", EntryPoint = "malloc_trim")]
    private static partial int TrimHeap(nuint keep);
}
