using System.CommandLine;
using System.CommandLine.Help;
using System.Globalization;
using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Console;
using Millrace.Transfer;
using Millrace.Transfer.S3;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>`millrace serve`.</summary>
internal static class ServeCommand
{
    public const string Name = "serve";

    private const string Prefix = "millrace serve: ";

    private const string Details = """
        Without a token, only this machine can reach the server. To serve others, create a token with 'millrace token add' and
        name an address with --host ('*' for all). With --cert, the server offers TLS, HTTP/2 and gRPC on one port.

        Examples:
          millrace serve
          millrace serve /srv/files --host '*' --cert cert.pem --key key.pem
          millrace serve inbox --port 0 --json --max-file 10GiB --leave-free 5GiB
          millrace serve /srv/files --socket /run/millrace.sock,0660 --trusted-proxy unix --path-base /share
          millrace serve s3://backups/2026 --s3-tokens --host '*'

        Every option can be set by an environment variable, too: MILLRACE_MAX_FILE for --max-file, MILLRACE_FOLDER for FOLDER. An option
        on the command line wins. Flags take true or false, and options that can be repeated take values with commas between them.

        Any number of servers can serve one bucket. The keys for it come from the environment (AWS_ACCESS_KEY_ID,
        AWS_SECRET_ACCESS_KEY), a profile (AWS_PROFILE) or the instance's role.

        Exit codes:
          0    stopped by Ctrl-C or SIGTERM; all running transfers finished
          1    could not start; the error output says why and what to do
          130  stopped; transfers that still ran after --grace, or at the second Ctrl-C, were cut
        """;

    public static Command Create()
    {
        var folder = new Argument<string>("FOLDER")
        {
            Description = "The folder whose files are served and where uploads go, or s3://BUCKET/PREFIX.",
            DefaultValueFactory = _ => ".",
        };
        var set = new ServeOptionSet();
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command(Name, "Serve a folder or a bucket over HTTP and gRPC, with resumable uploads (tus and the IETF draft).")
        {
            help, folder,
        };
        set.AddTo(command, folder);
        command.SetAction(parsed =>
        {
            TransferHostOptions options;
            ServeSettings settings;
            try
            {
                options = set.Read(parsed, parsed.GetValue(folder)!);
                settings = set.ReadSettings(parsed, options);
            }
            catch (TransferException exception)
            {
                Console.Error.WriteLine(Prefix + exception.Message);
                return ExitCode.CannotStart;
            }

            S3FileStoreOptions? bucket = set.ReadBucket(parsed, options);
            return (bucket is null
                ? ServeAsync(options, static _ => Task.CompletedTask, settings)
                : ServeBucketAsync(options, bucket, set.ReadsBucketTokens(parsed), settings))
                .GetAwaiter().GetResult();
        });
        return command;
    }

    private static async Task<int> ServeBucketAsync(
        TransferHostOptions options, S3FileStoreOptions bucket, bool readsTokens, ServeSettings settings)
    {
        var store = new S3FileStore(bucket);
        await using (store.ConfigureAwait(false))
        {
            options.FileStore = store;
            S3TokenFile? tokens = null;
            try
            {
                return await ServeAsync(
                    options,
                    async stop =>
                    {
                        await CheckAsync(store, options.Folder, stop).ConfigureAwait(false);
                        if (readsTokens)
                        {
                            tokens = await S3TokenFile.OpenAsync(bucket, stop).ConfigureAwait(false);
                            options.TokensPath = Follow(tokens, options.Folder);
                            options.TokensReadOnly = true;
                        }
                    },
                    settings).ConfigureAwait(false);
            }
            finally
            {
                if (tokens is not null)
                {
                    await tokens.DisposeAsync().ConfigureAwait(false);
                }
            }
        }
    }

    private static string Follow(S3TokenFile tokens, string served)
    {
        if (!tokens.Exists)
        {
            throw new TransferException(
                TransferError.NotFound,
                $"{served} has no tokens; create one with 'millrace token add NAME --folder {served}', or leave --s3-tokens out.");
        }

        try
        {
            new TokenStore(tokens.Path).List();
        }
        catch (TransferException exception)
        {
            throw new TransferException(
                exception.Error,
                $"The tokens in {served} (.millrace/tokens.json) cannot be read: {exception.InnerException?.Message.TrimEnd('.')}; delete the object and create new tokens.",
                innerException: exception);
        }

        tokens.StartRefreshing();
        return tokens.Path;
    }

    private static async Task CheckAsync(S3FileStore store, string served, CancellationToken stop)
    {
        try
        {
            await store.CheckAsync(stop).ConfigureAwait(false);
        }
        catch (TransferException exception)
        {
            string where = store.Options.Endpoint is { } endpoint ? $"{served} at {endpoint.GetLeftPart(UriPartial.Authority)}" : served;
            throw new TransferException(exception.Error, $"{where}: {exception.Message}", innerException: exception);
        }
    }

