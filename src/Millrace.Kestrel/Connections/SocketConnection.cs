using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging;

namespace Millrace.Kestrel;

/// <summary>A connection: receives into a pipe continuously, sends Kestrel's output, and reports when the peer is gone.</summary>
internal sealed partial class SocketConnection : ConnectionContext, IDuplexPipe, IConnectionIdFeature, IConnectionItemsFeature,
    IConnectionTransportFeature, IConnectionLifetimeFeature, IConnectionEndPointFeature, IConnectionSocketFeature, IMemoryPoolFeature,
    ISendDelayFeature, IInlineRequestsFeature
{
    private static readonly ActivitySource Activities = new(MillraceSockets.DiagnosticsName);
    private static long s_lastId = DateTime.UtcNow.Ticks;

    private readonly Socket _socket;
    private readonly BlockPool _pool;
    private readonly MillraceSocketOptions _options;
    private readonly ILogger _logger;
    private readonly Pipe _input;
    private readonly SocketOutput _output;
    private readonly Readiness _readiness;
    private readonly CancellationTokenSource _closed = new();
    private readonly TaskCompletionSource _outputEnded = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private FileResponseBody? _responseBody;
    private Task _receiving = Task.CompletedTask;
    private Activity? _activity;
    private Exception? _closeReason;
    private int _maxReadBytes;
    private volatile bool _isHttp2;
    private IDictionary<object, object?>? _items;
    private string? _id;

    public SocketConnection(Socket socket, BlockPool pool, PipeOptions input, MillraceSocketOptions options, ILogger logger)
    {
        _socket = socket;
        _pool = pool;
        _options = options;
        _logger = logger;
        _maxReadBytes = options.MaxReadBytes;
        LocalEndPoint = socket.LocalEndPoint;
        RemoteEndPoint = socket.RemoteEndPoint;
        ConnectionClosed = _closed.Token;

        _input = new Pipe(input);
        _readiness = options.Native ? new SocketEvents(socket) : new EmptyRead(socket);
        _output = new SocketOutput(socket, _readiness as SocketEvents, pool, options, OutputEnded);
        Transport = this;

        Features = new ConnectionFeatures();
        Features.Set<IConnectionIdFeature>(this);
        Features.Set<IConnectionItemsFeature>(this);
        Features.Set<IConnectionTransportFeature>(this);
        Features.Set<IConnectionLifetimeFeature>(this);
        Features.Set<IConnectionEndPointFeature>(this);
        Features.Set<IConnectionSocketFeature>(this);
        Features.Set<IMemoryPoolFeature>(this);
        Features.Set<ISendDelayFeature>(this);
        Features.Set<IInlineRequestsFeature>(this);
        Features.Set(this);
    }

    public override IFeatureCollection Features { get; }

    public override IDuplexPipe Transport { get; set; }

    public override string ConnectionId
    {
        get => _id ??= Interlocked.Increment(ref s_lastId).ToString("X", null);
        set => _id = value;
    }

    public override IDictionary<object, object?> Items
    {
        get => _items ??= new ConnectionItems();
        set => _items = value;
    }

    public Socket Socket => _socket;

    public MemoryPool<byte> MemoryPool => _pool;

    PipeReader IDuplexPipe.Input => _input.Reader;

    PipeWriter IDuplexPipe.Output => _output;

    public SocketOutput Output => _output;

    /// <summary>Whether a response goes straight to the socket; false once TLS or a logging middleware is between them.</summary>
    public bool IsPlain => ReferenceEquals(Transport, this);

    /// <inheritdoc/>
    /// <remarks>Not before the first request: TLS may be about to begin, whose handshake and first request the thread for events would run.</remarks>
    public bool RunsInline
    {
        get => _readiness.RunsInline;
        set => _readiness.RunsInline = value && _responseBody is not null && IsPlain && !_isHttp2;
    }

    /// <summary>The response body of the request that is being answered; HTTP/1.1 answers one at a time.</summary>
    public FileResponseBody ResponseBody => _responseBody ??= new FileResponseBody(this);

    /// <summary>
    /// Switches receiving to a protocol whose requests run at the same time. The thread pool reads the received bytes: on the receiving
    /// thread, which the framework prefers to the pool's other work, the frames of peers that flood would be taken in before the requests that
    /// they belong to run. Blocks are smaller, because Kestrel copies frames into its streams' memory anyway.
    /// </summary>
    public void BeginHttp2()
    {
        if (!_isHttp2)
        {
            Volatile.Write(ref _maxReadBytes, Math.Min(_options.MaxReadBytes, Http2ReadBytes));
            _isHttp2 = true;
            _readiness.RunsInline = false;
        }
    }

    public void Start()
    {
        _activity = StartActivity();
        _receiving = ReceiveAsync();
    }

    public override void Abort(ConnectionAbortedException abortReason) => _output.Abort(abortReason);

    public void DelaySending(TimeSpan time)
    {
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(time, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(time, TimeSpan.FromSeconds(1));
        _output.Delay(time);
    }

    public override void Abort() => Abort(new ConnectionAbortedException());

    /// <remarks>Kestrel calls this when the connection is not used any more.</remarks>
    public override async ValueTask DisposeAsync()
    {
        await _input.Reader.CompleteAsync();
        await _output.CompleteAsync();
        await _outputEnded.Task;
        await _receiving;
        _activity?.Dispose();
        _output.Dispose();
        _readiness.Dispose();
        _closed.Dispose();
        await base.DisposeAsync();
    }

    /// <returns>Null without a listener.</returns>
    private Activity? StartActivity()
    {
        Activity? parent = Activity.Current;
        Activity? activity = Activities.StartActivity("millrace connection", ActivityKind.Server);
        if (activity is not null)
        {
            // Requests have activities that belong to their clients' traces.
            Activity.Current = parent;
            IPEndPoint? peer = RemoteEndPoint as IPEndPoint;
            activity.SetTag("network.transport", peer is null ? "unix" : "tcp");
            activity.SetTag("network.peer.address", peer?.Address.ToString()).SetTag("network.peer.port", peer?.Port);
        }

        return activity;
    }

    /// <summary>Everything has been sent, or nothing more can be.</summary>
    private void OutputEnded(Exception? error)
    {
        Close(error);
        _outputEnded.TrySetResult();

        // A slow reader must not keep the receiving loop from its end.
        _input.Writer.CancelPendingFlush();
    }

    private void Close(Exception? error)
    {
        Exception reason = error switch
        {
            null => new ConnectionAbortedException("The connection was closed after everything had been sent."),

            // The reader gets it, too: HTTP logs other exceptions as its own faults.
            SocketException => new ConnectionResetException(error.Message, error),
            _ => error,
        };
        if (Interlocked.CompareExchange(ref _closeReason, reason, null) is not null)
        {
            return;
        }

        switch (error)
        {
            case null or ConnectionAbortedException or ObjectDisposedException:
                break;
            case SocketException:
                LogReset(_logger, ConnectionId, error.Message);
                break;
            default:
                LogSendError(_logger, error, ConnectionId);
                break;
        }

        if (error is not null)
        {
            _activity?.SetTag("error.type", error.GetType().FullName).SetStatus(ActivityStatusCode.Error, error.Message);

            // A reset: the peer must not take its bytes for the whole response.
            _socket.Close(timeout: 0);
        }
        else
        {
            try
            {
                _socket.Shutdown(SocketShutdown.Both);
            }
            catch (SocketException)
            {
                // The peer was faster.
            }

            _socket.Dispose();
        }

        _readiness.SocketClosed();
    }

    [LoggerMessage(1, LogLevel.Debug, "Connection {ConnectionId} was reset: {Reason}")]
    private static partial void LogReset(ILogger logger, string connectionId, string reason);

    [LoggerMessage(2, LogLevel.Error, "Connection {ConnectionId} was aborted because its response could not be sent.")]
    private static partial void LogSendError(ILogger logger, Exception exception, string connectionId);

    [LoggerMessage(3, LogLevel.Error, "Connection {ConnectionId}: receiving failed.")]
    private static partial void LogReceiveError(ILogger logger, Exception exception, string connectionId);
}
