using System.CommandLine;
using System.CommandLine.Help;
using System.Globalization;
using System.Runtime.CompilerServices;
using Millrace.Transfer;
using Millrace.Transfer.S3;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>`millrace token`.</summary>
internal static class TokenCommand
{
    private const string Details = """
        A running server uses a changed list of tokens from the next request on.

        Examples:
          millrace token add ci --scope read,write --prefix builds --for 30d --folder /srv/files
          MILLRACE_TOKEN=$(millrace token add me) millrace put may.csv http://host:8080/files/
          millrace token list
          millrace token remove ci

        Exit codes:
          0    done
          1    not done; the error output says why
        """;

    public static Command Create()
    {
        HelpOption help = HelpWithDetails.Create(Details);
        return new Command("token", "Create, list and remove the tokens of a served folder.")
        {
            help, TokenAddCommand.Create(), TokenListCommand.Create(), TokenRemoveCommand.Create(),
        };
    }
}

/// <summary>`millrace token add`.</summary>
internal static class TokenAddCommand
{
    public static Command Create()
    {
        var name = new Argument<string>("NAME") { Description = "The token's name in lists and logs." };
        var scope = new Option<string>("--scope")
        {
            Description = "Allow read, write, delete, list, link, or all.",
            HelpName = "SCOPE,…",
            DefaultValueFactory = _ => "all",
        };
        var prefix = new Option<string?>("--prefix")
        {
            Description = "Limit the token to this folder or file (default: everything).",
            HelpName = "NAME",
        };
        var lifetime = new Option<string?>("--for")
        {
            Description = $"Let the token expire after this time: {DurationArgument.Examples} (default: never).",
            HelpName = "TIME",
        };
        Option<long?> rate = RateOptionSet.Rate(
            "--max-rate", "Let the token send at most this many bytes per second, and receive as many (default: the server's rate per caller).");
        var location = new TokenLocation();
        var json = new Option<bool>("--json") { Description = "Write the token and its permissions as one JSON line." };
        var command = new Command("add", "Create a token and print it once.") { name, scope, prefix, lifetime, rate, json };
        location.AddTo(command);
        command.SetAction(TokenAction.Of("token add", async (parsed, stop) =>
        {
            if (!TransferScopes.TryParse(parsed.GetValue(scope), out TransferScope scopes, out string? unknown))
            {
                throw TransferCommand.Invalid($"--scope: '{unknown}' is not a scope; use read, write, delete, list, link or all.");
            }

            TimeSpan? time = null;
            if (parsed.GetValue(lifetime) is { } text)
            {
                time = DurationArgument.TryParse(text, out TimeSpan given) && given > TimeSpan.Zero
                    ? given
                    : throw TransferCommand.Invalid($"--for: {DurationArgument.Problem(text)}");
            }

            OpenTokens tokens = await location.OpenAsync(parsed, stop).ConfigureAwait(false);
            await using ConfiguredAsyncDisposable _ = tokens.ConfigureAwait(false);
            CreatedToken made = await tokens.Store
                .AddAsync(parsed.GetValue(name)!, scopes, Prefix(parsed.GetValue(prefix)), time, parsed.GetValue(rate), stop)
                .ConfigureAwait(false);
            if (tokens.IsCopy && scopes.HasFlag(TransferScope.Link))
            {
                // The servers of a bucket only read it.
                await tokens.Store.GetLinkKeyAsync(stop).ConfigureAwait(false);
            }

            await tokens.SaveAsync(stop).ConfigureAwait(false);
            if (parsed.GetValue(json))
            {
                Console.Out.WriteLine(TokenLine.Of(made.Token, made.Secret).ToJson());
                return ExitCode.Success;
            }

            // The secret alone, so that a script can take it.
            Console.Out.WriteLine(made.Secret);
            await Console.Error.WriteLineAsync(
                $"Token '{made.Token.Name}' allows {TokenText.Describe(made.Token)}. It is shown only now: pass it to 'millrace put' and 'get' in MILLRACE_TOKEN, to other clients as 'Authorization: Bearer …'.")
                .ConfigureAwait(false);
            return ExitCode.Success;
        }));
        return command;
    }

    // A folder may end with a slash, as in URLs.
    private static TransferName Prefix(string? text) =>
        string.IsNullOrEmpty(text?.TrimEnd('/')) ? default : TransferName.Parse(text.TrimEnd('/'));
}

