using System.CommandLine;
using System.CommandLine.Help;
using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using System.Text.Json;
using System.Text.Json.Serialization;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>`millrace health`.</summary>
internal static class HealthCommand
{
    // A response of Millrace has about a hundred bytes.
    private const int MaxResponseBytes = 64 * 1024;

    private const string Details = """
        The server is healthy if it accepts files: its folder is writable, and enough space is free. No token is needed; with the
        one in MILLRACE_TOKEN, or if the server needs none, the free space and the running transfers are printed too.

        Examples:
          millrace health
          millrace health https://files.example.org --timeout 2s
          millrace health --folder /srv/files
          millrace health https://10.0.0.7:8443 --ca-cert our-authority.pem

        Exit codes:
          0    the server is healthy
          1    it is not, cannot be reached, or did not respond in time; the error output says why
          130  stopped by Ctrl-C
        """;

    public static Command Create()
    {
        var url = new Argument<string>("URL")
        {
            Description = "The server's address; give a path if its health check is not at /health.",
            DefaultValueFactory = _ => "http://127.0.0.1:8080",
        };
        var folder = new Option<string?>("--folder")
        {
            Description = "Ask the server of this folder on this machine, whatever its port, socket or certificate.",
            HelpName = "FOLDER",
        };
        folder.Validators.Add(result =>
        {
            if (result.GetResult(url) is { Tokens.Count: > 0 })
            {
                result.AddError("--folder finds the server's address; leave out the URL.");
            }
        });
        Option<string?> state = StateOption.Create("Ask the server that keeps its state in this folder ('millrace serve --read-only --state DIR').");
        state.Validators.Add(result =>
        {
            if (result.GetResult(url) is { Tokens.Count: > 0 } || result.GetResult(folder) is not null)
            {
                result.AddError("--state finds the server's address; leave out the URL and --folder.");
            }
        });
        Option<TimeSpan?> timeout = DurationArgument.WaitOption(
            "--timeout", "Fail after this time without a response: 500ms, 5s, 1m (default: 5s).", "500ms, 5s or 1m");
        var quiet = new Option<bool>("--quiet", "-q") { Description = "Print errors only." };
        var json = new Option<bool>("--json") { Description = "Write the result or the error as one JSON line." };
        var tls = new TlsOptionSet();
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command("health", "Ask a server whether it accepts files.") { help, url, folder, state, timeout };
        tls.AddTo(command);
        command.Add(quiet, json);
        command.SetAction(parsed =>
        {
            var client = new TransferClientOptions();
            tls.Read(parsed, client);
            TlsOptionSet.WarnIfInsecure("health", client);
            return Run(
                parsed.GetValue(url)!,
                parsed.GetValue(folder) ?? parsed.GetValue(state),
                parsed.GetValue(state),
                client,
                parsed.GetValue(timeout) ?? TimeSpan.FromSeconds(5),
                parsed.GetValue(quiet),
                parsed.GetValue(json));
        });
        return command;
    }

    private static int Run(string given, string? folder, string? state, TransferClientOptions client, TimeSpan timeout, bool quiet, bool json)
    {
        using var stop = new StopSignal();
        try
        {
            ReadyFile? ready = folder is null ? null : ReadyFile.Find(folder, state);
            given = ready?.Url ?? given;

            // The server is on this machine, and its certificate for other names.
            client.AllowAnyCertificate |= ready is not null && client.CaCertificatePath is null;
            HealthLine line = AskAsync(Parse(given), ready, client, timeout, stop.Token).GetAwaiter().GetResult();
            if (json)
            {
                TransferCommand.WriteLine(Console.Out, line.ToJson());
            }
            else if (!line.IsHealthy)
            {
                Console.Error.WriteLine($"millrace health: {line.Describe()}");
            }
            else if (!quiet)
            {
                TransferCommand.WriteLine(Console.Out, line.Describe());
            }

            return line.IsHealthy ? ExitCode.Success : ExitCode.TransferFailed;
        }
        catch (OperationCanceledException) when (stop.Token.IsCancellationRequested)
        {
            Console.Error.WriteLine("millrace health: stopped.");
            return ExitCode.Stopped;
        }
        catch (Exception exception) when (TransferFailure.IsExpected(exception))
        {
            TransferCommand.PrintError("health", json, given, exception);
            return ExitCode.TransferFailed;
        }
    }

