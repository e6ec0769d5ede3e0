using System.Runtime.CompilerServices;
using Millrace.Lab.Meters;

namespace Millrace.Lab.Tests.Child;

/// <summary>Lets the laboratory count the large objects of known loads and prints its results, a line each.</summary>
public static class MeasuredLargeObjects
{
    public const int LargeBytes = 1_000_000;
    public const int Large = 3;

    // Where the compiler cannot see that an array is not used.
    internal static byte[]? Last;

    public static int Print()
    {
        var meter = new LargeObjects();
        Print(meter.Next());
        Print(meter.Next());
        Allocate(Large, LargeBytes);
        Print(meter.Next());

        // Into the room that those left.
        Allocate(Large, LargeBytes);
        Print(meter.Next());
        Allocate(100, 80_000);
        Print(meter.Next());
        Allocate(1, LargeBytes);
#pragma warning disable RS0030
        GC.Collect();
#pragma warning restore RS0030
        Print(meter.Next());
        return 0;
    }

    private static void Print(long? bytes) => Console.WriteLine(bytes?.ToString() ?? "unknown");

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Allocate(int arrays, int bytes)
    {
        for (int i = 0; i < arrays; i++)
        {
            Last = new byte[bytes];
        }

        Last = null;
    }
}
