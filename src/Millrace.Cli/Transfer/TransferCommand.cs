using System.CommandLine;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>What put, get, ls and rm do around their work: signals, and telling of what went wrong.</summary>
internal static class TransferCommand
{
    public const int MaxPaths = 100_000;

    public static int Run(
        string name,
        TransferOptionSet options,
        ParseResult parsed,
        string url,
        Func<TransferSettings, CancellationToken, Task<int>> work)
    {
        TransferSettings? settings = null;
        using var stop = new StopSignal();
        try
        {
            settings = options.Read(parsed);
            TlsOptionSet.WarnIfInsecure(name, settings.Client);
            return work(settings, stop.Token).GetAwaiter().GetResult();
        }
        catch (OperationCanceledException) when (stop.Token.IsCancellationRequested)
        {
            Console.Error.WriteLine($"millrace {name}: stopped.");
            return ExitCode.Stopped;
        }
        catch (Exception exception) when (TransferFailure.IsExpected(exception))
        {
            PrintError(name, settings?.Json ?? false, url, exception);
            return ExitCode.TransferFailed;
        }
    }

    public static void PrintError(string name, bool json, string url, Exception exception)
    {
        if (json)
        {
            WriteLine(Console.Out, FailureLine.Of(TransferTarget.WithoutQuery(url), exception).ToJson());
            return;
        }

        // What there is, 'millrace ls' would not list: the server has no trash at all.
        string text = name == TrashCommand.Name && exception is TransferException { Error: TransferError.NotFound, Name: null } none
            ? $"{none.Reason} 'millrace serve --trash 30d' keeps them."
            : TransferFailure.Explain(exception, resumes: name is "put" or "get");
        string about = exception is TransferException { Name: { Length: > 0 } file } && !text.Contains(file, StringComparison.Ordinal)
            ? $"'{PrintableText.Clean(file)}': "
            : "";
        string hint = exception is TransferException { Hidden: > 0 } ? " Use --hidden to take them along." : "";
        Console.Error.WriteLine($"millrace {name}: {about}{text}{hint}");
    }

    /// <summary>Reports that a server left entries out of its listing.</summary>
    /// <param name="name">The command.</param>
    /// <param name="json">Whether it prints JSON.</param>
    /// <param name="url">The folder.</param>
    /// <param name="omitted">How many entries, and why.</param>
    /// <param name="consequence">What became of them, for example "not downloaded".</param>
    /// <returns>The exit code.</returns>
    public static int PrintOmitted(string name, bool json, string url, OmittedEntries omitted, string consequence)
    {
        if (omitted.Total == 0)
        {
            return ExitCode.Success;
        }

        var exception = new TransferException(
            TransferError.Failed, $"{omitted.Total} {(omitted.Total == 1 ? "entry" : "entries")} of {url} {(omitted.Total == 1 ? "is" : "are")} {consequence}: {omitted}.");
        if (json)
        {
            WriteLine(Console.Out, FailureLine.Of(TransferTarget.WithoutQuery(url), exception, omitted).ToJson());
        }
        else
        {
            PrintError(name, json, url, exception);
        }

        return ExitCode.LeftOut;
    }

    public static TransferException Invalid(string message) => new(TransferError.InvalidRequest, message);

    public static void WriteLine(TextWriter output, string line)
    {
        try
        {
            output.WriteLine(line);
        }
        catch (IOException)
        {
            // The exit code still shows the result.
        }
    }
}

/// <summary>The clients of one run of the command: one a server, however many URLs lead to it.</summary>
internal sealed class TransferSession(TransferClientOptions options) : IDisposable
{
    private readonly Dictionary<Uri, TransferClient> _clients = [];

    public async Task<(TransferTarget Target, TransferClient Client)> OpenAsync(
        TransferTarget target, CancellationToken cancellationToken)
    {
        TransferClient client = ClientOf(target);
        try
        {
            Uri files = await client.FindFilesAsync(target.Url, cancellationToken).ConfigureAwait(false);
            target = target.Below(files.AbsolutePath);
        }
        catch (TransferException exception) when (exception.Error is TransferError.NotFound or TransferError.Protocol)
        {
            // Not a Millrace server, or Millrace's endpoints within another application: then the URL is taken as it is.
        }

        return (target, ClientOf(target));
    }

