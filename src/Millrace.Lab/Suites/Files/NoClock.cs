namespace Millrace.Lab.Suites.Files;

/// <summary>Measures nothing and costs nothing.</summary>
internal readonly struct NoClock : ICallClock
{
    public static long Start() => 0;

    public static long Since(long start) => 0;
}
