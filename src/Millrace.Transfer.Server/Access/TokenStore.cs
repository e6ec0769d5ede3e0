using System.Text.Json;
using Millrace.Interop;
using Millrace.Transfer.Server.Interop;

namespace Millrace.Transfer.Server;

/// <summary>
/// Tokens, and the key of signed links, in a JSON file that only its owner may read. A change of the file applies to
/// the next request, in every process that uses it.
/// </summary>
/// <remarks>All members can be called by any number of threads and processes at once.</remarks>
public sealed class TokenStore
{
    internal const string FileName = "tokens.json";

    internal const string HasNoLinkKey =
        "The key that signs links does not exist yet, and this server does not change the tokens that it shares with others. Create it where they are kept";

    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    // File times advance in steps (a tick of the kernel, 2 s on FAT): a file that was written just before it was read may
    // have been written again since, with the same time.
    private static readonly TimeSpan Settled = TimeSpan.FromSeconds(3);

    /// <summary>For changes of this process: only other processes look again and again whether the file's lock is free.</summary>
    private static readonly SemaphoreSlim Changing = new(1, 1);

    private readonly TimeProvider _clock;
    private volatile Loaded _loaded = new(TokenSet.Empty, default, Certain: false);

    /// <summary>Uses a file, which need not be there yet.</summary>
    /// <param name="path">The file.</param>
    /// <param name="clock">The clock by which tokens expire; null for the system's.</param>
    public TokenStore(string path, TimeProvider? clock = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        Path = System.IO.Path.GetFullPath(path);
        _clock = clock ?? TimeProvider.System;
    }

    /// <summary>The file, as an absolute path.</summary>
    public string Path { get; }

    /// <summary>
    /// Whether the file is never written, because it is a copy of tokens that are kept elsewhere: changes here would be valid
    /// for one server and until the next change there.
    /// </summary>
    public bool IsReadOnly { get; init; }

    /// <summary>Whether there is a key of signed links, or one can be made.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.Failed"/>: the file cannot be read.</exception>
    internal bool CanSignLinks => !IsReadOnly || Read().Key is not null;

    /// <summary>The default file for a store's folder.</summary>
    /// <param name="root">The folder that is served.</param>
    /// <param name="statePath">Where its state is, if not in the folder: <see cref="LocalFileStoreOptions.StatePath"/>.</param>
    public static string DefaultPath(string root, string? statePath = null) =>
        System.IO.Path.Combine(StateFolder.Of(root, statePath), FileName);

    /// <summary>All tokens, those that have expired too.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.Failed"/>: the file cannot be read.</exception>
    public IReadOnlyList<TransferToken> List() => Read().Tokens;

    /// <summary>The token that has a secret and has not expired; null when there is none.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.Failed"/>: the file cannot be read.</exception>
    public TransferToken? Find(string secret)
    {
        ArgumentNullException.ThrowIfNull(secret);
        return Valid(Read().Find(secret));
    }

    /// <summary>The token whose secret has a hash, in hexadecimal, and that has not expired; null when there is none.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.Failed"/>: the file cannot be read.</exception>
    internal TransferToken? FindByHash(string hash) => Valid(Read().FindByHash(Convert.FromHexString(hash)));

