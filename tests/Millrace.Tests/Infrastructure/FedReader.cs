namespace Millrace.Tests.Infrastructure;

/// <summary>A reader and its source's other end, so that a test decides when a read has to wait.</summary>
internal abstract class FedReader(PipeReader reader) : IDisposable
{
    public PipeReader Reader { get; } = reader;

    /// <summary>Makes bytes available. At most 64 KiB may be unread.</summary>
    public abstract void Feed(ReadOnlySpan<byte> bytes);

    /// <summary>No more bytes come.</summary>
    public abstract void End();

    public void Dispose()
    {
        Reader.Complete();
        End();
        GC.SuppressFinalize(this);
    }
}
