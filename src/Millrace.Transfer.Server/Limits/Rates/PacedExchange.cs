using Microsoft.AspNetCore.Http.Features;
using Microsoft.Win32.SafeHandles;
using Millrace.Kestrel;

namespace Millrace.Transfer.Server;

/// <summary>
/// The body of a request and that of its response, at the rate of its caller. Endpoints find both where they find Kestrel's own, so that
/// every protocol keeps the rate.
/// </summary>
internal sealed class PacedExchange : IHttpResponseBodyFeature, IFileRangeFeature, IRequestBodyPipeFeature, IDisposable
{
    private readonly HttpContext _context;
    private readonly RateLimits _limits;
    private readonly IHttpResponseBodyFeature _response;
    private readonly IRequestBodyPipeFeature _request;
    private readonly CancellationTokenRegistration _gone;
    private PacedWriter? _writer;
    private PacedReader? _reader;
    private RateFlow? _receiving;
    private RateFlow? _sending;
    private long _receivedBefore;

    private PacedExchange(HttpContext context, RateLimits limits)
    {
        _context = context;
        _limits = limits;
        _response = context.Features.GetRequiredFeature<IHttpResponseBodyFeature>();
        _request = context.Features.Get<IRequestBodyPipeFeature>() ?? new RequestBodyPipeFeature(context);
        context.Features.Set(this);
        context.Features.Set<IHttpResponseBodyFeature>(this);
        context.Features.Set<IRequestBodyPipeFeature>(this);
        context.Response.RegisterForDispose(this);
        _gone = context.RequestAborted.UnsafeRegister(static exchange => ((PacedExchange)exchange!).End(), this);
    }

    public Stream Stream => _response.Stream;

    public PipeWriter Writer => _writer ??= new PacedWriter(_response.Writer, this);

    public PipeReader Reader => _reader ??= new PacedReader(_request.Reader, this);

    public bool CanSend => _response is IFileRangeFeature { CanSend: true };

    /// <summary>Maximum bytes of a turn; null before the caller is known.</summary>
    public int? TurnBytes => _sending?.TurnBytes;

    /// <summary>Replaces Kestrel's bodies by paced ones. Before <see cref="Bind"/>, the bytes of the request are only counted.</summary>
    public static PacedExchange Install(HttpContext context, RateLimits limits) =>
        context.Features.Get<PacedExchange>() ?? new PacedExchange(context, limits);

    /// <summary>Applies the limits of a caller to the rest of the request. A second call changes nothing: a request has one caller.</summary>
    /// <param name="caller">The subject of the limits.</param>
    /// <param name="rate">The rate of its token; null without one.</param>
    public void Bind(string caller, long? rate)
    {
        if (_sending is null)
        {
            long? most = _limits.RateOf(rate);
            _receiving = _limits.Receive.Open(caller, most, _receivedBefore);
            _sending = _limits.Transmit.Open(caller, most);
            if (_context.RequestAborted.IsCancellationRequested)
            {
                End();
            }
        }
    }

    /// <summary>Waits until bytes of the request may be received.</summary>
    /// <returns>How many; 0 if <see cref="CancelReceive"/> was called.</returns>
    public ValueTask<int> ReceiveAsync(int bytes) => _receiving?.TakeAsync(bytes) ?? new(CountBefore(bytes));

    /// <summary>Receives bytes that are there, without waiting.</summary>
    public int ReceiveNow(int bytes) => _receiving?.TakeNow(bytes) ?? CountBefore(bytes);

    /// <summary>Ends a wait to receive.</summary>
    /// <returns>False if there is none.</returns>
    public bool CancelReceive() => _receiving?.TryCancel() ?? false;

    /// <summary>Waits until bytes of the response may be sent.</summary>
    public ValueTask<int> SendAsync(int bytes) => _sending?.TakeAsync(bytes) ?? new(bytes);

    public void DisableBuffering() => _response.DisableBuffering();

    public Task StartAsync(CancellationToken cancellationToken = default) => _response.StartAsync(cancellationToken);

    public Task CompleteAsync() => _response.CompleteAsync();

    /// <summary>For an application's own code, which is not limited: Millrace's endpoints send open files.</summary>
    public Task SendFileAsync(string path, long offset, long? count, CancellationToken cancellationToken = default) =>
        _response.SendFileAsync(path, offset, count, cancellationToken);

    public async Task SendFileAsync(SafeFileHandle file, long offset, long count, CancellationToken cancellationToken = default)
    {
        IFileRangeFeature ranges = _response as IFileRangeFeature
            ?? throw new InvalidOperationException($"Look at {nameof(CanSend)} first.");
        while (count > 0 && !_context.RequestAborted.IsCancellationRequested)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int bytes = await SendAsync((int)Math.Min(count, int.MaxValue));
            await ranges.SendFileAsync(file, offset, bytes, cancellationToken);
            offset += bytes;
            count -= bytes;
        }
    }

    public void Dispose()
    {
        _gone.Dispose();
        _receiving?.Close();
        _sending?.Close();
    }

    private int CountBefore(int bytes)
    {
        int counted = Math.Min(bytes, RateGate.FirstBytes);
        _receivedBefore += counted;
        return counted;
    }

    private void End()
    {
        _receiving?.End();
        _sending?.End();
    }
}