    private static Uri Parse(string text)
    {
        if (!Uri.TryCreate(text, UriKind.Absolute, out Uri? url)
            || (url.Scheme != Uri.UriSchemeHttp && url.Scheme != Uri.UriSchemeHttps)
            || url.UserInfo.Length > 0)
        {
            throw TransferCommand.Invalid($"'{text}' is not a valid server address; use http://host:8080.");
        }

        return url.PathAndQuery == "/" ? new Uri(url, "/health") : url;
    }

    private static async Task<HealthLine> AskAsync(
        Uri url, ReadyFile? ready, TransferClientOptions options, TimeSpan timeout, CancellationToken stop)
    {
        using var handler = new SocketsHttpHandler { AllowAutoRedirect = false, UseProxy = ready is null && !url.IsLoopback, SslOptions = ClientTls.Read(options) };
        if (ready?.Socket is { } path)
        {
            handler.ConnectCallback = async (_, token) =>
            {
                var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
                try
                {
                    await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), token).ConfigureAwait(false);
                    return new NetworkStream(socket, ownsSocket: true);
                }
                catch
                {
                    socket.Dispose();
                    throw;
                }
            };
        }

        using var client = new HttpClient(handler) { Timeout = timeout, MaxResponseContentBufferSize = MaxResponseBytes };
        using var request = new HttpRequestMessage(HttpMethod.Get, url);
        request.Headers.Authorization = ready is null && TokenSource.Find(token: null, file: null) is { } token
            ? new AuthenticationHeaderValue("Bearer", token)
            : null;
        try
        {
            using HttpResponseMessage response = await client.SendAsync(request, stop).ConfigureAwait(false);
            string text = await response.Content.ReadAsStringAsync(stop).ConfigureAwait(false);
            return HealthLine.Of(url, response.StatusCode, text);
        }
        catch (TaskCanceledException exception) when (!stop.IsCancellationRequested)
        {
            throw new TransferException(
                TransferError.TooSlow, $"{url} did not respond within {DurationText.Of(timeout.TotalSeconds)}.", innerException: exception);
        }
        catch (HttpRequestException exception) when (exception.HttpRequestError == HttpRequestError.SecureConnectionError)
        {
            throw new TransferException(
                TransferError.Disconnected,
                $"Cannot reach {url}: TLS: {exception.GetBaseException().Message.TrimEnd('.')}.",
                innerException: exception);
        }
        catch (HttpRequestException exception)
        {
            throw new TransferException(
                TransferError.Failed, $"Cannot reach {url}: {exception.Message}", innerException: exception);
        }
    }
}

/// <summary>A server's answer about itself; the line of `millrace health --json`.</summary>
internal sealed record HealthLine
{
    private const string Ok = "ok";

    public string? Url { get; init; }
    public required string Status { get; init; }
    public string? Reason { get; init; }
    public long? FreeBytes { get; init; }
    public int? Transfers { get; init; }
    public HealthScrub? Scrub { get; init; }

    public static HealthLine Of(Uri url, HttpStatusCode code, string text)
    {
        HealthLine? told = null;
        try
        {
            told = JsonSerializer.Deserialize(text, CommandJson.Default.HealthLine);
        }
        catch (JsonException)
        {
            // Another server than Millrace's, or a proxy in front of it.
        }

        bool says = told is not null && code is HttpStatusCode.OK or HttpStatusCode.ServiceUnavailable;
        return says && (told!.Status == Ok) == (code == HttpStatusCode.OK)
            ? told with { Url = url.AbsoluteUri }
            : throw new TransferException(
                TransferError.Protocol, $"{url} responded with {(int)code}, and not as a Millrace server's health check does.");
    }

    [JsonIgnore]
    public bool IsHealthy => Status == Ok;

    public string Describe()
    {
        string text = PrintableText.Clean(Reason is null ? Status : $"{Status}: {Reason}");
        text += FreeBytes is { } free ? $", {SizeText.Of(free)} free" : "";
        text += Transfers is { } running ? $", {running} running transfers" : "";
        return text + (Scrub?.Damaged switch
        {
            null or 0 => "",
            1 => ", 1 damaged file ('millrace scrub --list' names it)",
            { } damaged => $", {damaged} damaged files ('millrace scrub --list' names them)",
        });
    }

    public string ToJson() => CommandJson.ToLine(this);
}

/// <summary>The server's check of its stored files, in the line of `millrace health --json`.</summary>
internal sealed record HealthScrub(
    DateTimeOffset? Started, DateTimeOffset? Completed, long Files, long Bytes, long TotalBytes, long Skipped, int Damaged);