/// <summary>`millrace token list`.</summary>
internal static class TokenListCommand
{
    public static Command Create()
    {
        var location = new TokenLocation();
        var json = new Option<bool>("--json") { Description = "Write one JSON line per token." };
        var command = new Command("list", "List the tokens and their permissions.") { json };
        location.AddTo(command);
        command.SetAction(TokenAction.Of("token list", async (parsed, stop) =>
        {
            OpenTokens opened = await location.OpenAsync(parsed, stop).ConfigureAwait(false);
            await using ConfiguredAsyncDisposable _ = opened.ConfigureAwait(false);
            IReadOnlyList<TransferToken> tokens = opened.Store.List();
            foreach (TransferToken token in tokens)
            {
                Console.Out.WriteLine(parsed.GetValue(json)
                    ? TokenLine.Of(token, secret: null).ToJson()
                    : $"{token.Name}: {TokenText.Describe(token)}");
            }

            if (tokens.Count == 0)
            {
                await Console.Error.WriteLineAsync("No tokens exist; 'millrace token add NAME' creates one.").ConfigureAwait(false);
            }

            return ExitCode.Success;
        }));
        return command;
    }
}

/// <summary>`millrace token remove`.</summary>
internal static class TokenRemoveCommand
{
    public static Command Create()
    {
        var name = new Argument<string>("NAME") { Description = "The token's name, as 'millrace token list' prints it." };
        var location = new TokenLocation();
        var command = new Command("remove", "Remove a token; it is invalid from the next request on.") { name };
        location.AddTo(command);
        command.SetAction(TokenAction.Of("token remove", async (parsed, stop) =>
        {
            string given = parsed.GetValue(name)!;
            OpenTokens tokens = await location.OpenAsync(parsed, stop).ConfigureAwait(false);
            await using ConfiguredAsyncDisposable _ = tokens.ConfigureAwait(false);
            if (await tokens.Store.RemoveAsync(given, stop).ConfigureAwait(false))
            {
                await tokens.SaveAsync(stop).ConfigureAwait(false);
                return ExitCode.Success;
            }

            await Console.Error.WriteLineAsync(
                $"millrace token remove: token '{given}' does not exist; 'millrace token list' prints all tokens.")
                .ConfigureAwait(false);
            return ExitCode.CannotStart;
        }));
        return command;
    }
}

/// <summary>Where tokens are kept: options that `token` and `link` share.</summary>
internal sealed class TokenLocation
{
    private readonly Option<string> _folder = new("--folder")
    {
        Description = "Use the tokens of this served folder or bucket (s3://BUCKET/PREFIX), in its hidden folder .millrace.",
        HelpName = "FOLDER",
        DefaultValueFactory = _ => ".",
    };

    private readonly Option<string?> _tokens = new("--tokens")
    {
        Description = "Use this file of tokens, as given to 'millrace serve'.",
        HelpName = "FILE",
    };

    private readonly Option<string?> _state = StateOption.Create(
        "Use the tokens and links of a folder that is served read-only with this folder for its state.");

    private readonly BucketConnection _bucket = new();

    public void AddTo(Command command)
    {
        command.Add([_folder, _tokens, _state, .. _bucket.All]);
        command.Validators.Add(result =>
        {
            if (result.GetResult(_state) is { Implicit: false }
                && (result.GetResult(_tokens) is { Implicit: false } || BucketConnection.IsBucket(result.GetValue(_folder))))
            {
                result.AddError($"{_state.Name} is where a folder keeps its tokens; leave out {_tokens.Name}, and {_folder.Name} for a bucket.");
            }
        });
    }

    /// <summary>Throws if the folder does not exist: otherwise only the recipients of the link would find out.</summary>
    public void ThrowIfNoFolder(ParseResult parsed, string name)
    {
        string folder = parsed.GetValue(_folder)!;
        bool isNamed = parsed.GetResult(_folder) is { Implicit: false } || State(parsed) is null;
        if (isNamed && !BucketConnection.IsBucket(folder) && !Directory.Exists(Path.Combine(folder, name.Trim('/'))))
        {
            throw new TransferException(TransferError.NotFound, $"There is no folder '{name}' in '{folder}'. Create it, or name the served folder with --folder.");
        }
    }

