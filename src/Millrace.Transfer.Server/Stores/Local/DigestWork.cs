using System.IO.Hashing;
using System.Threading.Channels;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer.Server;

/// <summary>
/// Computes digests of published files: once for all concurrent requests, and one file at a time in the background for
/// requests that do not wait. Thread-safe.
/// </summary>
internal sealed class DigestWork : IAsyncDisposable
{
    /// <summary>Files in the queue of the background; others are computed when they are requested again.</summary>
    private const int MaxWaiting = 256;

    /// <summary>Renamed folders in the queue of the background.</summary>
    private const int MaxMoved = 32;

    private static readonly EnumerationOptions Everything = new()
    {
        RecurseSubdirectories = true,
        AttributesToSkip = FileAttributes.ReparsePoint,
        IgnoreInaccessible = true,
    };

    private readonly long _maxCached;
    private readonly StoreTree _tree;
    private readonly DigestRecords _records;
    private readonly RunningDigests<(TransferName Name, FileFacts Facts)> _running;
    private readonly Channel<(TransferName Name, FileFacts Facts)> _waiting =
        Channel.CreateBounded<(TransferName, FileFacts)>(
            new BoundedChannelOptions(MaxWaiting) { FullMode = BoundedChannelFullMode.DropWrite });

    private readonly Lock _movesLock = new();
    private readonly List<(TransferName From, TransferName To, bool IsGone)> _moved = [];
    private readonly CancellationTokenSource _end = new();
    private readonly Task _background;
    private Task _moves = Task.CompletedTask;
    private long _computed;
    private int _walks;

    /// <param name="tree">Where the files are.</param>
    /// <param name="records">Where digests are kept.</param>
    /// <param name="largeBytes">Bytes from which a file waits for its turn.</param>
    /// <param name="maxCached"><see cref="LocalFileStoreOptions.MaxCachedBytes"/>.</param>
    public DigestWork(StoreTree tree, DigestRecords records, long largeBytes, long maxCached)
    {
        _maxCached = maxCached;
        _tree = tree;
        _records = records;
        _running = new RunningDigests<(TransferName Name, FileFacts Facts)>(largeBytes);
        _background = Task.Run(RunAsync);
    }

    /// <summary>How many files were read; for tests.</summary>
    public long Computed => Interlocked.Read(ref _computed);

    /// <summary>Computes a digest, or waits for the request that computes it.</summary>
    /// <returns>Null when the file is no longer of that version.</returns>
    public Task<Sha256Digest?> ComputeAsync(TransferName name, FileFacts facts, CancellationToken cancellationToken) =>
        _running.ComputeAsync((name, facts), facts.Length, () => ReadAsync(name, facts), cancellationToken);

    public void ComputeLater(TransferName name, in FileFacts facts) => _waiting.Writer.TryWrite((name, facts));

    /// <summary>How many renamed folders were read; for tests.</summary>
    public int Walks => Volatile.Read(ref _walks);

    /// <summary>The records that are being moved; for tests.</summary>
    public Task Moves
    {
        get
        {
            lock (_movesLock)
            {
                return _moves;
            }
        }
    }

