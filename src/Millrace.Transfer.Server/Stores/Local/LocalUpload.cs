using System.Text.Json;

namespace Millrace.Transfer.Server;

/// <summary>
/// One upload of a <see cref="LocalFileStore"/>: a folder with what has arrived and a file of what is known about it. One
/// instance an upload, so that its lock is everybody's.
/// </summary>
internal sealed class LocalUpload : IDisposable
{
    /// <summary>How long a request waits for the one that it takes an upload over from.</summary>
    /// <remarks>That one only has to finish a write; a device that takes longer than this is broken.</remarks>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private readonly SemaphoreSlim _alone = new(1, 1);
    private readonly Lock _gate = new();
    private CancellationTokenSource? _holder;
    private int _waiting;

    public LocalUpload(UploadId id, string folder, UploadRecord record)
    {
        Id = id;
        Folder = folder;
        Record = record;
    }

    public UploadId Id { get; }

    public string Folder { get; }

    /// <summary>Bytes that have arrived.</summary>
    public string DataPath => Path.Combine(Folder, "data");

    /// <summary>What is known about it. Changed by whoever holds it, with <see cref="Save"/>.</summary>
    public UploadRecord Record { get; private set; }

    /// <summary>Bytes that have reached the file.</summary>
    public long Offset
    {
        get
        {
            var file = new FileInfo(DataPath);
            return file.Exists ? file.Length : Record.Published?.Length ?? 0;
        }
    }

    public static LocalUpload? TryLoad(UploadId id, string folder)
    {
        try
        {
            byte[] bytes = File.ReadAllBytes(Path.Combine(folder, "state"));
            return JsonSerializer.Deserialize(bytes, UploadJson.Default.UploadRecord) is { } record
                ? new LocalUpload(id, folder, record)
                : null;
        }
        catch (Exception exception) when (exception is IOException or JsonException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    public void Save(UploadRecord record)
    {
        byte[] bytes = JsonSerializer.SerializeToUtf8Bytes(record, UploadJson.Default.UploadRecord);
        string path = Path.Combine(Folder, "state");
        File.WriteAllBytes(path + ".new", bytes);
        File.Move(path + ".new", path, overwrite: true);
        Record = record;
    }

    /// <summary>Stops whoever holds it, and holds it then.</summary>
    /// <returns>Canceled when somebody else wants it; given back by <see cref="Leave"/>.</returns>
    public async ValueTask<CancellationTokenSource> EnterAsync(CancellationToken cancellationToken)
    {
        Interlocked.Increment(ref _waiting);
        try
        {
            lock (_gate)
            {
                _holder?.Cancel();
            }

            if (!await _alone.WaitAsync(Patience, cancellationToken).ConfigureAwait(false))
            {
                throw new TransferException(
                    TransferError.TakenOver,
                    $"Another request holds the upload '{Id}' and did not let go of it in {Patience.TotalSeconds} s. Try again later.")
                {
                    RetryAfter = TimeSpan.FromSeconds(1),
                };
            }
        }
        finally
        {
            Interlocked.Decrement(ref _waiting);
        }

        var holder = new CancellationTokenSource();
        lock (_gate)
        {
            _holder = holder;
            if (Volatile.Read(ref _waiting) > 0)
            {
                // Who came while we waited has the newer connection.
                holder.Cancel();
            }
        }

        return holder;
    }

    public void Leave(CancellationTokenSource holder)
    {
        lock (_gate)
        {
            _holder = null;
        }

        holder.Dispose();
        _alone.Release();
    }

    public UploadStatus Status(TimeSpan lifetime) => new()
    {
        Id = Id,
        Name = Record.ToName(),
        Offset = Offset,
        Length = Record.Length,
        Published = Record.IsPublished ? Record.Published!.ToFile(Record.ToName()) : null,
        Precondition = Record.ToPrecondition(),
        Metadata = Record.Metadata,
        Expected = Sha256Digest.TryParse(Record.Expected, out Sha256Digest digest) ? digest : null,
        Owner = Record.Owner,
        Parts = Record.Parts is { } parts ? [.. parts.Select(Parse)] : null,
        Expires = Record.Touched + lifetime,
    };

    public void Dispose() => _alone.Dispose();

    private static UploadId Parse(string text) =>
        UploadId.TryParse(text, out UploadId id) ? id : throw new FormatException($"'{text}' is no upload.");
}
