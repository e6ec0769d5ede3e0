using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Writing;

/// <summary>
/// Hands dirty pages to the device steadily, on another thread, while the writer continues. Called by one thread at a
/// time, but for the run itself.
/// </summary>
/// <param name="file">The file.</param>
/// <param name="drops">Whether pages leave the page cache when the device has them.</param>
internal sealed class WriteBehind(SafeFileHandle file, bool drops)
{
    /// <summary>Bytes that gather before the device is given them.</summary>
    /// <remarks>See docs/measuring.md: less makes more requests than a device likes, more leaves it idle at first.</remarks>
    private const long Step = 4 * 1024 * 1024;

    /// <summary>How far the writer has to be ahead, in bytes, before a step is begun.</summary>
    /// <remarks>
    /// Bytes that are about to be flushed are left to the flush: a file of 4 MiB, begun as its last byte was written, took
    /// 1.2 of the time.
    /// </remarks>
    private const long Lead = 2 * Step;

    private int _running;
    private long _begun;
    private long _dropped;
    private long _reached;

    /// <summary>The file has been written up to here.</summary>
    public void Reached(long offset)
    {
        Volatile.Write(ref _reached, offset);
        if (offset - Volatile.Read(ref _begun) >= Lead && Interlocked.Exchange(ref _running, 1) == 0)
        {
            WriteBehindThread.Queue(this);
        }
    }

    public void Run()
    {
        // Whole steps: a device likes its requests large and aligned, and the last page may still grow.
        long from = _begun;
        long to = (Volatile.Read(ref _reached) - Step) / Step * Step;
        try
        {
            // Nothing depends on it but the time that the flush takes.
            _ = FileSpace.BeginWriting(file, from, to - from);
            if (drops)
            {
                // Those of the run before: the device has had that time for them.
                _ = FileSpace.FinishWriting(file, _dropped, from - _dropped);
                CacheAdvice.Drop(file, _dropped, from - _dropped);
                _dropped = from;
            }
        }
        catch (ObjectDisposedException)
        {
            // The writer was disposed meanwhile.
        }

        Volatile.Write(ref _begun, to);
        Volatile.Write(ref _running, 0);
    }
}

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