    /// <summary>The documents of links: always in the folder or bucket, wherever the tokens are.</summary>
    public LinkDocuments OpenDocuments(ParseResult parsed)
    {
        string folder = parsed.GetValue(_folder)!;
        return BucketConnection.IsBucket(folder) ? new LinkDocuments(new S3Documents(_bucket.Read(parsed, folder)))
            : Directory.Exists(folder) ? new LinkDocuments(FolderLinks.OpenDocuments(folder, State(parsed)))
            : throw new TransferException(TransferError.NotFound, $"Folder '{folder}' does not exist. Name the served folder with --folder.");
    }

    private string? State(ParseResult parsed) => parsed.GetValue(_state) is { Length: > 0 } state ? state : null;

    public async Task<OpenTokens> OpenAsync(ParseResult parsed, CancellationToken stop)
    {
        if (parsed.GetValue(_tokens) is { Length: > 0 } file)
        {
            return new OpenTokens(new TokenStore(file), null);
        }

        string folder = parsed.GetValue(_folder)!;
        if (BucketConnection.IsBucket(folder))
        {
            S3TokenFile copy = await S3TokenFile.OpenAsync(_bucket.Read(parsed, folder), stop).ConfigureAwait(false);
            return new OpenTokens(new TokenStore(copy.Path), copy);
        }

        return State(parsed) is { } state ? new OpenTokens(new TokenStore(TokenStore.DefaultPath(folder, state)), null)
            : Directory.Exists(folder) ? new OpenTokens(new TokenStore(TokenStore.DefaultPath(folder)), null)
            : throw new TransferException(
                TransferError.NotFound, $"Folder '{folder}' does not exist. Name the served folder with --folder.");
    }
}

/// <summary>The documents of links to folders.</summary>
internal sealed class LinkDocuments(IStoreDocuments store) : IDisposable
{
    public IStoreDocuments Store => store;

    public void Dispose() => (store as IDisposable)?.Dispose();
}

/// <summary>Tokens to look at or to change.</summary>
/// <param name="store">In a file, or in the copy of an object.</param>
/// <param name="copy">Null for a file.</param>
internal sealed class OpenTokens(TokenStore store, S3TokenFile? copy) : IAsyncDisposable
{
    public TokenStore Store => store;

    /// <summary>Whether they are in a bucket.</summary>
    public bool IsCopy => copy is not null;

    /// <summary>Makes the changes readable to others.</summary>
    public Task SaveAsync(CancellationToken stop) => copy?.SaveAsync(stop) ?? Task.CompletedTask;

    public ValueTask DisposeAsync() => copy?.DisposeAsync() ?? default;
}

/// <summary>Runs an action on the tokens, and reports its errors.</summary>
internal static class TokenAction
{
    public static Func<ParseResult, int> Of(string name, Func<ParseResult, CancellationToken, Task<int>> action) => parsed =>
    {
        using var stop = new StopSignal();
        try
        {
            return action(parsed, stop.Token).GetAwaiter().GetResult();
        }
        catch (OperationCanceledException) when (stop.Token.IsCancellationRequested)
        {
            return ExitCode.Stopped;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            Console.Error.WriteLine($"millrace {name}: {exception.Message}");
            return ExitCode.CannotStart;
        }
    };
}

/// <summary>Describes a token in words.</summary>
internal static class TokenText
{
    /// <summary>For example "read,list below builds until 2026-06-01 12:00 UTC".</summary>
    public static string Describe(TransferToken token)
    {
        string where = token.Prefix.IsRoot ? "" : $" below {token.Prefix}";
        string until = token.Expires is { } expires
            ? $"{(token.IsExpired(DateTimeOffset.UtcNow) ? ", expired at" : " until")} {Time(expires)}"
            : "";
        string rate = token.MaxRate is { } most ? $" at up to {SizeText.Of(most)} per second" : "";
        return TransferScopes.ToText(token.Scopes) + where + rate + until;
    }

    public static string Time(DateTimeOffset time) =>
        time.UtcDateTime.ToString("yyyy-MM-dd HH:mm 'UTC'", CultureInfo.InvariantCulture);
}

/// <summary>A token as JSON.</summary>
internal sealed record TokenLine(
    string Name, string Scopes, string? Prefix, DateTimeOffset Created, DateTimeOffset? Expires, long? MaxRate, string? Token)
{
    public static TokenLine Of(TransferToken token, string? secret) => new(
        token.Name,
        TransferScopes.ToText(token.Scopes),
        token.Prefix.IsRoot ? null : token.Prefix.Value,
        token.Created,
        token.Expires,
        token.MaxRate,
        secret);

    public string ToJson() => CommandJson.ToLine(this);
}
