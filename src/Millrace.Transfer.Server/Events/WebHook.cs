using System.Buffers;
using System.Globalization;
using System.Net;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;

namespace Millrace.Transfer.Server;

/// <summary>
/// Posts events to a URL as CloudEvents 1.0 in JSON (structured mode), signed as Standard Webhooks are. A response 2xx within 30 seconds
/// means that the event is delivered; redirects are not followed. docs/hooks.md describes it. Thread-safe.
/// </summary>
public sealed class WebHook : IFileEvents, IDisposable
{
    /// <summary>Minimum bytes of a secret.</summary>
    private const int MinSecretBytes = 16;

    /// <summary>The prefix of a secret in Base64, as in Standard Webhooks.</summary>
    private const string SecretPrefix = "whsec_";

    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan ConnectTimeout = TimeSpan.FromSeconds(10);

    private readonly HttpClient _client;
    private readonly Uri _url;
    private readonly AuthenticationHeaderValue? _credentials;
    private readonly byte[]? _secret;
    private readonly string _source;
    private readonly TimeProvider _clock;

    /// <summary>Creates a hook.</summary>
    /// <param name="url">Where to post: <c>http</c> or <c>https</c>. A user and password in it are sent by Basic authentication.</param>
    /// <param name="secret">
    /// The secret that signs events, at least 16 bytes: a text, or Base64 with the prefix <c>whsec_</c>. Null to sign nothing.
    /// </param>
    /// <param name="source">The <c>source</c> of the events, a URI or its path; for example the URL of the files.</param>
    /// <param name="clock">The time of signatures; null for the system's.</param>
    /// <exception cref="ArgumentException">The URL, or the secret, cannot be used.</exception>
    public WebHook(Uri url, string? secret = null, string source = "/files", TimeProvider? clock = null)
    {
        ArgumentNullException.ThrowIfNull(url);
        ArgumentException.ThrowIfNullOrEmpty(source);
        if (!url.IsAbsoluteUri || url.Scheme is not ("http" or "https"))
        {
            throw new ArgumentException("The URL of a hook begins with http:// or https://.", nameof(url));
        }

        _credentials = url.UserInfo.Length == 0 ? null
            : new AuthenticationHeaderValue("Basic", Convert.ToBase64String(Encoding.UTF8.GetBytes(Uri.UnescapeDataString(url.UserInfo))));
        _url = new UriBuilder(url) { UserName = "", Password = "", Fragment = "" }.Uri;
        _secret = secret is null ? null : ReadSecret(secret);
        _source = source;
        _clock = clock ?? TimeProvider.System;
        _client = new HttpClient(new SocketsHttpHandler
        {
            AllowAutoRedirect = false,
            UseCookies = false,
            ConnectTimeout = ConnectTimeout,

            // A name that leads to another machine is noticed.
            PooledConnectionLifetime = TimeSpan.FromMinutes(5),
        })
        {
            Timeout = Timeout,
        };
        _client.DefaultRequestHeaders.UserAgent.ParseAdd("millrace");
    }

    /// <summary>The scheme, host and port of the URL, for logs: user, path and query may be secret.</summary>
    public string Where => $"{_url.Scheme}://{_url.Authority}";

    /// <inheritdoc/>
    public async ValueTask DeliverAsync(FileEvent fileEvent, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(fileEvent);
        byte[] body = Write(fileEvent, _source);
        using var request = new HttpRequestMessage(HttpMethod.Post, _url) { Content = new ByteArrayContent(body) };
        request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/cloudevents+json", "utf-8");
        request.Headers.Authorization = _credentials;
        if (_secret is not null)
        {
            string time = _clock.GetUtcNow().ToUnixTimeSeconds().ToString(CultureInfo.InvariantCulture);
            request.Headers.Add("webhook-id", fileEvent.Id);
            request.Headers.Add("webhook-timestamp", time);
            request.Headers.Add("webhook-signature", Sign(_secret, fileEvent.Id, time, body));
        }

        HttpResponseMessage response;
        try
        {
            response = await _client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, cancellationToken);
        }
        catch (Exception exception) when (exception is HttpRequestException or TaskCanceledException && !cancellationToken.IsCancellationRequested)
        {
            throw new FileEventException(
                exception is HttpRequestException ? $"{Where} cannot be reached: {exception.Message}" : $"{Where} has not answered within {Timeout.TotalSeconds} s.", exception);
        }

