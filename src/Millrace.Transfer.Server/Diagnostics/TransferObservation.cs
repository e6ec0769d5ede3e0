using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Millrace.Transfer.Server;

/// <summary>One request as metrics, traces and the log see it; completed when its response was sent, with its status.</summary>
internal sealed class TransferObservation
{
    private const string Nobody = "-";
    private const string Receive = "receive";

    private readonly TransferMeter _meter;
    private readonly ILogger _logger;
    private readonly HttpContext _context;
    private readonly TransferName _name;
    private readonly string _direction;
    private readonly string _address;
    private readonly long _began = Stopwatch.GetTimestamp();
    private readonly Activity? _activity;
    private bool _isTransfer;
    private string? _owner;
    private TransferError? _refusal;
    private long _bytes;
    private int? _status;
    private GrpcStatus? _rpcStatus;
    private bool _isCut;

    private TransferObservation(
        TransferMeter meter, ILogger logger, HttpContext context, TransferScope scope, TransferName name)
    {
        _meter = meter;
        _logger = logger;
        _context = context;
        _name = name;
        _direction = (scope & TransferScope.Write) != TransferScope.None ? Receive : "transmit";
        _address = AddressOf(context);
        _activity = TransferDiagnostics.Activities.StartActivity(
            (scope & TransferScope.Write) != TransferScope.None ? "millrace receive" : "millrace transmit", ActivityKind.Internal, ParentOf(context));
    }

    private string LoggedName => _name.IsRoot ? "/" : PrintableText.Clean(_name.ToString());

    /// <summary>The name of the token; null without one.</summary>
    public string? Owner => _owner;

    /// <summary>Bytes of a download that were sent; null for everything else.</summary>
    public long? SentBytes => _isTransfer && _direction != Receive ? Interlocked.Read(ref _bytes) : null;

    /// <summary>Whether a request to read came without a token and without a link, as every first one of a browser does.</summary>
    private bool HasNoCredentials => (HttpMethods.IsGet(_context.Request.Method) || HttpMethods.IsHead(_context.Request.Method))
        && _context.Request.Headers.Authorization.Count == 0 && !SignedLink.IsIn(_context.Request);

    /// <summary>Starts an observation, which ends automatically with the response.</summary>
    public static TransferObservation Begin(
        TransferMeter meter, ILogger logger, HttpContext context, TransferScope scope, TransferName name)
    {
        // One line a request, whatever an endpoint asks for on the way.
        if (context.Features.Get<TransferObservation>() is { } running)
        {
            return running;
        }

        var observation = new TransferObservation(meter, logger, context, scope, name);
        context.Features.Set(observation);
        context.Response.OnCompleted(static state => ((TransferObservation)state).EndAsync(), observation);
        return observation;
    }

    /// <summary>The address of the other side, for the log and for callers without a token.</summary>
    public static string AddressOf(HttpContext context) => context.Connection.RemoteIpAddress?.ToString() ?? Nobody;

    /// <summary>
    /// The subject of limits without a token: an IPv4 address, or the network of 64 bits of an IPv6 address, all of
    /// whose addresses belong to one line.
    /// </summary>
    public static string CallerOf(HttpContext context)
    {
        IPAddress? address = context.Connection.RemoteIpAddress;
        if (address is not { AddressFamily: AddressFamily.InterNetworkV6 })
        {
            return address?.ToString() ?? Nobody;
        }

        if (address.IsIPv4MappedToIPv6)
        {
            return address.MapToIPv4().ToString();
        }

        Span<byte> bytes = stackalloc byte[16];
        address.TryWriteBytes(bytes, out _);
        bytes[8..].Clear();
        return new IPAddress(bytes) + "/64";
    }

    /// <summary>The client's own trace, where the host starts no activity for a request.</summary>
    private static ActivityContext ParentOf(HttpContext context)
    {
        IHeaderDictionary fields = context.Request.Headers;
        return Activity.Current is null && TransferDiagnostics.Activities.HasListeners()
            && ActivityContext.TryParse(fields.TraceParent, fields.TraceState, isRemote: true, out ActivityContext parent)
            ? parent
            : default;
    }

    public void Admit(string? owner, bool isTransfer)
    {
        _owner = owner ?? _owner;
        if (isTransfer && !_isTransfer)
        {
            _isTransfer = true;
            _meter.Begun(_direction);
        }
    }

    public void Refuse(TransferError error) => _refusal = error;

