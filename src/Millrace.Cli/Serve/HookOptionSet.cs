using System.CommandLine;
using Millrace.Transfer;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>The options of `millrace serve` about events.</summary>
internal sealed class HookOptionSet
{
    private const string Refuse = "refuse";
    private const string Drop = "drop";

    private readonly Option<Uri?> _hook = ParsedOption.Create<Uri?>(
        "--hook", "URL", "Post an event to this URL for each file that is created, replaced, moved or deleted, and each upload that starts or expires.",
        static (text, out url) =>
        {
            bool isUrl = Uri.TryCreate(text, UriKind.Absolute, out url) && url.Scheme is "http" or "https" && url.Host.Length > 0;
            return isUrl ? null : "The value of --hook is not a URL; begin with http:// or https://.";
        });

    private readonly Option<string?> _secret = new("--hook-secret-file")
    {
        Description = "Sign events with the secret in this file, 16 characters or more.",
        HelpName = "FILE",
    };

    private readonly Option<int> _limit = ParsedOption.Count("--hook-limit", "Keep this many events while the receiver takes none.", 100_000);

    private readonly Option<string> _full = new("--hook-full")
    {
        Description = "When so many wait, refuse changes of files, or drop the oldest events.",
        HelpName = $"{Refuse}|{Drop}",
        DefaultValueFactory = _ => Refuse,
    };

    public HookOptionSet() => _full.AcceptOnlyFromAmong(Refuse, Drop);

    public void AddTo(Command command)
    {
        Option[] others = [_secret, _limit, _full];
        command.Add([_hook, .. others]);
        command.Validators.Add(result =>
        {
            if (result.GetResult(_hook) is not { Implicit: false }
                && others.FirstOrDefault(option => result.GetResult(option) is { Implicit: false }) is { } used)
            {
                result.AddError($"{used.Name} is about events, which --hook turns on; use both.");
            }
        });
    }

    /// <exception cref="TransferException">The secret cannot be read, or used.</exception>
    public void Read(ParseResult parsed, TransferHostOptions options)
    {
        if (parsed.GetValue(_hook) is not { } url)
        {
            return;
        }

        string? path = parsed.GetValue(_secret);
        try
        {
            string? secret = path is null ? null : File.ReadAllText(path).Trim();
            string source = (options.PublicUrl?.AbsoluteUri.TrimEnd('/') ?? options.PathBase) + options.Endpoints.FilesPath;
            options.Events = new FileEventOptions
            {
                Receiver = new WebHook(url, secret, source),
                MaxPending = parsed.GetValue(_limit),
                WhenFull = parsed.GetValue(_full) == Drop ? FullOutbox.Drop : FullOutbox.Refuse,
            };
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new TransferException(
                TransferError.Failed, $"{_secret.Name}: '{path}' cannot be read: {exception.Message}", innerException: exception);
        }
        catch (ArgumentException exception)
        {
            throw new TransferException(TransferError.InvalidRequest, $"{_secret.Name}: {exception.Message.Split(" (Parameter", 2)[0]}", innerException: exception);
        }
    }
}
