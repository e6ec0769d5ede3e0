using System.Diagnostics.CodeAnalysis;

namespace Millrace.Transfer.S3;

/// <summary>
/// A private copy, for a <see cref="TokenStore"/>, of the tokens and the key of signed links that all servers of a bucket share. They are in the
/// object <c>PREFIX/.millrace/tokens.json</c>, whose name no client can use.
/// </summary>
/// <remarks>One caller at a time. The copy is replaced as a whole, so that other threads can read it meanwhile.</remarks>
[Experimental("MILLRACE003")]
public sealed class S3TokenFile : IAsyncDisposable
{
    private readonly Bucket _bucket;
    private readonly bool _ownsClient;
    private readonly string _key;
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("millrace-tokens-");
    private readonly CancellationTokenSource _end = new();
    private Task _refreshing = Task.CompletedTask;
    private byte[]? _content;
    private string? _tag;
    private bool _disposed;

    private S3TokenFile(S3FileStoreOptions options)
    {
        _ownsClient = options.Client is null;
        _bucket = new Bucket(options.Client ?? S3FileStore.CreateClient(options), options.Bucket);
        _key = new Keys(options.Prefix.Trim('/'), options.Names).Tokens;
    }

    /// <summary>How often <see cref="StartRefreshing"/> looks for changes: every 5 seconds. A removed token is valid for so long.</summary>
    public static TimeSpan RefreshInterval { get; } = TimeSpan.FromSeconds(5);

    /// <summary>The copy, in a folder that only this user may open; it is deleted with this object.</summary>
    public string Path => System.IO.Path.Combine(_folder.FullName, "tokens.json");

    /// <summary>Whether the bucket has tokens, or had them when it was asked last.</summary>
    public bool Exists => _tag is not null;

    /// <summary>Reads the bucket's tokens.</summary>
    /// <param name="options">The bucket, its prefix, and how it is reached; the rest does not matter.</param>
    /// <param name="cancellationToken">Ends the requests.</param>
    /// <exception cref="TransferException">The bucket cannot be read; the message has the reason.</exception>
    public static async Task<S3TokenFile> OpenAsync(S3FileStoreOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        var file = new S3TokenFile(options);
        try
        {
            await file.ReadAsync(cancellationToken);
            return file;
        }
        catch
        {
            await file.DisposeAsync();
            throw;
        }
    }

    /// <summary>Writes the copy to the bucket, if it has changed.</summary>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.Changed"/>: the tokens were changed elsewhere meanwhile, and nothing was written; or the bucket cannot be
    /// written to.
    /// </exception>
    /// <remarks>A service that ignores <c>If-Match</c> lets the last of two writers win.</remarks>
    public async Task SaveAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        if (!File.Exists(Path)
            || await File.ReadAllBytesAsync(Path, cancellationToken) is not { } content || content.AsSpan().SequenceEqual(_content))
        {
            return;
        }

        _tag = await _bucket.TryReplaceAsync(_key, content, _tag, cancellationToken) ?? throw new TransferException(
            TransferError.Changed, "The tokens of the bucket were changed elsewhere meanwhile. Try again.");
        _content = content;
    }

    /// <summary>Keeps the copy as the bucket has it, until this is disposed. While the bucket does not answer, the copy stays.</summary>
    public void StartRefreshing()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        if (_refreshing.IsCompleted)
        {
            _refreshing = RefreshAsync();
        }
    }

    /// <summary>Deletes the copy.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_disposed)
        {
            return;
        }

        _disposed = true;
        await _end.CancelAsync();
        await _refreshing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _end.Dispose();
        _folder.Delete(recursive: true);
        if (_ownsClient)
        {
            _bucket.Client.Dispose();
        }
    }

    private async Task RefreshAsync()
    {
        using var timer = new PeriodicTimer(RefreshInterval);
        while (await timer.WaitForNextTickAsync(_end.Token))
        {
            try
            {
                await ReadAsync(_end.Token);
                KeepFresh();
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                // Without the bucket, files cannot be served either. The next look may succeed.
            }
        }
    }

    /// <summary>Programs that tidy up temporary folders delete files that were not used for days.</summary>
    private void KeepFresh()
    {
        DateTime now = DateTime.UtcNow;
        Directory.SetLastAccessTimeUtc(_folder.FullName, now);
        if (Exists)
        {
            File.SetLastAccessTimeUtc(Path, now);
        }
    }

    private async Task ReadAsync(CancellationToken cancellationToken)
    {
        if (await _bucket.HeadAsync(_key, cancellationToken) is not { } head)
        {
            File.Delete(Path);
            (_content, _tag) = (null, null);
            return;
        }

        string tag = FileMetadata.Unquote(head.ETag);
        if (string.Equals(tag, _tag, StringComparison.Ordinal))
        {
            return;
        }

        // The content may be newer than the tag; then the next look reads it again.
        byte[] content = await _bucket.ReadAsync(_key, cancellationToken) ?? [];
        string next = Path + ".next";
        await File.WriteAllBytesAsync(next, content, cancellationToken);
        File.Move(next, Path, overwrite: true);
        (_content, _tag) = (content, tag);
    }
}
