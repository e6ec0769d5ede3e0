using System.Net;
using System.Text.Json;

namespace Millrace.Transfer;

/// <summary>What the server offers, and the wire that is chosen by it.</summary>
public sealed partial class TransferClient
{
    private readonly Lock _lock = new();
    private Task<TransferContext>? _context;
    private ServerDescription? _description;

    /// <summary>What the server offers; asked for once.</summary>
    /// <remarks>
    /// A server that does not say it has <see cref="ServerDescription.Version"/> 0 here and offers <c>http1</c> alone: files
    /// are uploaded with one request each, and nothing can be continued but what can be sent from its beginning.
    /// </remarks>
    /// <exception cref="TransferException">The server cannot be reached.</exception>
    public ValueTask<ServerDescription> DescribeAsync(CancellationToken cancellationToken = default)
    {
        return _description is { } known ? ValueTask.FromResult(known) : AskAsync();

        async ValueTask<ServerDescription> AskAsync() => await _retry.RunAsync(
            async (_, token) => _description ??= await AskOnceAsync(token).ConfigureAwait(false), cancellationToken)
            .ConfigureAwait(false);
    }

    /// <summary>What transfers share; made once the server has said what it offers.</summary>
    private async ValueTask<TransferContext> ContextAsync(CancellationToken cancellationToken)
    {
        if (_context is { IsCompletedSuccessfully: true } made)
        {
            return made.Result;
        }

        ServerDescription description = await DescribeAsync(cancellationToken).ConfigureAwait(false);
        lock (_lock)
        {
            Wire wire = WireChoice.Make(Options.Wire, description, Setup(description));
            _context ??= Task.FromResult(new TransferContext(Options, _clock, _retry, wire)
            {
                Parts = wire.MayDivide ? WireChoice.MakeParts(description, Setup(description)) : null,
            });
        }

        return await _context.ConfigureAwait(false);
    }

    private WireSetup Setup(ServerDescription description) => new()
    {
        Kind = TransferWire.Http1,
        Client = _client,
        Options = Options,
        Clock = _clock,
        Files = Files,
        Uploads = description.Uploads is { } uploads ? new Uri(Files, $"{uploads.TrimEnd('/')}/") : null,
    };

    private async Task<ServerDescription> AskOnceAsync(CancellationToken cancellationToken)
    {
        var call = new WireCall("Asking what is offered by", Files.Authority, TransferWire.Auto);
        using var watch = new IdleWatch(Options.IdleTimeout, _clock, cancellationToken);
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri(Files, ServerDescription.Path));
        try
        {
            using HttpResponseMessage response = await _client
                .SendAsync(request, HttpCompletionOption.ResponseHeadersRead, watch.Token).ConfigureAwait(false);
            if (response.StatusCode is HttpStatusCode.NotFound or HttpStatusCode.MethodNotAllowed or HttpStatusCode.NotImplemented)
            {
                return Undescribed();
            }

            if (!response.IsSuccessStatusCode)
            {
                throw await Failures.ReadAsync(response, call, _clock, watch.Token).ConfigureAwait(false);
            }

            Stream body = await response.Content.ReadAsStreamAsync(watch.Token).ConfigureAwait(false);
            return await JsonSerializer.DeserializeAsync(body, TransferJson.Default.ServerDescription, watch.Token)
                .ConfigureAwait(false) ?? Undescribed();
        }
        catch (JsonException)
        {
            // A page that a server has for every address.
            return Undescribed();
        }
        catch (HttpRequestException exception) when (
            Options.Wire == TransferWire.Grpc
            && exception.HttpRequestError is HttpRequestError.InvalidResponse or HttpRequestError.ResponseEnded)
        {
            // Servers of gRPC alone know no HTTP/1.1.
            return Undescribed();
        }
        catch (Exception exception) when (exception is not TransferException)
        {
            throw Failures.Translate(exception, call, watch) ?? exception;
        }
    }

    private ServerDescription Undescribed() => new()
    {
        Version = 0,
        Files = Files.AbsolutePath,
        Wires =
        [
            // Others' servers of gRPC describe nothing: whoever names that wire is believed.
            new WireDescription(
                WireNames.Of(Options.Wire is TransferWire.Grpc or TransferWire.GrpcWeb or TransferWire.GrpcWebText
                    ? Options.Wire
                    : TransferWire.Http1),
                Files.Scheme,
                Files.Port),
        ],
    };
}
