namespace Millrace.Transfer;

/// <summary>
/// Moves files to and from one server: resumes automatically after an interruption, verifies every byte, publishes nothing that
/// is not whole. One instance a server; it can be used by any number of threads at once.
/// </summary>
/// <remarks>
/// What fails is a <see cref="TransferException"/>, or a <see cref="FilePipeException"/> where a file here cannot be read or
/// written; cancellation is <see cref="OperationCanceledException"/>. See docs/transfer-client.md.
/// </remarks>
public sealed partial class TransferClient : IDisposable
{
    private readonly HttpClient _client;
    private readonly bool _ownsClient;
    private readonly TimeProvider _clock;
    private readonly RetryPolicy _retry;
    private readonly RequestSizes _sizes = new();
    private readonly ReceiveTurns? _receiving;

    /// <summary>Creates a client with its own connections.</summary>
    /// <param name="files">Where the server has its files, for example <c>http://host:8080/files/</c>.</param>
    /// <param name="options">How it is reached; null for the defaults.</param>
    /// <exception cref="ArgumentException"><paramref name="files"/> is not absolute, or not of http or https.</exception>
    public TransferClient(Uri files, TransferClientOptions? options = null)
        : this(files, TransferConnections.Create(options ?? new TransferClientOptions()), disposeHandler: true, options)
    {
    }

    /// <summary>A client that sends its requests by a handler, for example one that adds fields or counts.</summary>
    /// <param name="files">Where the server has its files.</param>
    /// <param name="handler">Sends the requests. It must not decode responses.</param>
    /// <param name="disposeHandler">Whether <see cref="Dispose"/> disposes it.</param>
    /// <param name="options">How the server is reached; null for the defaults.</param>
    /// <exception cref="ArgumentException"><paramref name="files"/> is not absolute, or not of http or https.</exception>
    public TransferClient(Uri files, HttpMessageHandler handler, bool disposeHandler, TransferClientOptions? options = null)
        : this(
            files,
            new HttpClient(handler, disposeHandler) { Timeout = Timeout.InfiniteTimeSpan },
            options,
            ownsClient: true,
            TimeProvider.System)
    {
    }

    /// <summary>A client that uses another one's connections, for example of <c>IHttpClientFactory</c>. It stays the caller's.</summary>
    /// <param name="files">Where the server has its files.</param>
    /// <param name="client">Its timeout must be infinite: an upload lasts as long as it has to.</param>
    /// <param name="options">How the server is reached; null for the defaults.</param>
    /// <exception cref="ArgumentException">
    /// <paramref name="files"/> is not absolute, or not of http or https; or the client ends requests after a time.
    /// </exception>
    public TransferClient(Uri files, HttpClient client, TransferClientOptions? options = null)
        : this(files, client, options, ownsClient: false, TimeProvider.System)
    {
        if (client.Timeout != Timeout.InfiniteTimeSpan)
        {
            throw new ArgumentException(
                $"The HttpClient ends requests after {client.Timeout}, whole uploads too. Set its Timeout to "
                + $"Timeout.InfiniteTimeSpan; {nameof(TransferClientOptions)}.{nameof(TransferClientOptions.IdleTimeout)} ends stalled requests.",
                nameof(client));
        }
    }

    internal TransferClient(
        Uri files, HttpClient client, TransferClientOptions? options, bool ownsClient, TimeProvider clock)
    {
        ArgumentNullException.ThrowIfNull(files);
        ArgumentNullException.ThrowIfNull(client);
        if (!files.IsAbsoluteUri || (files.Scheme != Uri.UriSchemeHttp && files.Scheme != Uri.UriSchemeHttps))
        {
            throw new ArgumentException($"'{files}' is not a valid server address: use for example http://host:8080/files/.", nameof(files));
        }

        Files = files.AbsolutePath.EndsWith('/') ? files : new Uri($"{files.GetLeftPart(UriPartial.Path)}/");
        Options = options?.Copy() ?? new TransferClientOptions();
        _client = client;
        _ownsClient = ownsClient;
        _clock = clock;
        _retry = new RetryPolicy(Options, clock);
        _receiving = Options.MaxReceiving is { } most ? new ReceiveTurns(most) : null;
        Speed = new LinkSpeed(clock);
    }

    /// <summary>Where the server has its files; ends with a slash.</summary>
    public Uri Files { get; }

    internal TransferClientOptions Options { get; }

    /// <summary>Where uploads are remembered for another process.</summary>
    internal string RecordFolder { get; init; } = UploadRecord.DefaultFolder;

    /// <summary>Closes its connections.</summary>
    public void Dispose()
    {
        if (_ownsClient)
        {
            _client.Dispose();
        }
    }

    private static void ThrowIfRoot(TransferName name)
    {
        if (name.IsRoot)
        {
            throw new TransferException(
                TransferError.InvalidName, "The root of a store is not a file. Give a name, for example reports/may.csv.");
        }
    }

    internal Uri UrlOf(TransferName name) => new(Files, name.ToEncoded());
}
