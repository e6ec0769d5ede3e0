using System.Diagnostics.Tracing;

namespace Millrace.Lab.Meters;

/// <summary>
/// Tells a listener the system's number of the thread that it runs on. Runtime events carry the number of the thread that
/// caused them; only a listener that hears an event of its own thread learns its own number, on every system.
/// </summary>
[EventSource(Name = "Millrace-Lab-Thread")]
internal sealed class ThreadProbe : EventSource
{
    /// <summary>The only one.</summary>
    public static readonly ThreadProbe Log = new();

    private ThreadProbe()
    {
    }

    /// <summary>Is heard at once, on the calling thread.</summary>
    [Event(1)]
    public void Ask() => WriteEvent(1);
}