    /// <summary>Moves the records of the files in a renamed folder, in the background.</summary>
    /// <remarks>
    /// A folder that is renamed again before that is read once, from its first name to its last. Of more than <see cref="MaxMoved"/>
    /// folders, and of those that are renamed within a renamed one, the digests are computed again.
    /// </remarks>
    public void MoveRecords(TransferName from, TransferName to)
    {
        lock (_movesLock)
        {
            bool isQueued = false;
            int earlier = _moved.FindIndex(move => move.To == from);
            if (earlier >= 0)
            {
                isQueued = !_moved[earlier].IsGone;
                from = _moved[earlier].From;
                _moved.RemoveAt(earlier);
            }

            // Files that had the new name before are gone from there.
            _moved.RemoveAll(move => move.To.IsIn(to));
            if (_moved.Count == MaxMoved)
            {
                _moved.RemoveAll(static move => move.IsGone);
            }

            if (from == to || _moved.Count == MaxMoved)
            {
                return;
            }

            _moved.Add((from, to, IsGone: false));
            if (!isQueued)
            {
                _moves = MoveRecordsAsync(_moves);
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await _background;
        await Moves;
        await _running.DisposeAsync();
        _end.Dispose();
    }

    private async Task RunAsync()
    {
        try
        {
            await foreach ((TransferName name, FileFacts facts) in
                _waiting.Reader.ReadAllAsync(_end.Token))
            {
                // A failure is reported to the next request that needs the digest.
                await ((Task)ComputeAsync(name, facts, _end.Token)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
        catch (OperationCanceledException)
        {
            // The store is closed.
        }
    }

    private async Task MoveRecordsAsync(Task earlier)
    {
        await earlier.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        (TransferName from, TransferName to) = (default, default);
        lock (_movesLock)
        {
            int next = _moved.FindIndex(static move => !move.IsGone);
            if (next < 0)
            {
                return;
            }

            (from, to, _) = _moved[next];

            // If it has been renamed again, which is reported in a moment, its records are still under the first name.
            _moved[next] = (from, to, IsGone: true);
        }

        try
        {
            using StoreFolder? folder = _tree.TryOpenFolder(to);
            if (folder is null)
            {
                return;
            }

            lock (_movesLock)
            {
                _moved.RemoveAll(move => move.To == to && move.IsGone);
            }

            Interlocked.Increment(ref _walks);
            string root = folder.PathOf("");
            foreach (string path in Directory.EnumerateFiles(root, "*", Everything))
            {
                if (_end.IsCancellationRequested)
                {
                    return;
                }

                string relative = Path.GetRelativePath(root, path).Replace(Path.DirectorySeparatorChar, '/');
                if (TransferName.TryParse($"{from.Value}/{relative}", out TransferName old)
                    && TransferName.TryParse($"{to.Value}/{relative}", out TransferName name)
                    && folder.TryLook(relative, out FileFacts facts, out _, out _)
                    && _records.TryRead(old, facts) is { } digest)
                {
                    _records.Write(name, facts, digest);
                    _records.Remove(old);
                }
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // The folder was removed meanwhile, or cannot be read; missing digests are computed again.
        }
    }

    private async Task<Sha256Digest?> ReadAsync(TransferName name, FileFacts facts)
    {
        _end.Token.ThrowIfCancellationRequested();
        if (_records.TryRead(name, facts) is { } known)
        {
            // Computed since the caller looked.
            return known.Sha256;
        }

        using SafeFileHandle? file = _tree.TryOpenFile(name);
        if (file is null || _tree.Look(file) != facts)
        {
            return null;
        }

        Interlocked.Increment(ref _computed);
        FileDigest digest = await HashAsync(file, facts.Length, facts.Length <= _maxCached, _end.Token);
        if (_tree.Look(file) != facts)
        {
            return null;
        }

        _records.Write(name, facts, digest);
        return digest.Sha256;
    }

    /// <summary>The digest of the first bytes of an open file.</summary>
    public static async ValueTask<FileDigest> HashAsync(
        SafeFileHandle file, long length, bool keepCached, CancellationToken cancellationToken)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var checksum = new Crc32();
        using FilePipeReader reader = FilePipe.OpenRead(
            file,
            new FileReadOptions
            {
                Length = length,
                LeaveOpen = true,
                KeepCached = keepCached,
                ChangeDetection = ChangeDetection.Truncated,
            });
        ReadResult result;
        do
        {
            result = await reader.ReadAsync(cancellationToken);
            foreach (ReadOnlyMemory<byte> segment in result.Buffer)
            {
                hash.AppendData(segment.Span);
                checksum.Append(segment.Span);
            }

            reader.AdvanceTo(result.Buffer.End);
        }
        while (!result.IsCompleted);

        Span<byte> bytes = stackalloc byte[SHA256.HashSizeInBytes];
        hash.GetHashAndReset(bytes);
        return new FileDigest(new Sha256Digest(bytes), checksum.GetCurrentHashAsUInt32());
    }
}