    private static async Task<int> ServeAsync(
        TransferHostOptions options, Func<CancellationToken, Task> check, ServeSettings settings)
    {
        using var signals = new StopSignal(handlesSecond: true);
        options.Logging = new ServeLog(settings.Quiet, settings.Json, ServeLog.IsJournal()).Configure;
        MetricsServer? metrics = null;
        TransferServer server;
        try
        {
            await check(signals.Token).ConfigureAwait(false);
            metrics = settings.Metrics is { } wanted ? await MetricsServer.StartAsync(wanted, signals.Token).ConfigureAwait(false) : null;
            server = await TransferServer.StartAsync(options, signals.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (signals.Token.IsCancellationRequested)
        {
            await DisposeAsync(metrics).ConfigureAwait(false);
            return ExitCode.Success;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            await DisposeAsync(metrics).ConfigureAwait(false);
            await Console.Error.WriteLineAsync(Prefix + exception.Message).ConfigureAwait(false);
            return ExitCode.CannotStart;
        }

        try
        {
            using var garbage = new GarbagePolicy();
            ReadyFile.Write(server, options);
            PrintReady(server, options, settings, metrics);
            ServiceManager.Notify("READY=1");
            await Task.Delay(Timeout.InfiniteTimeSpan, signals.Token)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            ServiceManager.Notify("STOPPING=1");
            return await StopAsync(server, options, settings.Quiet, signals.Cut).ConfigureAwait(false);
        }
        finally
        {
            ReadyFile.Delete(options);
            await server.DisposeAsync().ConfigureAwait(false);
            await DisposeAsync(metrics).ConfigureAwait(false);
        }
    }

    private static ValueTask DisposeAsync(MetricsServer? metrics) => metrics?.DisposeAsync() ?? default;

    private static void PrintReady(TransferServer server, TransferHostOptions options, ServeSettings settings, MetricsServer? metrics)
    {
        string? pin = options.AllowPin ? server.CreatePin() : null;
        if (settings.Json)
        {
            ServeLine line = ServePrinter.ToLine(server, options) with
            {
                Metrics = metrics?.Url.AbsoluteUri,
                Fingerprint = settings.Certificate?.Fingerprint,
                Pin = pin,
            };
            TransferCommand.WriteLine(Console.Out, CommandJson.ToLine(line));
        }
        else if (!settings.Quiet)
        {
            TransferCommand.WriteLine(Console.Out, ServePrinter.Describe(server, options));
            if (metrics is not null)
            {
                TransferCommand.WriteLine(Console.Out, $"Metrics are at {metrics.Url}.");
            }

            if (settings.Certificate is { } certificate)
            {
                TransferCommand.WriteLine(Console.Out, ServePrinter.Describe(certificate));
            }
        }

        if (pin is not null)
        {
            PrintPin(server, options, settings, pin);
            new Thread(() => MakePins(server, options, settings)) { IsBackground = true, Name = "millrace pins" }.Start();
        }
        else if (!settings.Json && !settings.Quiet)
        {
            PrintQr(server, options, settings, pin: null);
        }
    }

    /// <summary>Makes another PIN for each line of input: only the person at the server should be able to.</summary>
    private static void MakePins(TransferServer server, TransferHostOptions options, ServeSettings settings)
    {
        try
        {
            while (Console.In.ReadLine() is not null)
            {
                string pin = server.CreatePin();
                if (settings.Json)
                {
                    TransferCommand.WriteLine(Console.Out, CommandJson.ToLine(new PinLine(pin)));
                }

                PrintPin(server, options, settings, pin);
            }
        }
        catch (IOException)
        {
            // The terminal is gone; the server stays.
        }
    }

    private static void PrintPin(TransferServer server, TransferHostOptions options, ServeSettings settings, string pin)
    {
        if (!settings.Json)
        {
            PrintQr(server, options, settings, pin);
            TransferCommand.WriteLine(Console.Out, $"PIN: {pin[..3]} {pin[3..]}, for one browser, within ten minutes. Enter prints another one.");
        }
    }

    private static void PrintQr(TransferServer server, TransferHostOptions options, ServeSettings settings, string? pin)
    {
        IReadOnlyList<Uri> urls = LanAddresses.UrlsOf(server, options);
        if (settings.Qr || (urls.Count > 0 && !Console.IsOutputRedirected))
        {
            string url = urls is [var first, ..] ? first.AbsoluteUri : ServePrinter.Files(server, options);
            TransferCommand.WriteLine(
                Console.Out, QrText.Of(url + (pin is null ? "" : $"#pin={pin}"), colours: !Console.IsOutputRedirected) + url);
        }
    }

    private static async Task<int> StopAsync(
        TransferServer server, TransferHostOptions options, bool quiet, CancellationToken cut)
    {
        if (server.ActiveTransfers > 0 && !quiet)
        {
            await Console.Error.WriteLineAsync(string.Create(
                CultureInfo.InvariantCulture,
                $"{Prefix}{TransferText(server.ActiveTransfers)} still running, with {options.ShutdownTimeout.TotalSeconds:0.#} s to finish; Ctrl-C cuts now."))
                .ConfigureAwait(false);
        }

        int lost = await server.StopAsync(cut).ConfigureAwait(false);
        if (lost == 0)
        {
            return ExitCode.Success;
        }

        await Console.Error.WriteLineAsync(
            $"{Prefix}{TransferText(lost)} cut. Nothing partial is visible; resumable uploads can be continued.")
            .ConfigureAwait(false);
        return ExitCode.Stopped;
    }

    private static string TransferText(int count) => count == 1 ? "1 transfer" : $"{count} transfers";
}

/// <summary>The settings of the command itself, beside those of its server.</summary>
internal sealed record ServeSettings
{
    public bool Quiet { get; init; }
    public bool Json { get; init; }
    public MetricsSettings? Metrics { get; init; }
    public SelfSignedCertificate? Certificate { get; init; }
    public bool Qr { get; init; }
}

/// <summary>Describes a ready server: its addresses, who may use it, and commands to copy.</summary>
internal static class ServePrinter
{
    public static ServeLine ToLine(TransferServer server, TransferHostOptions options) => new()
    {
        Address = Text(server.Address),
        Http2 = server.Http2Address is { } http2 ? Text(http2) : null,
        Grpc = server.Http2Address is { } grpc ? Text(grpc) : null,
        GrpcWeb = Text(server.Address),
        Files = Files(server, options),
        Uploads = Text(server.Address) + options.PathBase + options.Endpoints.UploadsPath,
        Socket = server.SocketPath,
        Folder = Served(options),
        NeedsToken = server.NeedsToken,
        ReadOnly = options.ReadOnly,
        Pid = Environment.ProcessId,
        Note = server.Notice,
    };

    public static string Describe(TransferServer server, TransferHostOptions options)
    {
        string files = Files(server, options);
        string curlToken = server.NeedsToken ? "-H \"Authorization: Bearer $MILLRACE_TOKEN\" " : "";
        var text = new StringBuilder();
        string curl = server.SocketPath is { } socket ? $"curl --unix-socket {socket} " : "curl ";
        text.AppendLine($"Serving {Served(options)} at {(server.SocketPath is { } path ? $"the socket {path}, {options.PathBase}{options.Endpoints.FilesPath}/" : files)}");
        foreach (Uri url in LanAddresses.UrlsOf(server, options))
        {
            text.AppendLine($"  {url}");
        }

        text.AppendLine(Grpc(server));
        if (server.Notice is { } note)
        {
            text.AppendLine(note);
        }

        text.AppendLine(Access(server, options));
        if (options.ReadOnly)
        {
            text.AppendLine(options.FileStore is null && options.Store.StatePath is null
                ? "Read-only: nothing can be changed, and digests are kept in memory; --state DIR keeps them, tokens and links."
                : "Read-only: nothing can be changed.");
        }
        else
        {
            AppendCommands(text, "put", $"{curl}{curlToken}-T FILE {files}", $"FILE {files}", server);
        }

        AppendCommands(text, "get", $"{curl}{curlToken}-O {files}NAME", $"{files}NAME", server);
        text.Append(CultureInfo.InvariantCulture, $"Ctrl-C stops it; running transfers have {options.ShutdownTimeout.TotalSeconds:0.#} s to finish.");
        return text.ToString();
    }

    /// <summary>The commands that reach a Unix socket are those of curl.</summary>
    private static void AppendCommands(StringBuilder text, string verb, string curl, string arguments, TransferServer server)
    {
        if (server.SocketPath is null)
        {
            text.AppendLine($"  {verb}:  millrace {verb} {arguments}");
            text.AppendLine($"        {curl}");
        }
        else
        {
            text.AppendLine($"  {verb}:  {curl}");
        }
    }

    private static string Grpc(TransferServer server) => server.Http2Address switch
    {
        null when server.SocketPath is not null => "gRPC-Web is there, too; gRPC needs HTTP/2, which is not offered.",
        _ when server.SocketPath is not null => "gRPC and gRPC-Web are there, too.",
        null => $"gRPC-Web is at {Text(server.Address)}; gRPC needs HTTP/2, which is not offered.",
        var http2 when http2 == server.Address => $"gRPC and gRPC-Web are at {Text(server.Address)}.",
        var http2 => $"HTTP/2 without TLS and gRPC are at {Text(http2)}, gRPC-Web is at {Text(server.Address)}.",
    };

    public static string Describe(SelfSignedCertificate certificate) =>
        $"""
        Browsers warn about the certificate, because nobody else vouches for it. Its SHA-256 fingerprint, to compare in the browser:
          {certificate.Fingerprint}
        Other commands take --ca-cert {certificate.CertificatePath}.
        """;

    private static string Access(TransferServer server, TransferHostOptions options)
    {
        if (!server.NeedsToken)
        {
            return options.Insecure
                ? $"No token is needed: anyone who can reach it can {(options.ReadOnly ? "read" : "read, replace and delete")} everything."
                : "Reachable from this machine only; no token is needed.";
        }

        if (options.PublicScopes != TransferScope.None)
        {
            return $"Without a token, anyone who can reach it may {TransferScopes.ToText(options.PublicScopes).Replace(",", " and ", StringComparison.Ordinal)}; everything else needs one, which 'millrace token add' makes.";
        }

        string clear = options.CertificatePath is null && !server.Address.IsLoopback
            ? " Without TLS (--cert) tokens and files can be read on the way."
            : "";
        return "A token is needed, in MILLRACE_TOKEN for these lines; 'millrace token add' makes one." + clear;
    }

    private static string Served(TransferHostOptions options) =>
        options.FileStore is null ? Path.GetFullPath(options.Folder) : options.Folder;

    public static string Files(TransferServer server, TransferHostOptions options) =>
        Text(server.Address) + options.PathBase + options.Endpoints.FilesPath + "/";

    private static string Text(Uri address) => address.GetLeftPart(UriPartial.Authority);
}

/// <summary>The JSON line of a server that is ready.</summary>
internal sealed record ServeLine
{
    public required string Address { get; init; }
    public string? Http2 { get; init; }
    public string? Grpc { get; init; }
    public required string GrpcWeb { get; init; }
    public required string Files { get; init; }
    public required string Uploads { get; init; }
    public required string Folder { get; init; }
    public bool NeedsToken { get; init; }
    public bool ReadOnly { get; init; }
    public int Pid { get; init; }
    public string? Note { get; init; }
    public string? Socket { get; init; }
    public string? Metrics { get; init; }
    public string? Fingerprint { get; init; }
    public string? Pin { get; init; }
}

/// <summary>A further PIN, as JSON.</summary>
internal sealed record PinLine(string Pin);

/// <summary>The log of `millrace serve`: on the error output, one line a transfer.</summary>
/// <param name="Quiet">Whether it has warnings and errors only.</param>
/// <param name="Json">Whether its lines are JSON.</param>
/// <param name="Journal">Whether systemd's journal reads it, which has its own time and takes a priority at the beginning of a line.</param>
internal sealed record ServeLog(bool Quiet, bool Json, bool Journal)
{
    public void Configure(ILoggingBuilder logging)
    {
        logging.SetMinimumLevel(Quiet ? LogLevel.Warning : LogLevel.Information);
        logging.AddJsonConsole(format =>
        {
            format.TimestampFormat = "yyyy-MM-dd'T'HH:mm:ss.fff'Z'";
            format.UseUtcTimestamp = true;
        });
        logging.AddSimpleConsole(format =>
        {
            format.SingleLine = true;
            format.ColorBehavior = LoggerColorBehavior.Disabled;
            format.TimestampFormat = Journal ? null : "yyyy-MM-dd HH:mm:ss'Z' ";
            format.UseUtcTimestamp = true;
        });
        logging.Services.AddSingleton(this);
        logging.Services.AddSingleton<ConsoleFormatter, PrintableLog>();
        logging.Services.Configure<ConsoleLoggerOptions>(console =>
        {
            console.LogToStandardErrorThreshold = LogLevel.Trace;
            console.FormatterName = PrintableLog.FormatterName;

            // A log without a reader must not stop the transfers.
            console.QueueFullMode = ConsoleLoggerQueueFullMode.DropWrite;
        });
    }

    /// <summary>Whether the error output is the journal's socket, which <c>JOURNAL_STREAM</c> names: systemd.exec(5).</summary>
    public static bool IsJournal()
    {
        try
        {
            return Environment.GetEnvironmentVariable("JOURNAL_STREAM")?.Split(':') is [_, var inode]
                && OperatingSystem.IsLinux()
                && new FileInfo("/proc/self/fd/2").LinkTarget == $"socket:[{inode}]";
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }
}
