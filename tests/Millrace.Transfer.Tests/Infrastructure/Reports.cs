using System.Collections.Concurrent;

namespace Millrace.Transfer.Tests.Infrastructure;

/// <summary>Gets reports at once, on the thread that makes them.</summary>
internal sealed class Reports(Action<TransferProgress>? then = null) : IProgress<TransferProgress>
{
    public ConcurrentQueue<TransferProgress> All { get; } = new();

    public void Report(TransferProgress value)
    {
        All.Enqueue(value);
        then?.Invoke(value);
    }
}
