using System.Runtime.InteropServices;

namespace Millrace.Interop;

/// <summary>A number of Linux that depends on the processor. The native paths run on these two alone.</summary>
internal readonly record struct ByProcessor(int X64, int Arm64)
{
    /// <summary>The number for the processor that this process runs on.</summary>
    public int Here => RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? Arm64 : X64;
}
