namespace Millrace.Lab.Suites.Bytes;

/// <param name="Buffer">Bytes of an increment. Arrivals of all bytes at once have none.</param>
/// <param name="Readers">How many read at once, each all of the bytes.</param>
internal sealed record ByteCase(string Method, ByteSource Source, int Buffer, int Readers = 1, string? Role = null)
    : PlannedCase(Method, Role, CacheState.Hot, CacheFill.None)
{
    public override bool IsBaseline => Method is BytesSuite.Baseline or BytesSuite.TextLines;

    public override bool NeedsServer => Source.Address is not null;

    // A server's memory is always hot.
    public override TestFile? CachedFile => Source.Address is null ? Source.File : null;

    public override string? Unmanaged =>
        UrlSession.Is(Method) ? "a program in Swift does the work: it has no heap of .NET, and nothing counts its allocations" : null;

    protected override string MissingCases => UrlSession.Is(Method) ? $"rows {UrlSession.Prefix}*" : "cases of bytes";

    public override CaseParameters Parameters => new()
    {
        Buffer = Buffer,
        Bytes = Source.File.Bytes,
        Source = Source.Name,
        Content = Source.File.Content switch
        {
            FileContent.Csv => "csv",
            FileContent.Random => "random",
            _ => null,
        },
        Readers = Readers,
        Cache = CacheNames.Hot,
        File = Source.File.Generated ? null : Source.File.Path,
    };

    protected override string? Obstacle() =>
        (UrlSession.Is(Method) ? UrlSessionProgram.WhyNot : null) ?? CacheControl.WhyNoHot(Source.File);

    public override CaseMethod Create() =>
        Method.EndsWith(BytesSuite.Lines, StringComparison.Ordinal) ? new LineReading(this)
        : UrlSession.Is(Method) ? new UrlSessionReading(this)
        : new ByteReading(this);
}

/// <summary>Where bytes come from: a file, or the same file's bytes from a server.</summary>
internal sealed record ByteSource(TestFile File, Uri? Address)
{
    // In results.
    public const string FileName = "file";
    public const string HttpName = "http";

    // One for the process, as recommended: connections stay open between invocations.
    private static readonly HttpClient Client = new(new SocketsHttpHandler
    {
        UseProxy = false,
        AutomaticDecompression = System.Net.DecompressionMethods.None,
    });

    public string Name => Address is null ? FileName : HttpName;

    /// <summary>Opens an unbuffered FileStream, or the body of a response that has begun.</summary>
    public async ValueTask<Stream> OpenStreamAsync() => Address is null
        ? OpenFile()
        : await Client.GetStreamAsync(Address).ConfigureAwait(false);

    public Task<byte[]> ReadAllAsync() =>
        Address is null ? System.IO.File.ReadAllBytesAsync(File.Path) : Client.GetByteArrayAsync(Address);

    /// <summary>Opens a file pipe, or the framework's pipe over the body of a response.</summary>
    public async ValueTask<PipeReader> OpenPipeAsync(int bufferBytes) => Address is null
        ? FilePipe.OpenRead(File.Path, new FileReadOptions { BufferSize = bufferBytes })
        : PipeReader.Create(
            await Client.GetStreamAsync(Address).ConfigureAwait(false), new StreamPipeReaderOptions(bufferSize: bufferBytes));

    public FileStream OpenFile() => new(
        File.Path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, FileOptions.SequentialScan);

    public override string ToString() => $"{Name}: {File}";
}
