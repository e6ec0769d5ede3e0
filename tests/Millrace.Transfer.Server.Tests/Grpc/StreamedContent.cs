namespace Millrace.Transfer.Server.Tests.Grpc;

/// <summary>A request's body that a test writes as it goes.</summary>
internal sealed class StreamedContent(Func<Stream, Task> write) : HttpContent
{
    /// <summary>Sends some bytes, and ends when a task has.</summary>
    public StreamedContent(byte[] first, Task until)
        : this(async stream =>
        {
            await stream.WriteAsync(first);
            await stream.FlushAsync();
            await until;
        })
    {
    }

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) => write(stream);

    protected override bool TryComputeLength(out long length)
    {
        length = 0;
        return false;
    }
}
