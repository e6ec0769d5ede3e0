using System.ComponentModel;
using System.Runtime.InteropServices;

namespace Millrace.Tests.Mapped;

/// <summary>The privileges that root gives up to be treated as another user.</summary>
internal static unsafe partial class Privileges
{
    private const uint Version = 0x20080522; // _LINUX_CAPABILITY_VERSION_3
    private const int Lease = 28; // CAP_LEASE
    private const nint CapabilityGet = 125; // capget on x86-64
    private const nint CapabilitySet = 126; // capset on x86-64
    private const nint CapabilityGetArm = 90;
    private const nint CapabilitySetArm = 91;

    private static bool Arm => RuntimeInformation.ProcessArchitecture == Architecture.Arm64;

    /// <summary>Takes the right to leases on other users' files from the calling thread alone.</summary>
    public static void DropLeases()
    {
        ulong* header = stackalloc ulong[1];
        uint* sets = stackalloc uint[6];
        *header = Version;
        Check(SystemCall(Arm ? CapabilityGetArm : CapabilityGet, header, sets));
        sets[0] &= ~(1u << Lease);
        *header = Version;
        Check(SystemCall(Arm ? CapabilitySetArm : CapabilitySet, header, sets));
    }

    private static void Check(nint result)
    {
        if (result != 0)
        {
            throw new Win32Exception();
        }
    }

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint SystemCall(nint number, ulong* header, uint* sets);
}
