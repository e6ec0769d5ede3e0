using Google.Protobuf;

namespace Millrace.Transfer.Server;

/// <summary>One call: the request as frames, the answer, and when it has to end.</summary>
internal sealed class GrpcCall : IAsyncDisposable
{
    /// <summary>Number of a field that no message has: all of it is gathered.</summary>
    private const int NoField = 0;

    private static readonly StreamPipeReaderOptions DecodedOptions = new(bufferSize: 64 * 1024, minimumReadSize: 16 * 1024);

    private static readonly TimeSpan LongestTimer = TimeSpan.FromMilliseconds(int.MaxValue);

    private CancellationTokenSource? _deadline;
    private PipeReader? _decoded;
    private MessageReader? _messages;

    public GrpcCall(HttpContext context, IFileStore store, TransferServerOptions options, GrpcForm form, string contentType)
    {
        Context = context;
        Root = store;
        Store = store;
        Options = options;
        Form = form;
        Answer = new GrpcAnswer(this, contentType);
        Ended = context.RequestAborted;
    }

    public HttpContext Context { get; }

    /// <summary>The store, for every caller the same.</summary>
    public IFileStore Root { get; }

    /// <summary>The store; once the call is admitted, as the caller may use it.</summary>
    public IFileStore Store { get; private set; }

    public TransferServerOptions Options { get; }

    public GrpcForm Form { get; }

    public GrpcAnswer Answer { get; }

    /// <summary>When the caller has gone or its time is over.</summary>
    public CancellationToken Ended { get; private set; }

    /// <summary>Whether its time may end before it does.</summary>
    public bool HasDeadline => _deadline is not null;

    /// <summary>Whether its time is over.</summary>
    public bool IsPastDeadline => _deadline?.IsCancellationRequested is true && !IsDisconnected;

    /// <summary>Whether the client is disconnected.</summary>
    public bool IsDisconnected => Context.RequestAborted.IsCancellationRequested;

    /// <inheritdoc cref="TransferPass.TurnBytes"/>
    public int? TurnBytes { get; private set; }

    /// <summary>Whether messages with the compressed flag are accepted.</summary>
    public bool AcceptsGzip { get; private set; }

    /// <summary>Whether chunks of the answer are compressed.</summary>
    public bool SendsGzip { get; private set; }

    /// <summary>Reads the request's fields that describe the call.</summary>
    /// <exception cref="GrpcFault">They ask for an unsupported feature.</exception>
    public void Begin()
    {
        TransferGuard.Of(Context).PreparePace(Context);
        IHeaderDictionary fields = Context.Request.Headers;
        string encoding = fields[GrpcFields.Encoding].ToString();
        if (encoding is not ("" or GrpcFields.Identity or GrpcFields.Gzip))
        {
            throw new GrpcFault(
                GrpcStatus.Unimplemented,
                $"Messages in '{encoding}' are not accepted here; {GrpcFields.Identity} and {GrpcFields.Gzip} are.");
        }

        AcceptsGzip = encoding == GrpcFields.Gzip;
        SendsGzip = AcceptsGzip && Options.Grpc.Compress && Accepts(fields[GrpcFields.AcceptEncoding].ToString());
        if (fields[GrpcFields.Timeout] is { Count: > 0 } timeout)
        {
            if (!GrpcTimeout.TryParse(timeout.ToString(), out TimeSpan time))
            {
                throw new GrpcFault(GrpcStatus.Internal, $"'{timeout}' is not a valid {GrpcFields.Timeout}; use digits and a unit, as in 30S.");
            }

            Limit(time);
        }
    }

    /// <summary>The request's messages.</summary>
    /// <param name="dataField">Number of the field with a file's bytes.</param>
    public MessageReader Read(int dataField) => _messages ??= new MessageReader(this, Input(), dataField);

    /// <summary>The one message of a request.</summary>
    public ValueTask<T> ReadAsync<T>(MessageParser<T> parser)
        where T : IMessage<T> => Read(NoField).ReadOnlyAsync(parser);

    /// <summary>
    /// Lifts Kestrel's limit before the request is read; <see cref="MessageReader"/> counts instead. Kestrel would close the
    /// connection over HTTP/1.1, often before the caller has seen the status.
    /// </summary>
    public void ExpectFile() => CallerLimits.SetBodyLimit(Context, bytes: null);

    public async ValueTask<TransferPass> EnterAsync(TransferOperation operation, TransferName name, TransferName? second = null)
    {
        TransferPass pass = await TransferGuard.Of(Context).EnterAsync(Context, Store, operation, name, second);
        Store = pass.Store;
        TurnBytes = pass.TurnBytes;
        return pass;
    }

    public async ValueTask DisposeAsync()
    {
        _messages?.Dispose();
        if (_decoded is not null)
        {
            await _decoded.CompleteAsync();
        }

        _deadline?.Dispose();
    }

    private static bool Accepts(string field)
    {
        foreach (string coding in field.Split(',', StringSplitOptions.TrimEntries))
        {
            if (coding.Equals(GrpcFields.Gzip, StringComparison.OrdinalIgnoreCase))
            {
                return true;
            }
        }

        return false;
    }

    private void Limit(TimeSpan time)
    {
        if (time > LongestTimer)
        {
            return;
        }

        _deadline = CancellationTokenSource.CreateLinkedTokenSource(Context.RequestAborted);
        Ended = _deadline.Token;
        if (time == TimeSpan.Zero)
        {
            _deadline.Cancel();
            Ended.ThrowIfCancellationRequested();
        }

        _deadline.CancelAfter(time);
    }

    private PipeReader Input() => Form == GrpcForm.WebText
        ? _decoded ??= PipeReader.Create(new Base64Stream(new RequestBodyStream(Context.Request.BodyReader)), DecodedOptions)
        : Context.Request.BodyReader;
}