    /// <summary>Creates a token.</summary>
    /// <param name="name">See <see cref="TransferToken.Name"/>; no other token may have it.</param>
    /// <param name="scopes">The allowed operations.</param>
    /// <param name="prefix">The only folder or file for which it is valid; <c>default</c> for everything.</param>
    /// <param name="lifetime">How long it is valid; null for ever.</param>
    /// <param name="maxRate">See <see cref="TransferToken.MaxRate"/>: 1000 or more, in bytes per second.</param>
    /// <param name="cancellationToken">Ends the wait for another process that changes the file.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.AlreadyExists"/>; <see cref="TransferError.InvalidRequest"/>: not a name, or no scope;
    /// <see cref="TransferError.Failed"/>: the file cannot be read.
    /// </exception>
    public async ValueTask<CreatedToken> AddAsync(
        string name, TransferScope scopes, TransferName prefix = default, TimeSpan? lifetime = null,
        long? maxRate = null, CancellationToken cancellationToken = default)
    {
        if (!TransferToken.IsName(name))
        {
            throw Errors.Invalid(
                $"That is not a valid token name; use 1 to {TransferToken.MaxNameLength} letters, digits, '.', '_' and '-'.");
        }

        if (scopes == TransferScope.None || (scopes & ~TransferScope.All) != TransferScope.None)
        {
            throw Errors.Invalid("A token needs at least one of read, write, delete, list and link.");
        }

        if (maxRate < TransferLimits.MinRate)
        {
            throw Errors.Invalid($"The rate of a token is {TransferLimits.MinRate} bytes per second or more.");
        }

        string secret = TokenSecret.Next();
        DateTimeOffset now = _clock.GetUtcNow();
        var token = new TransferToken(name, scopes, prefix, now, lifetime is { } time ? now + time : null) { MaxRate = maxRate };
        await ChangeAsync(
            document =>
            {
                if (document.Tokens.Any(entry => entry.Name == name))
                {
                    throw new TransferException(
                        TransferError.AlreadyExists,
                        $"A token '{name}' already exists. Remove it first, or choose another name.");
                }

                var entry = new TokenEntry
                {
                    Name = name,
                    Sha256 = Convert.ToHexStringLower(TokenSecret.Hash(secret)),
                    Scopes = TransferScopes.ToText(scopes),
                    Prefix = prefix.IsRoot ? null : prefix.Value,
                    Created = now,
                    Expires = token.Expires,
                    MaxRate = maxRate,
                };
                return document with { Tokens = [.. document.Tokens, entry] };
            }, cancellationToken);
        return new CreatedToken(token, secret);
    }

    /// <summary>Removes a token. The next request with it is refused.</summary>
    /// <returns>False if it did not exist.</returns>
    /// <exception cref="TransferException"><see cref="TransferError.Failed"/>: the file cannot be read.</exception>
    public async ValueTask<bool> RemoveAsync(string name, CancellationToken cancellationToken = default)
    {
        bool found = false;
        await ChangeAsync(
            document =>
            {
                TokenEntry[] rest = [.. document.Tokens.Where(entry => entry.Name != name)];
                found = rest.Length < document.Tokens.Count;
                return found ? document with { Tokens = rest } : document;
            }, cancellationToken);
        return found;
    }

    /// <summary>Returns the key of signed links; creates it if there is none.</summary>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.Failed"/>: the file cannot be read or changed; <see cref="TransferError.Forbidden"/>: the key is missing,
    /// and <see cref="IsReadOnly"/> is set.
    /// </exception>
    public async ValueTask<LinkKey> GetLinkKeyAsync(CancellationToken cancellationToken = default)
    {
        // Without the lock, which requests of a server would hold while a token is being removed.
        if (Read().Key is { } key)
        {
            return key;
        }

        if (IsReadOnly)
        {
            throw new TransferException(TransferError.Forbidden, HasNoLinkKey + ".");
        }

        TokenSet changed = await ChangeAsync(
            document => document.LinkKey is null ? WithNextKey(document) : document,
            cancellationToken);
        return changed.Key!;
    }

    /// <summary>Replaces the key of signed links, which makes all earlier links invalid.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.Failed"/>: the file cannot be read.</exception>
    public async ValueTask RevokeLinksAsync(CancellationToken cancellationToken = default) =>
        await ChangeAsync(WithNextKey, cancellationToken);

    internal TokenSet Read()
    {
        Loaded last = _loaded;
        if (FindFile() is not { } stamp)
        {
            return TokenSet.Empty;
        }

        if (last.Certain && last.Stamp == stamp)
        {
            return last.Set;
        }

        TokenSet set = ReadFile();
        _loaded = new Loaded(set, stamp, DateTime.UtcNow - stamp.Modified > Settled);
        return set;
    }

