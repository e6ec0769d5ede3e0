using System.Diagnostics;
using System.Net;
using System.Net.Http.Headers;

namespace Millrace.Transfer;

/// <summary>HTTP: ranges down, resumable uploads up. One class for both versions, which differ only in the connection.</summary>
internal partial class HttpProtocolClient : Protocol
{
    /// <summary>
    /// Asks proxies to pass a body on as it comes (draft-ietf-httpbis-incremental), so that the server has saved most of it when the connection
    /// fails.
    /// </summary>
    private const string Incremental = "Incremental";

    private readonly HttpClient _client;
    private readonly Version _version;
    private readonly AuthenticationHeaderValue? _token;
    private readonly Uri? _link;
    private volatile bool _isIncremental = true;

    public HttpProtocolClient(ProtocolSetup setup)
    {
        Setup = setup;
        _client = setup.Client;
        _version = setup.Kind == TransferProtocol.Http2 ? HttpVersion.Version20 : HttpVersion.Version11;
        _token = setup.Options.Token is { Length: > 0 } token ? new AuthenticationHeaderValue("Bearer", token) : null;
        _link = setup.Options.Link is { } link ? new Uri(setup.Files, $"{link.Name.ToEncoded()}?{link.Query}") : null;
    }

    public override TransferProtocol Kind => Setup.Kind;

    protected ProtocolSetup Setup { get; }

    /// <summary>The URL of a file.</summary>
    protected Uri UrlOf(TransferName name) => new(Setup.Files, name.ToEncoded());

    /// <summary>The URL of a file's content: by the link where it is that file's.</summary>
    private Uri ContentUrlOf(TransferName name) =>
        _link is not null && Setup.Options.Link!.Name == name ? _link : UrlOf(name);

    protected ProtocolCall Call(string verb, TransferName name) => new(verb, name.IsRoot ? "/" : name.Value, Kind);

    /// <summary>Sends a request.</summary>
    /// <exception cref="TransferException">The server refused it, or the connection failed.</exception>
    protected async Task<HttpResponseMessage> SendAsync(
        HttpMethod method, Uri url, ProtocolCall call, IdleWatch watch, Action<HttpRequestMessage> prepare, Outgoing? content = null)
    {
        OutgoingContent? body = content is null ? null : new OutgoingContent(content);
        try
        {
            HttpResponseMessage response = await SendAnyAsync(method, url, call, watch, prepare, content, body).ConfigureAwait(false);
            if (!response.IsSuccessStatusCode)
            {
                throw await RefusalAsync(response, call, watch).ConfigureAwait(false);
            }

            if (content is not null)
            {
                Setup.Sizes.GotThrough(content);
            }

            return response;
        }
        catch (TransferException exception) when (content is not null)
        {
            throw Setup.Sizes.Learn(exception, content);
        }
        finally
        {
            // Not before a refusal is read: over HTTP/2, a body that is ended takes the answer with it.
            if (body is not null)
            {
                await body.EndAsync().ConfigureAwait(false);
            }
        }
    }

    /// <summary>Sends a request about something that need not exist; null if it does not.</summary>
    /// <exception cref="TransferException">The server refused it, or the connection failed.</exception>
    protected async Task<HttpResponseMessage?> SendOrNullAsync(
        HttpMethod method, Uri url, ProtocolCall call, IdleWatch watch, Action<HttpRequestMessage> prepare)
    {
        HttpResponseMessage response = await SendAnyAsync(method, url, call, watch, prepare).ConfigureAwait(false);

        // Looking for a file is redirected to a listing where a folder has the name.
        if (response.StatusCode is HttpStatusCode.NotFound or HttpStatusCode.Gone
            || (response.StatusCode == HttpStatusCode.PermanentRedirect && method == HttpMethod.Head))
        {
            response.Dispose();
            return null;
        }

        return response.IsSuccessStatusCode ? response : throw await RefusalAsync(response, call, watch).ConfigureAwait(false);
    }

    private async Task<HttpResponseMessage> SendAnyAsync(
        HttpMethod method, Uri url, ProtocolCall call, IdleWatch watch, Action<HttpRequestMessage> prepare, Outgoing? content = null,
        OutgoingContent? body = null)
    {
        using var request = new HttpRequestMessage(method, url)
        {
            Version = _version,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = body,
        };

        // A server looks at a token first, which may allow less than the link does.
        request.Headers.Authorization = ReferenceEquals(url, _link) ? null : _token;
        if (content is not null && _isIncremental)
        {
            Add(request, Incremental, "?1");
        }

        if (content is not null && Setup.Sizes.IsUntried(content))
        {
            request.Headers.ExpectContinue = true;
        }

        prepare(request);
        watch.Touch();
        try
        {
            HttpResponseMessage response = await _client
                .SendAsync(request, HttpCompletionOption.ResponseHeadersRead, watch.Token).ConfigureAwait(false);
            watch.Touch();
            if (StructuredField.TryFindMember(Fields.Text(response, "Upload-Limit"), "max-append-size", out ReadOnlySpan<char> limit)
                && StructuredField.TryCount(limit, out long bytes))
            {
                Setup.Sizes.Announce(bytes);
            }

            return response;
        }
        catch (Exception) when (content?.SourceFailure is { } failure)
        {
            throw Failures.OfSource(failure, call);
        }
        catch (Exception exception)
        {
            throw Failures.Translate(exception, call, watch);
        }
    }

    private async Task<Exception> RefusalAsync(HttpResponseMessage response, ProtocolCall call, IdleWatch watch)
    {
        using (response)
        {
            try
            {
                TransferException refusal = await Failures.ReadAsync(response, call, Setup.Clock, watch.Token).ConfigureAwait(false);
                if (response.RequestMessage?.Headers.Contains(Incremental) == true && refusal is { Status: 501, IsForeign: true }
                    && Fields.Text(response, "Proxy-Status")?.Contains("incremental_refused", StringComparison.Ordinal) == true)
                {
                    _isIncremental = false;
                    return refusal.AsTransient("It is tried without incremental delivery.");
                }

                return refusal;
            }
            catch (OperationCanceledException canceled)
            {
                return Failures.Translate(canceled, call, watch);
            }
        }
    }

    protected static void Add(HttpRequestMessage request, string name, string value)
    {
        bool added = request.Headers.TryAddWithoutValidation(name, value);
        Debug.Assert(added, $"{name} is not a request field.");
    }

    protected static void AddPrecondition(HttpRequestMessage request, WritePrecondition precondition)
    {
        if (precondition.CreateNew)
        {
            Add(request, "If-None-Match", "*");
        }

        if (precondition.MustExist)
        {
            Add(request, "If-Match", "*");
        }
        else if (precondition.Match is { } tags)
        {
            Add(request, "If-Match", string.Join(", ", tags));
        }

        if (precondition.UnmodifiedSince is { } since)
        {
            Add(request, "If-Unmodified-Since", since.ToString("R"));
        }
    }
}
