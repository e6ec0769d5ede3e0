using System.Diagnostics;
using System.Globalization;

namespace Millrace.Transfer;

/// <summary>One call: its time, its answer, and what each way of ending it means.</summary>
internal sealed class GrpcExchange : IDisposable
{
    private readonly ProtocolSetup _setup;
    private readonly IdleWatch _watch;
    private readonly CancellationTokenSource? _deadline;
    private readonly CancellationTokenSource? _linked;
    private Activity? _activity;

    public GrpcExchange(ProtocolSetup setup, ProtocolCall call, IdleWatch watch)
    {
        _setup = setup;
        _watch = watch;
        Call = call;
        if (setup.Options.CallTimeout is { } timeout)
        {
            _deadline = new CancellationTokenSource(timeout, setup.Clock);
            _linked = CancellationTokenSource.CreateLinkedTokenSource(_deadline.Token, watch.Token);
        }
    }

    /// <summary>The call.</summary>
    public ProtocolCall Call { get; }

    /// <summary>Ends it: by the caller, because nothing moves, or because its time is over.</summary>
    public CancellationToken Token => _linked?.Token ?? _watch.Token;

    /// <summary>The answer; null before it began.</summary>
    public GrpcInput? Input { get; private set; }

    /// <summary>Sends the request and looks how the answer begins.</summary>
    /// <exception cref="TransferException">It was refused at once, or the response is not gRPC.</exception>
    public async Task<GrpcInput> SendAsync(HttpRequestMessage request)
    {
        _watch.Touch();
        _activity = TransferClientDiagnostics.StartCall(request.RequestUri!);
        HttpResponseMessage response = await _setup.Client
            .SendAsync(request, HttpCompletionOption.ResponseHeadersRead, Token).ConfigureAwait(false);
        try
        {
            _watch.Touch();
            await ThrowIfNoGrpcAsync(response).ConfigureAwait(false);
            Stream body = await response.Content.ReadAsStreamAsync(Token).ConfigureAwait(false);
            Input = new GrpcInput(response, body, Call, _watch);
        }
        finally
        {
            if (Input is null)
            {
                response.Dispose();
            }
        }

        if (Input.StatusInHeaders is { } status and not GrpcStatus.Ok)
        {
            throw GrpcRefusals.Make(status, Input.Field, Call, response.StatusCode);
        }

        return Input;
    }

    /// <summary>The exception to throw instead of another one.</summary>
    public Exception Translate(Exception exception)
    {
        return exception switch
        {
            _ when _watch.Caller.IsCancellationRequested => Failures.Translate(exception, Call, _watch),
            GrpcFault { Status: GrpcStatus.ResourceExhausted } => Failures.Make(TransferError.TooLarge, Call, exception.Message, exception),
            GrpcFault => Failures.Protocol(Call, exception.Message.TrimEnd('.')),
            not (TransferException or FilePipeException) when _deadline is { IsCancellationRequested: true } => TooLong(exception),
            _ => Failures.Translate(exception, Call, _watch),
        };
    }

    public void Dispose()
    {
        EndActivity();
        Input?.Dispose();
        _linked?.Dispose();
        _deadline?.Dispose();
    }

    private void EndActivity()
    {
        if (_activity is not { } activity)
        {
            return;
        }

        _activity = null;
        GrpcStatus? status = Input?.Status;
        string? name = status is { } known ? GrpcErrors.NameOf(known) : null;
        activity.SetTag("rpc.response.status_code", name);
        if (status is not GrpcStatus.Ok)
        {
            activity.SetTag("error.type", name ?? "no_status").SetStatus(ActivityStatusCode.Error);
        }

        activity.Dispose();
    }

    private async Task ThrowIfNoGrpcAsync(HttpResponseMessage response)
    {
        string? type = response.Content.Headers.ContentType?.MediaType;
        bool grpc = type is not null && type.StartsWith(GrpcFields.ContentType, StringComparison.OrdinalIgnoreCase);
        if (response.IsSuccessStatusCode && grpc)
        {
            return;
        }

        if (Fields.Number(response, GrpcFields.Status) is { } told and > 0)
        {
            throw GrpcRefusals.Make((GrpcStatus)told, name => Fields.Text(response, name), Call, response.StatusCode);
        }

        if (type == ErrorDocument.MediaType)
        {
            throw await Failures.ReadAsync(response, Call, _setup.Clock, Token).ConfigureAwait(false);
        }

        if (response.IsSuccessStatusCode)
        {
            throw Failures.Protocol(Call, $"the answer is not gRPC but {type ?? "of no type"}");
        }

        GrpcStatus status = GrpcRefusals.StatusOf(response.StatusCode);
        string number = ((int)response.StatusCode).ToString(CultureInfo.InvariantCulture);
        throw GrpcRefusals.Make(
            status,
            name => name switch
            {
                GrpcFields.Message => $"It is an HTTP response, {number} ({response.ReasonPhrase}), and not gRPC: another server or a proxy is "
                    + "at this address.",
                GrpcFields.RetryAfter => Failures.RetryAfterOf(response, _setup.Clock)?.TotalSeconds.ToString("0.###", CultureInfo.InvariantCulture),
                _ => null,
            },
            Call,
            response.StatusCode);
    }

    private TransferException TooLong(Exception exception)
    {
        string limit = _setup.Options.CallTimeout!.Value.TotalSeconds.ToString("0.###", CultureInfo.InvariantCulture);
        return Failures.Make(
            TransferError.TooSlow,
            Call,
            $"it took longer than the limit of {limit} s for one call. Raise the limit.",
            exception,
            isTransient: true);
    }
}
