using Microsoft.Win32.SafeHandles;
using Millrace.Lab.Interop;
using Millrace.Lab.Running;

namespace Millrace.Lab.Tests.Child;

/// <summary>Invocations that do an exactly known amount of one thing.</summary>
internal sealed class KnownLoad(string file) : CaseMethod
{
    public const int Reads = 5_000;
    public const int BytesPerRead = 700;
    public const int Writes = 3_000;
    public const int ArrayBytes = 100_000;
    public const int Sleeps = 20;
    public const long SpinMs = 60;

    private readonly SafeFileHandle _file = File.OpenHandle(file);
    private readonly SafeFileHandle _nowhere = File.OpenHandle("/dev/null", access: FileAccess.Write);

    // Where the compiler cannot see that the array is not used.
    private static byte[]? Last;

    public static readonly string[] Names =
    [
        nameof(ReadsBytes), nameof(WritesBytes), nameof(Allocates), nameof(TouchesPages), nameof(Waits), nameof(Computes),
        nameof(Collects),
    ];

    public override Func<long> Find(string name) => name switch
    {
        nameof(ReadsBytes) => Run(ReadsBytes),
        nameof(WritesBytes) => Run(WritesBytes),
        nameof(Allocates) => Run(Allocates),
        nameof(TouchesPages) => () => TouchesPages(),
        nameof(Waits) => Run(Waits),
        nameof(Computes) => Run(Computes),
        nameof(Collects) => Run(Collects),
        _ => throw Unknown(name),
    };

    public static Func<long> Run(Action action) => () =>
    {
        action();
        return 0;
    };

    public override void Dispose()
    {
        base.Dispose();
        _file.Dispose();
        _nowhere.Dispose();
    }

    public void ReadsBytes()
    {
        Span<byte> bytes = stackalloc byte[BytesPerRead];
        for (int i = 0; i < Reads; i++)
        {
            RandomAccess.Read(_file, bytes, 0);
        }
    }

    public void WritesBytes()
    {
        ReadOnlySpan<byte> bytes = stackalloc byte[BytesPerRead];
        for (int i = 0; i < Writes; i++)
        {
            RandomAccess.Write(_nowhere, bytes, 0);
        }
    }

    public static void Allocates() => Last = new byte[ArrayBytes];

    /// <summary>Maps the file and touches one byte of every page.</summary>
    public unsafe int TouchesPages()
    {
        long length = RandomAccess.GetLength(_file);
        nint address = LinuxFile.Map(0, (nuint)length, LinuxFile.ProtectionRead, LinuxFile.MapShared, _file, 0);
        int sum = 0;
        for (long offset = 0; offset < length; offset += Environment.SystemPageSize)
        {
            sum += *(byte*)(address + offset);
        }

        _ = LinuxFile.Unmap(address, (nuint)length);
        return sum;
    }

    public void Waits()
    {
        using var never = new ManualResetEventSlim();
        for (int i = 0; i < Sleeps; i++)
        {
            never.WaitHandle.WaitOne(millisecondsTimeout: 1);
        }
    }

    /// <summary>Computes on two threads for <see cref="SpinMs"/> of processor time each.</summary>
    public void Computes() => Task.WaitAll(Task.Run(Spin), Task.Run(Spin));

    public void Collects()
    {
#pragma warning disable RS0030
        GC.Collect(2);
        GC.Collect(0);
#pragma warning restore RS0030
    }

    // By the thread's own clock, so that it takes as much on a busy machine.
    private static void Spin()
    {
        long end = ThreadClock.Nanoseconds() + (SpinMs * 1_000_000);
        while (ThreadClock.Nanoseconds() < end)
        {
            Thread.SpinWait(100);
        }
    }
}
