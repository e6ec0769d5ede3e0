using System.Buffers;
using System.Text.Json;

namespace Millrace.Transfer.Server;

/// <summary>POST FOLDER/?batch: several small files in one request, each as by a PUT. docs/protocol.md describes it.</summary>
internal sealed class BatchUpload(IFileStore store, TransferServerOptions options)
{
    /// <summary>Files that a request may bring.</summary>
    public const int MaxFiles = 1000;

    /// <summary>Bytes that each of them may have.</summary>
    public const long MaxFileBytes = 1024 * 1024;

    /// <summary>Bytes of the answer in memory.</summary>
    private const int PieceBytes = 64 * 1024;

    public async Task AnswerAsync(HttpContext context, FileTarget target)
    {
        using TransferPass pass = await TransferGuard.Of(context)
            .EnterAsync(context, store, TransferOperation.UploadBatch, target.Name);
        HttpRequest request = context.Request;
        ThrowIfOther(request, target.Name, BatchFileDocument.MediaType, $"Send several files as {BatchFileDocument.MediaType}.");
        var results = new List<(BatchResultDocument Result, long Length)>();
        try
        {
            await using BatchFiles files = LocalBatch.TryBegin(pass.Store) is { } batch ? new JointFiles(pass, batch) : new SeparateFiles(pass);
            using var body = new BatchBody(request.BodyReader, files);
            await ReceiveAsync(context, body, files, pass, target.Name, results);
        }
        finally
        {
            // Also of a batch that was cut: some of its files may be stored.
            if (pass.FileLog is { } log)
            {
                // Those that have no status were not complete.
                foreach ((BatchResultDocument result, long length) in results.Where(static one => one.Result.Status != 0))
                {
                    Log(log, target.Name, result, length);
                }
            }
        }

        await SendAsync(context.Response, results, context.RequestAborted);
    }

    /// <summary>Refuses a body of another type, or with a coding.</summary>
    /// <exception cref="Refusal">415.</exception>
    public static void ThrowIfOther(HttpRequest request, TransferName folder, string wanted, string message)
    {
        MediaType.ThrowIfOther(request, wanted, message);
        if (!RequestEncoding.Of(request, folder).IsIdentity)
        {
            throw new Refusal(TransferError.InvalidRequest, "A batch has no Content-Encoding. Send it as it is.")
            {
                Status = StatusCodes.Status415UnsupportedMediaType,
            };
        }
    }

    /// <summary>Writes a line of the log for a file, as for one with a request of its own.</summary>
    public static void Log(TransferObservation log, TransferName folder, BatchResultDocument result, long length)
    {
        // One that was refused may be anything.
        string name = folder.IsRoot ? result.Name : $"{folder.Value}/{result.Name}";
        log.LogFile(result.Error is null ? PrintableText.Clean(name) : NameEncoding.Printable(name), result.Status, length);
    }

    private async ValueTask ReceiveAsync(
        HttpContext context, BatchBody body, BatchFiles files, TransferPass pass, TransferName folder, List<(BatchResultDocument Result, long Length)> results)
    {
        CancellationToken cancellationToken = context.RequestAborted;
        TransferGuard guard = TransferGuard.Of(context);
        while (await body.ReadLineAsync(cancellationToken) is { } line)
        {
            if (line.Length is not (>= 0 and { } length))
            {
                throw Errors.Invalid("A line of a batch has no length of 0 or more bytes.");
            }

            if (results.Count == MaxFiles || length > MaxFileBytes)
            {
                throw results.Count == MaxFiles
                    ? TooManyFiles()
                    : new TransferException(TransferError.TooLarge, $"A file of a batch has at most {MaxFileBytes} bytes. Send larger ones by a PUT.");
            }

            var result = new BatchResultDocument { Name = line.Name! };
            results.Add((result, length));
            BatchFile file;
            try
            {
                file = BatchFile.Of(line, folder, pass.Store, options);
                await guard.AuthorizeFileAsync(context, TransferOperation.UploadBatch.Scope, file.Name);
            }
            catch (TransferException exception)
            {
                Refuse(result, Refusal.Of(exception)!);
                await body.SkipAsync(length, cancellationToken);
                continue;
            }

            await files.WaitForRoomAsync(file, cancellationToken);
            byte[] content = ArrayPool<byte>.Shared.Rent((int)length);
            try
            {
                await body.ReadAsync(content.AsMemory(0, (int)length), cancellationToken);
            }
            catch
            {
                ArrayPool<byte>.Shared.Return(content);
                throw;
            }

            pass.AddBytes(length);
            await files.AddAsync(file, content, result, cancellationToken);
        }

        await files.FinishAsync(cancellationToken);
    }

    public static TransferException TooManyFiles() =>
        new(TransferError.TooLarge, $"A batch has at most {MaxFiles} files. Send the others in another one.");

    public static void Refuse(BatchResultDocument result, Refusal refusal)
    {
        result.Status = refusal.Status ?? Problems.StatusOf(refusal.Error);
        result.Error = ErrorCode.Of(refusal.Error);
        result.Detail = refusal.Message;
    }

    public static void Store(BatchResultDocument result, StoredFile file, bool isNew)
    {
        result.Status = isNew ? StatusCodes.Status201Created : StatusCodes.Status204NoContent;
        result.Tag = file.Tag.ToString();
        result.Sha256 = file.Sha256?.ToBase64();
    }