    /// <summary>Looks whether there is a file, which is not read.</summary>
    /// <returns>Null if nothing has its name; a link that leads nowhere is something.</returns>
    /// <exception cref="TransferException"><see cref="TransferError.Failed"/>: it cannot be determined, or it is not a file.</exception>
    internal Stamp? FindFile()
    {
        if (NativeFeatures.Linux && VersionFacts.TryGet(Path, out _, out _, out _) == Errno.NoEntry)
        {
            // Asked for every request: a FileInfo takes five times as long.
            return null;
        }

        try
        {
            // Not Exists, which is false for whatever cannot be looked at.
            FileSystemInfo? found = new FileInfo(Path);
            if ((int)found.Attributes == -1)
            {
                return null;
            }

            if (found.Attributes.HasFlag(FileAttributes.ReparsePoint))
            {
                // A link has its own times, which do not change with its target.
                found = found.ResolveLinkTarget(returnFinalTarget: true);
            }

            // A file without a length may be a FIFO, and opening that would wait for a writer.
            return found is FileInfo { Exists: true, Length: > 0 } file
                ? new Stamp(SpecialFile.Modified(Path), file.Length)
                : throw new IOException("it is not a file, or it is empty");
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw Unreadable(exception);
        }
    }

    private TransferToken? Valid(TransferToken? token) =>
        token is null || token.IsExpired(_clock.GetUtcNow()) ? null : token;

    private static TokenDocument WithNextKey(TokenDocument document) => document with
    {
        LinkKey = Convert.ToBase64String(LinkKey.NextSecret()),
        LinkKeyVersion = document.LinkKeyVersion + 1,
    };

    private TokenSet ReadFile()
    {
        try
        {
            using FilePipeReader reader = LockedFile.Open(Path);
            return new TokenSet(JsonSerializer.Deserialize(reader.AsStream(), ServerJson.Default.TokenDocument)
                ?? throw new FormatException("it is null"));
        }
        catch (Exception exception)
            when (exception is JsonException or FormatException or IOException or UnauthorizedAccessException)
        {
            throw Unreadable(exception);
        }
    }

    private TransferException Unreadable(Exception exception) => new(
        TransferError.Failed,
        $"The tokens in '{Path}' cannot be read, so every request is refused: {exception.Message.TrimEnd('.')}; repair the file, or remove it and create new tokens.",
        innerException: exception);

    private async ValueTask<TokenSet> ChangeAsync(
        Func<TokenDocument, TokenDocument> change, CancellationToken cancellationToken)
    {
        if (IsReadOnly)
        {
            throw new InvalidOperationException("The tokens are a copy, which is not changed. Change them where they are kept.");
        }

        string folder = System.IO.Path.GetDirectoryName(Path)!;
        await Changing.WaitAsync(cancellationToken);
        try
        {
            MakeFolder(folder);
            string held = System.IO.Path.Combine(folder, SideName.Of("", System.IO.Path.GetFileName(Path), ".lock"));
            using FileLock one = await FileLock.TakeAsync(held, cancellationToken);
            TokenSet before = FindFile() is null ? TokenSet.Empty : ReadFile();
            TokenDocument after = change(before.Document);
            if (ReferenceEquals(after, before.Document))
            {
                return before;
            }

            await WriteAsync(after, cancellationToken);
            return new TokenSet(after);
        }
        catch (UnauthorizedAccessException exception)
        {
            throw new TransferException(
                TransferError.Failed,
                $"The tokens in '{Path}' cannot be changed: {exception.Message} Run this as the user who owns the folder.",
                innerException: exception);
        }
        finally
        {
            Changing.Release();
        }
    }

    private async ValueTask WriteAsync(TokenDocument document, CancellationToken cancellationToken)
    {
        await using FilePipeWriter writer = FilePipe.Create(Path, new FileWriteOptions { UnixCreateMode = OwnerOnly });
        await using (var json = new Utf8JsonWriter(writer, new JsonWriterOptions { Indented = true }))
        {
            JsonSerializer.Serialize(json, document, ServerJson.Default.TokenDocument);
        }

        await writer.CommitAsync(cancellationToken);
    }

    private static void MakeFolder(string folder)
    {
        if (OperatingSystem.IsWindows())
        {
            Directory.CreateDirectory(folder);
        }
        else if (!Directory.Exists(folder))
        {
            Directory.CreateDirectory(folder, OwnerOnly | UnixFileMode.UserExecute);
        }
    }

    internal readonly record struct Stamp(DateTime Modified, long Length);

    // Certain: whether the same stamp means the same content; see Settled.
    private sealed record Loaded(TokenSet Set, Stamp Stamp, bool Certain);
}