    /// <summary>Sets the status of a call, and the one that HTTP would have: gRPC's HTTP status is always 200.</summary>
    public void Answered(GrpcStatus rpcStatus, int? status = null) => (_rpcStatus, _status) = (rpcStatus, status);

    /// <summary>Ends a response before its end, so that the client does not take a part for the whole.</summary>
    /// <remarks>The log does not rely on RequestAborted: Kestrel cancels it later, or after everything was sent.</remarks>
    public static void Cut(HttpContext context)
    {
        if (context.Features.Get<TransferObservation>() is { } observation)
        {
            observation._isCut = true;
        }

        context.Abort();
    }

    public void Moved(long bytes) => Interlocked.Add(ref _bytes, bytes);

    /// <summary>Logs one of the files of a request that brings several, as one with a request of its own is logged.</summary>
    /// <param name="name">The name, as the log may show it.</param>
    /// <param name="status">The status that its own request would have.</param>
    /// <param name="bytes">Bytes that came for it.</param>
    public void LogFile(string name, int status, long bytes)
    {
        string outcome = status >= StatusCodes.Status500InternalServerError ? "failed" : status >= StatusCodes.Status400BadRequest ? "refused" : "completed";
        _logger.Transferred(
            _context.Request.Method, name, outcome, status, bytes, (long)Stopwatch.GetElapsedTime(_began).TotalMilliseconds, _owner ?? Nobody, _address);
    }

    /// <summary>Whether anything reads <see cref="LogFile"/>.</summary>
    public bool LogsFiles => _logger.IsEnabled(LogLevel.Information);

    private Task EndAsync()
    {
        int status = _status ?? _context.Response.StatusCode;

        // An upload that ended early is refused, if the client is still there.
        bool isGone = _direction == Receive && status >= StatusCodes.Status400BadRequest && _context.RequestAborted.IsCancellationRequested;
        string outcome = _isCut || isGone ? "cut"
            : status >= StatusCodes.Status500InternalServerError ? "failed"
            : status >= StatusCodes.Status400BadRequest ? "refused"
            : "completed";
        TimeSpan duration = Stopwatch.GetElapsedTime(_began);
        string method = _context.Request.Method;
        TagList tags = _activity is not null || _meter.IsRecording ? TagsOf(outcome, status) : default;
        if (_isTransfer)
        {
            _meter.Ended(_direction, _bytes, duration, tags);
            if (_logger.IsEnabled(LogLevel.Information))
            {
                _logger.Transferred(
                    method, LoggedName, outcome, status, _bytes, (long)duration.TotalMilliseconds, _owner ?? Nobody, _address);
            }
        }
        else if (_refusal is TransferError.Unauthorized && HasNoCredentials)
        {
            _logger.TokenNeeded(method, LoggedName, _address);
        }
        else if (_refusal is { } error)
        {
            _logger.Refused(method, LoggedName, error, _address);
        }
        else if (_logger.IsEnabled(LogLevel.Debug))
        {
            _logger.Answered(method, LoggedName, outcome, status, _owner ?? Nobody, _address);
        }

        if (_activity is not null)
        {
            _activity.SetTag("millrace.name", LoggedName);
            _activity.SetTag("millrace.transfer.bytes", _bytes);
            foreach ((string tag, object? value) in tags)
            {
                _activity.SetTag(tag, value);
            }

            _activity.SetStatus(outcome is "failed" or "cut" ? ActivityStatusCode.Error : ActivityStatusCode.Unset);
            _activity.Dispose();
        }

        return Task.CompletedTask;
    }

    /// <summary>What both the histogram and the activity say of the end: names of OpenTelemetry, and Millrace's own.</summary>
    private TagList TagsOf(string outcome, int status)
    {
        var tags = new TagList
        {
            { "network.io.direction", _direction },
            { "millrace.transfer.outcome", outcome },
            { "http.response.status_code", status },
        };
        if (_rpcStatus is { } rpcStatus)
        {
            tags.Add("rpc.system.name", "grpc");
            tags.Add("rpc.method", _context.Request.Path.Value![1..]);
            tags.Add("rpc.response.status_code", GrpcErrors.NameOf(rpcStatus));
        }

        if (outcome != "completed")
        {
            tags.Add("error.type", outcome == "cut" ? outcome
                : _refusal is { } error ? ErrorCode.Of(error)
                : _rpcStatus is { } failed ? GrpcErrors.NameOf(failed)
                : status.ToString(CultureInfo.InvariantCulture));
        }

        return tags;
    }
}
