using System.Runtime.InteropServices;

namespace Millrace.Interop;

/// <summary>
/// Numbers of the system calls that not every C library wraps: musl has neither statx nor preadv2 before 1.2.4 and 1.2.5, and no
/// renameat2. Called by number, they work with every C library. Source: asm/unistd_64.h (x64), asm-generic/unistd.h (arm64).
/// </summary>
internal static class SystemCallNumber
{
    public static readonly ByProcessor GetThread = new(186, 178);
    public static readonly ByProcessor PreadV2 = new(327, 286);
    public static readonly ByProcessor RenameAt2 = new(316, 276);
    public static readonly ByProcessor StatX = new(332, 291);

    /// <summary>Whether the numbers are those of this processor.</summary>
    public static bool AreKnown => RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.Arm64;
}