    private static async Task SendAsync(HttpResponse response, List<(BatchResultDocument Result, long Length)> results, CancellationToken cancellationToken)
    {
        // Counted first: thousands of long names are not to be in memory twice, and the client sees by the length whether it got all.
        var lines = new ArrayBufferWriter<byte>(PieceBytes);
        using var writer = new Utf8JsonWriter(lines);
        long length = 0;
        foreach ((BatchResultDocument result, _) in results)
        {
            BatchLine.Write(lines, writer, result, TransferJson.Default.BatchResultDocument);
            length += lines.WrittenCount;
            lines.ResetWrittenCount();
        }

        response.ContentType = BatchFileDocument.ResultsMediaType;
        response.Headers.XContentTypeOptions = "nosniff";
        response.ContentLength = length;
        foreach ((BatchResultDocument result, _) in results)
        {
            BatchLine.Write(lines, writer, result, TransferJson.Default.BatchResultDocument);
            if (lines.WrittenCount > PieceBytes - BatchFileDocument.MaxLineBytes)
            {
                await response.Body.WriteAsync(lines.WrittenMemory, cancellationToken);
                lines.ResetWrittenCount();
            }
        }

        await response.Body.WriteAsync(lines.WrittenMemory, cancellationToken);
    }
}

/// <summary>Stores the files of a batch. Not thread-safe.</summary>
internal abstract class BatchFiles : IAsyncDisposable
{
    /// <summary>Waits until another file may be in memory, and until those are published that decide about its name.</summary>
    public abstract ValueTask WaitForRoomAsync(BatchFile file, CancellationToken cancellationToken);

    /// <summary>Stores a file, or begins to.</summary>
    /// <param name="file">The file.</param>
    /// <param name="content">Memory of the shared pool with its bytes, which is given back there.</param>
    /// <param name="result">Gets the result.</param>
    /// <param name="cancellationToken">Ends it, until it is published.</param>
    public abstract ValueTask AddAsync(BatchFile file, byte[] content, BatchResultDocument result, CancellationToken cancellationToken);

    /// <summary>Waits for more of the body; publishes what is complete rather than keep it open for long.</summary>
    /// <param name="reading">Completes when there is more, or with an error.</param>
    /// <param name="cancellationToken">Ends it, until files are published.</param>
    public abstract ValueTask WaitAsync(Task reading, CancellationToken cancellationToken);

    /// <summary>Waits until every file is published and durable, or refused.</summary>
    public abstract Task FinishAsync(CancellationToken cancellationToken);

    /// <summary>Leaves nothing of files that are not published.</summary>
    public abstract ValueTask DisposeAsync();
}

/// <summary>A file of a batch, as its line describes it.</summary>
/// <param name="Name">The name in the store.</param>
/// <param name="Length">Its bytes.</param>
/// <param name="Modified">When it was changed; null for now.</param>
/// <param name="IsExecutable">Whether its owner may run it; null for the store's default.</param>
/// <param name="Sha256">The digest that it must have; null for any.</param>
/// <param name="IfMatch">The field If-Match; null without one.</param>
/// <param name="IfNoneMatch">The field If-None-Match; null without one.</param>
internal sealed record BatchFile(
    TransferName Name, long Length, FileTime? Modified, bool? IsExecutable, Sha256Digest? Sha256, string? IfMatch, string? IfNoneMatch)
{
    /// <summary>Reads a line, and refuses what a PUT of the file would be refused for without a look at the store.</summary>
    /// <exception cref="TransferException">The line names no file that may be written, or has a value that cannot be read.</exception>
    public static BatchFile Of(BatchFileDocument line, TransferName folder, IFileStore store, TransferServerOptions options)
    {
        TransferName name = NameOf(line, folder, store);
        FileHandler.ThrowIfSystemFile(options, name);
        (store as HidingFileStore)?.ThrowIfHidden(name);
        FileTime modified = default;
        if (line.Modified is { } time && !FileTime.TryParse(time, out modified))
        {
            throw Errors.Invalid($"'modified' of '{name}' is not a number of seconds since 1970, with up to nine digits after a point, of the years 1 to 9999.", name.Value);
        }

        Sha256Digest sha256 = default;
        if (line.Sha256 is { } digest && !Sha256Digest.TryParse(digest, out sha256))
        {
            throw Errors.Invalid($"'sha256' of '{name}' is not a SHA-256 in base64.", name.Value);
        }

        return new BatchFile(
            name, line.Length!.Value, line.Modified is null ? null : modified, line.Executable, line.Sha256 is null ? null : sha256, line.IfMatch, line.IfNoneMatch);
    }

    /// <summary>The name in the store.</summary>
    /// <exception cref="TransferException">No file can have it.</exception>
    public static TransferName NameOf(BatchFileDocument line, TransferName folder, IFileStore store)
    {
        if (!TransferName.TryParse(folder.IsRoot ? line.Name : $"{folder.Value}/{line.Name}", out TransferName name) || name.IsRoot || name == folder)
        {
            string shown = NameEncoding.Printable(line.Name!);
            throw new TransferException(TransferError.InvalidName, $"'{shown}' is not a name that a file can have in a folder.", shown);
        }

        store.Names.Check(name);
        return name;
    }

    /// <summary>Reads the conditions and checks them against the current file.</summary>
    /// <exception cref="TransferException">As <see cref="WriteConditions.Read(HttpRequest, TransferName, StoredFile?)"/>.</exception>
    public CreateFileOptions ToOptions(StoredFile? present) => new()
    {
        Precondition = WriteConditions.Read(IfMatch, IfNoneMatch, since: default, Name, present),
        IsPreconditionChecked = true,
        Length = Length,
        Modified = Modified,
        IsExecutable = IsExecutable,
    };
}
