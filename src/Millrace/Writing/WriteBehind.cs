using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Writing;

/// <summary>
/// Hands dirty pages to the device steadily, on a thread of its own, while the writer goes on. Called by one thread at a
/// time, but for the run itself.
/// </summary>
internal sealed class WriteBehind(SafeFileHandle file)
{
    /// <summary>Bytes that gather before the device is given them.</summary>
    /// <remarks>See docs/measuring.md: less makes more requests than a device likes, more leaves it idle at first.</remarks>
    private const long Step = 4 * 1024 * 1024;

    /// <summary>How far the writer has to be ahead, in bytes, before a step is begun.</summary>
    /// <remarks>
    /// What is about to be flushed anyway is left to the flush: a file of 4 MiB, begun as its last byte was written, took
    /// 1.2 of the time.
    /// </remarks>
    private const long Lead = 2 * Step;

    private int _running;
    private long _begun;
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

    /// <summary>For the thread: begins what is far enough behind the writer.</summary>
    public void Run()
    {
        // Whole steps: a device likes its requests large and aligned, and the last page may still grow.
        long from = _begun;
        long to = (Volatile.Read(ref _reached) - Step) / Step * Step;
        try
        {
            // Nothing depends on it but the time that the flush takes.
            _ = FileSpace.BeginWriting(file, from, to - from);
        }
        catch (ObjectDisposedException)
        {
            // The writer was disposed meanwhile.
        }

        Volatile.Write(ref _begun, to);
        Volatile.Write(ref _running, 0);
    }
}
