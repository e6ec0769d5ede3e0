using Millrace.Lab.Running;

namespace Millrace.Lab.Tests.Child;

/// <summary>Invocations that allocate an exactly known number of objects.</summary>
internal sealed class KnownObjects : CaseMethod
{
    public const int Objects = 1_000_000;
    public const int ObjectBytes = 48;
    public const int SmallArrays = 20_000;
    public const int SmallArrayBytes = 8 * 1024;
    public const int LargeArrays = 100;
    public const int LargeArrayBytes = 1024 * 1024;
    public const int Threads = 4;

    // Where the compiler cannot see that an object is not used.
    internal static object? Last;

    public static readonly string[] Names = [nameof(Small), nameof(OnThreads), nameof(Arrays), nameof(Large), nameof(One), nameof(None)];

    public override Func<long> Find(string name) => name switch
    {
        nameof(Small) => KnownLoad.Run(Small),
        nameof(OnThreads) => KnownLoad.Run(OnThreads),
        nameof(Arrays) => KnownLoad.Run(Arrays),
        nameof(Large) => KnownLoad.Run(Large),
        nameof(One) => KnownLoad.Run(One),
        nameof(None) => KnownLoad.Run(None),
        _ => throw Unknown(name),
    };

    public static void Small() => Allocate(Objects);

    /// <summary>As many, on <see cref="Threads"/> other threads. Starting those allocates a little, too.</summary>
    public static void OnThreads()
    {
        var threads = new Thread[Threads];
        for (int i = 0; i < threads.Length; i++)
        {
            threads[i] = new Thread(static () => Allocate(Objects / Threads));
            threads[i].Start();
        }

        Array.ForEach(threads, thread => thread.Join());
    }

    public static void Arrays()
    {
        for (int i = 0; i < SmallArrays; i++)
        {
            Last = new byte[SmallArrayBytes];
        }
    }

    public static void Large()
    {
        for (int i = 0; i < LargeArrays; i++)
        {
            Last = new byte[LargeArrayBytes];
        }
    }

    /// <summary>One object in a millisecond: too little to be sampled.</summary>
    public static void One()
    {
        Thread.SpinWait(50_000);
        Allocate(1);
    }

    public static void None() => Thread.SpinWait(50_000);

    private static void Allocate(int objects)
    {
        for (int i = 0; i < objects; i++)
        {
            Last = new Four(1, 2, 3, 4);
        }
    }

    // A header of 16 bytes and four numbers of 8.
    private sealed record Four(long A, long B, long C, long D);
}