    public void Dispose()
    {
        foreach (TransferClient client in _clients.Values)
        {
            client.Dispose();
        }
    }

    // A command that takes a link takes one URL, so that no other file's client has it.
    private TransferClient ClientOf(TransferTarget target)
    {
        if (!_clients.TryGetValue(target.Files, out TransferClient? client))
        {
            options.Link = target.Link;
            options.Token = target.Secret ?? options.Token;
            client = new TransferClient(target.Files, options);
            _clients.Add(target.Files, client);
        }

        return client;
    }
}

/// <summary>Names failures and the option that helps.</summary>
internal static class TransferFailure
{
    /// <summary>Whether a file failed with it, so that the others go on; anything else is a mistake of this program.</summary>
    public static bool IsExpected(Exception exception) =>
        exception is IOException or UnauthorizedAccessException or HttpRequestException;

    public static string KindOf(Exception exception) => exception switch
    {
        TransferException { Error: TransferError.Failed, InnerException: FilePipeException disk } => disk.Error.ToString(),
        TransferException transfer => ErrorCode.Of(transfer.Error),
        FilePipeException disk => disk.Error.ToString(),
        FileNotFoundException or DirectoryNotFoundException => nameof(TransferError.NotFound),
        UnauthorizedAccessException => nameof(FilePipeError.AccessDenied),
        HttpRequestException => nameof(TransferError.Disconnected),
        _ => nameof(TransferError.Failed),
    };

    /// <summary>Whether the user wants protocols and statuses in messages, too: <c>--verbose</c>.</summary>
    public static bool IsVerbose { get; set; }

    private const string ResumesWithSpace = "The same command goes on when there is space.";

    /// <summary>For a person; <see cref="Describe(Exception)"/> is for programs.</summary>
    public static string Explain(Exception exception, bool resumes = true) =>
        Describe(exception, IsVerbose || exception is not TransferException transfer ? exception.Message : transfer.Reason, resumes);

    public static string Describe(Exception exception) => Describe(exception, exception.Message, resumes: true);

    private static string Describe(Exception exception, string message, bool resumes)
    {
        message = PrintableText.Clean(message.TrimEnd());
        message += message[^1] is '.' or '?' ? "" : ".";
        string advice = exception is TransferException transfer ? Advice(transfer, resumes)
            : exception is FilePipeException { Error: FilePipeError.NoSpace } ? resumes ? ResumesWithSpace : "Make space there."
            : "";
        return advice.Length == 0 ? message : $"{message} {advice}";
    }

    private static string Advice(TransferException transfer, bool resumes) => transfer.Error switch
    {
        TransferError.Unauthorized =>
            $"Pass a token that the server knows in --token-file, {TokenSource.Variable} or --token.",
        TransferError.Forbidden =>
            "Ask for a token with this scope and prefix ('millrace token add' on the server), or for a link ('millrace link').",
        TransferError.AlreadyExists => "Without --create-new the file is replaced.",
        TransferError.PreconditionFailed when transfer.Status != 423 => "'millrace ls --long' prints the current tag.",
        TransferError.NotFound => "'millrace ls' lists what there is; the URL of a folder ends with a slash.",
        TransferError.Disconnected when transfer.InnerException is HttpRequestException { HttpRequestError: HttpRequestError.SecureConnectionError } =>
            "If an authority of your own has signed it, name a PEM file with that authority's certificate in --ca-cert.",
        TransferError.Disconnected or TransferError.TooSlow or TransferError.TooManyTransfers or TransferError.Unavailable when !resumes => "",
        TransferError.Disconnected or TransferError.TooSlow =>
            "The same command resumes the transfer; --attempts makes it retry longer.",
        TransferError.TooManyTransfers or TransferError.Unavailable => "The same command resumes it later.",
        TransferError.NoSpace when resumes => ResumesWithSpace,
        TransferError.ProtocolNotOffered => "Without --via, the command uses a protocol that the server offers.",
        TransferError.Changed => "The same command starts over with the new version.",
        _ => "",
    };
}
