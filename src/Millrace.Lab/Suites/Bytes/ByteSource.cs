using System.IO.Pipelines;
using Millrace.Lab.Data;

namespace Millrace.Lab.Suites.Bytes;

/// <summary>Where bytes come from: a file, or the same file's bytes from a server.</summary>
/// <param name="File">The file, and the sum of its bytes.</param>
/// <param name="Address">Where a server has it; null to read the file itself.</param>
public sealed record ByteSource(TestFile File, Uri? Address)
{
    /// <summary>What results call a local file.</summary>
    public const string FileName = "file";

    /// <summary>What results call a server.</summary>
    public const string HttpName = "http";

    // One for the process, as its users are told to have: connections stay open between invocations.
    private static readonly HttpClient Client = new(new SocketsHttpHandler
    {
        UseProxy = false,
        AutomaticDecompression = System.Net.DecompressionMethods.None,
    });

    /// <summary>What results call it.</summary>
    public string Name => Address is null ? FileName : HttpName;

    /// <summary>Opens a stream: an unbuffered FileStream, or the body of a response that has begun.</summary>
    internal async ValueTask<Stream> OpenStreamAsync() => Address is null
        ? OpenFile()
        : await Client.GetStreamAsync(Address).ConfigureAwait(false);

    /// <summary>Gets all bytes at once.</summary>
    internal Task<byte[]> ReadAllAsync() =>
        Address is null ? System.IO.File.ReadAllBytesAsync(File.Path) : Client.GetByteArrayAsync(Address);

    /// <summary>Opens a pipe: a file pipe, or the framework's over the body of a response.</summary>
    internal async ValueTask<PipeReader> OpenPipeAsync(int bufferBytes) => Address is null
        ? FilePipe.OpenRead(File.Path, new FileReadOptions { BufferSize = bufferBytes })
        : PipeReader.Create(
            await Client.GetStreamAsync(Address).ConfigureAwait(false), new StreamPipeReaderOptions(bufferSize: bufferBytes));

    /// <summary>Opens the file as a stream without a buffer of its own.</summary>
    internal FileStream OpenFile() => new(
        File.Path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, FileOptions.SequentialScan);

    /// <inheritdoc/>
    public override string ToString() => $"{Name}: {File}";
}
