using System.Buffers;
using System.Globalization;
using System.Text;
using System.Threading.Channels;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>
/// A line per request in the combined format of Apache and nginx, without queries, in which signatures of links are. Requests never wait for
/// the disk: lines that it is too slow for are dropped. Thread-safe.
/// </summary>
/// <remarks>The file is opened for each batch of lines, so that it can be renamed, truncated or deleted at any time.</remarks>
internal sealed class AccessLog : IAsyncDisposable
{
    private const string None = "-";
    private const int MaxWaiting = 10_000;

    /// <summary>How long lines are gathered: otherwise each of a busy server wakes a thread, which opens the file for it.</summary>
    private static readonly TimeSpan Gathering = TimeSpan.FromMilliseconds(50);

    /// <summary>What stands in a line as it is.</summary>
    private static readonly SearchValues<char> Plain =
        SearchValues.Create([.. Enumerable.Range(0x20, 0x5f).Select(static one => (char)one).Except("\"\\")]);

    private readonly string _path;
    private readonly TimeProvider _clock;
    private readonly ILogger _logger;
    private readonly Channel<string> _lines = Channel.CreateBounded<string>(
        new BoundedChannelOptions(MaxWaiting) { FullMode = BoundedChannelFullMode.DropWrite, SingleReader = true });
    private readonly CancellationTokenSource _closing = new();
    private readonly Task _writing;

    private AccessLog(string path, TimeProvider clock, ILogger logger)
    {
        _path = path;
        _clock = clock;
        _logger = logger;
        _writing = Task.Run(WriteAllAsync);
    }

    /// <exception cref="TransferException">The file cannot be written.</exception>
    public static AccessLog Open(string path, TimeProvider clock, ILogger logger)
    {
        try
        {
            // From here on another working folder changes nothing.
            path = Path.GetFullPath(path);
            Append(path, "");
            return new AccessLog(path, clock, logger);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new TransferException(TransferError.Failed, $"The access log cannot be written: {exception.Message}", innerException: exception);
        }
    }

    public RequestDelegate Use(RequestDelegate next) => context =>
    {
        // The first of them is called last, when the transfer's own record is complete.
        context.Response.OnCompleted(
            static state =>
            {
                (AccessLog log, HttpContext request) = ((AccessLog, HttpContext))state;
                log._lines.Writer.TryWrite(log.LineOf(request));
                return Task.CompletedTask;
            },
            (this, context));
        return next(context);
    };

    public async ValueTask DisposeAsync()
    {
        _lines.Writer.TryComplete();
        await _closing.CancelAsync();
        await _writing;
        _closing.Dispose();
    }

    private static void Append(string path, string text)
    {
        using var file = new StreamWriter(new FileStream(path, FileMode.Append, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete));
        file.Write(text);
    }

    private string LineOf(HttpContext context)
    {
        HttpRequest request = context.Request;
        TransferObservation? seen = context.Features.Get<TransferObservation>();
        string target = context.Features.Get<IHttpRequestFeature>()?.RawTarget is { Length: > 0 } raw ? raw : request.Path.ToUriComponent();
        long bytes = HttpMethods.IsHead(request.Method) ? 0 : seen?.SentBytes ?? context.Response.ContentLength ?? 0;
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{TransferObservation.AddressOf(context)} - {Escape(seen?.Owner)} [{_clock.GetUtcNow():dd/MMM/yyyy:HH:mm:ss} +0000] \"{Escape(request.Method)} {Escape(WithoutQuery(target))} {Escape(request.Protocol)}\" {context.Response.StatusCode} {(bytes > 0 ? bytes : None)} \"{Escape(WithoutQuery(request.Headers[HeaderNames.Referer].ToString()))}\" \"{Escape(request.Headers.UserAgent.ToString())}\"\n");
    }

    private static string WithoutQuery(string target) => target.Split('?', '#')[0];

    /// <summary>As Apache does it: a client cannot end a field or a line, or write to a terminal.</summary>
    private static string Escape(string? text)
    {
        if (string.IsNullOrEmpty(text))
        {
            return None;
        }

        if (!text.AsSpan().ContainsAnyExcept(Plain))
        {
            return text;
        }

        var escaped = new StringBuilder(text.Length);
        foreach (byte one in Encoding.UTF8.GetBytes(text))
        {
            _ = one is (byte)'"' or (byte)'\\' ? escaped.Append('\\').Append((char)one)
                : one is < 0x20 or > 0x7e ? escaped.Append(CultureInfo.InvariantCulture, $"\\x{one:x2}")
                : escaped.Append((char)one);
        }

        return escaped.ToString();
    }

    private async Task WriteAllAsync()
    {
        bool works = true;
        while (await _lines.Reader.WaitToReadAsync())
        {
            await Task.Delay(Gathering, _closing.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            var batch = new StringBuilder();
            while (_lines.Reader.TryRead(out string? line))
            {
                batch.Append(line);
            }

            try
            {
                Append(_path, batch.ToString());
                works = true;
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                if (works)
                {
                    works = false;
                    _logger.AccessLogFailed(exception.Message);
                }
            }
        }
    }
}
