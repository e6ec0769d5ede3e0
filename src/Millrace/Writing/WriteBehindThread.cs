namespace Millrace.Writing;

/// <summary>
/// The thread that hands dirty pages to devices, for all writers of the process; there while there is work. Not the
/// pool's: a device whose queue is full makes it wait, and nothing is lost when a hint comes late.
/// </summary>
internal static class WriteBehindThread
{
    /// <summary>How long it waits for more.</summary>
    /// <remarks>Longer than one file takes to follow another in any program that writes many.</remarks>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    private static readonly object Gate = new();
    private static readonly Queue<WriteBehind> Waiting = new();
    private static bool Running;

    public static void Queue(WriteBehind work)
    {
        lock (Gate)
        {
            Waiting.Enqueue(work);
            if (Running)
            {
                Monitor.Pulse(Gate);
                return;
            }

            Running = true;
        }

        var thread = new Thread(Run) { IsBackground = true, Name = "Millrace write-behind" };
        thread.UnsafeStart();
    }

    private static void Run()
    {
        while (TryTake() is { } work)
        {
            work.Run();
        }
    }

    private static WriteBehind? TryTake()
    {
        lock (Gate)
        {
            while (Waiting.Count == 0)
            {
                if (!Monitor.Wait(Gate, Patience) && Waiting.Count == 0)
                {
                    Running = false;
                    return null;
                }
            }

            return Waiting.Dequeue();
        }
    }
}