        using (response)
        {
            if (!response.IsSuccessStatusCode)
            {
                int status = (int)response.StatusCode;
                throw new FileEventException(
                    status is >= 300 and < 400
                        ? $"{Where} answers with a redirect ({status}), which is not followed. Use the URL to which it leads."
                        : $"{Where} answers with the status {status}.")
                {
                    RetryAfter = RetryAfter(response),
                    IsOfEvent = response.StatusCode is HttpStatusCode.BadRequest or HttpStatusCode.Conflict or HttpStatusCode.RequestEntityTooLarge
                        or HttpStatusCode.UnsupportedMediaType or HttpStatusCode.UnprocessableEntity,
                };
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _client.Dispose();

    /// <summary>The CloudEvent. https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md</summary>
    internal static byte[] Write(FileEvent fileEvent, string source)
    {
        var buffer = new ArrayBufferWriter<byte>(512);
        using (var json = new Utf8JsonWriter(buffer))
        {
            json.WriteStartObject();
            json.WriteString("specversion"u8, "1.0"u8);
            json.WriteString("id"u8, fileEvent.Id);
            json.WriteString("source"u8, source);
            json.WriteString("type"u8, fileEvent.Type);
            if (!fileEvent.Name.IsRoot)
            {
                json.WriteString("subject"u8, fileEvent.Name.Value);
            }

            json.WriteString("time"u8, fileEvent.Time.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture));
            json.WriteString("datacontenttype"u8, "application/json"u8);
            json.WriteStartObject("data"u8);
            if (fileEvent.Length is { } size)
            {
                json.WriteNumber("size"u8, size);
            }

            Add("sha256", fileEvent.Sha256?.ToString());
            Add("etag", fileEvent.Tag?.ToString());
            Add("from", fileEvent.From.IsRoot ? null : fileEvent.From.Value);
            Add("by", fileEvent.By);
            Add("upload", fileEvent.Upload);
            if (fileEvent.Kind == FileEventKind.Dropped)
            {
                json.WriteNumber("dropped"u8, fileEvent.Dropped);
            }

            json.WriteEndObject();
            json.WriteEndObject();

            void Add(string name, string? value)
            {
                if (value is not null)
                {
                    json.WriteString(name, value);
                }
            }
        }

        return buffer.WrittenSpan.ToArray();
    }

    /// <summary>https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#signature-scheme</summary>
    internal static string Sign(byte[] secret, string id, string time, ReadOnlySpan<byte> body)
    {
        using var hash = IncrementalHash.CreateHMAC(HashAlgorithmName.SHA256, secret);
        hash.AppendData(Encoding.ASCII.GetBytes($"{id}.{time}."));
        hash.AppendData(body);
        return "v1," + Convert.ToBase64String(hash.GetHashAndReset());
    }

    internal static byte[] ReadSecret(string secret)
    {
        byte[] bytes;
        try
        {
            bytes = secret.StartsWith(SecretPrefix, StringComparison.Ordinal)
                ? Convert.FromBase64String(secret[SecretPrefix.Length..])
                : Encoding.UTF8.GetBytes(secret);
        }
        catch (FormatException exception)
        {
            throw new ArgumentException($"The secret of the hook begins with {SecretPrefix}, but the rest is not Base64.", nameof(secret), exception);
        }

        return bytes.Length >= MinSecretBytes ? bytes
            : throw new ArgumentException($"The secret of the hook is shorter than {MinSecretBytes} bytes. Make one with 'openssl rand -base64 32'.", nameof(secret));
    }

    private TimeSpan? RetryAfter(HttpResponseMessage response) =>
        response.Headers.RetryAfter is not { } after ? null : after.Delta ?? (after.Date is { } date ? date - _clock.GetUtcNow() : null);
}
