using System.Security.Cryptography;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer.Server;

/// <summary>What uploads become.</summary>
public sealed partial class LocalFileStore
{
    /// <inheritdoc/>
    /// <remarks>Once it is published, the same file is answered again until the upload expires.</remarks>
    public async ValueTask<StoredFile> CompleteUploadAsync(
        UploadId id, Sha256Digest? expected, CancellationToken cancellationToken)
    {
        LocalUpload upload = FindUpload(id);
        CancellationTokenSource holder = await upload.EnterAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            UploadRecord record = upload.Record;
            TransferName name = record.ToName();
            if (!record.IsPublished)
            {
                ThrowIfUnfinished(upload);
                Sha256Digest? digest = await VerifyAsync(upload, expected, cancellationToken).ConfigureAwait(false);
                await PublishAsync(upload, digest, cancellationToken).ConfigureAwait(false);
                upload.DropDigest();
            }

            return upload.Record.Published!.ToFile(name);
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw StoreErrors.Translate(exception, "publish", upload.Record.ToName());
        }
        finally
        {
            upload.Leave(holder);
        }
    }

    /// <inheritdoc/>
    /// <remarks>The kernel copies the parts where it can. They stay until they are ended or expire.</remarks>
    public async ValueTask<UploadStatus> JoinUploadsAsync(
        StartUploadOptions options, IReadOnlyList<UploadId> parts, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(parts);
        long length = 0;
        foreach (UploadId part in parts)
        {
            LocalUpload upload = FindUpload(part);
            if (!upload.Record.ToName().IsRoot || upload.Record.Length != upload.Offset)
            {
                throw new TransferException(
                    TransferError.InvalidRequest, $"The upload '{part}' is no finished part. Finish it, then join it.");
            }

            length += upload.Offset;
        }

        UploadRecord record = UploadRecord.Of(options) with
        {
            Length = length,
            Parts = [.. parts.Select(static part => part.Value)],
        };
        LocalUpload whole = await StartAsync(options, record, cancellationToken).ConfigureAwait(false);
        try
        {
            await JoinAsync(whole, parts, cancellationToken).ConfigureAwait(false);
            return whole.ToStatus();
        }
        catch (Exception exception)
        {
            Remove(whole);
            if (exception is FilePipeException)
            {
                throw StoreErrors.Translate(exception, "join", options.Name);
            }

            throw;
        }
    }

    private async ValueTask JoinAsync(
        LocalUpload whole, IReadOnlyList<UploadId> parts, CancellationToken cancellationToken)
    {
        FilePipeWriter data = OpenData(whole, reserve: 0);
        await using (data.ConfigureAwait(false))
        {
            foreach (UploadId part in parts)
            {
                LocalUpload upload = FindUpload(part);

                // Held, so that nobody throws it away meanwhile.
                CancellationTokenSource holder = await upload.EnterAsync(cancellationToken).ConfigureAwait(false);
                try
                {
                    using FilePipeReader source = FilePipe.OpenRead(
                        upload.DataPath, new FileReadOptions { Portable = Options.Portable });
                    await source.CopyToAsync(data, cancellationToken).ConfigureAwait(false);
                }
                finally
                {
                    upload.Leave(holder);
                }
            }

            await data.FlushToDeviceAsync(cancellationToken).ConfigureAwait(false);
            if (data.Position != whole.Record.Length)
            {
                throw new TransferException(TransferError.Changed, "The parts changed while they were joined. Join them again.");
            }
        }
    }

    private static void ThrowIfUnfinished(LocalUpload upload)
    {
        long there = upload.Offset;
        if (upload.Record.ToName().IsRoot || upload.Record.Length != there)
        {
            throw new TransferException(
                TransferError.InvalidRequest,
                upload.Record.ToName().IsRoot
                    ? $"The upload '{upload.Id}' is only a part of others and has no name. Join it to one that has."
                    : upload.Record.Length is { } length
                        ? $"The upload '{upload.Id}' has {there} of {length} bytes. Send the rest, then complete it."
                        : $"Nobody said how long the upload '{upload.Id}' is. Say it, then complete it.")
            {
                Offset = there,
            };
        }
    }

    /// <summary>The digest of what has arrived, where it is wanted; an upload that has another one is thrown away.</summary>
    private async ValueTask<Sha256Digest?> VerifyAsync(
        LocalUpload upload, Sha256Digest? expected, CancellationToken cancellationToken)
    {
        Sha256Digest? said = upload.Record.ToExpected();
        if (expected is null && said is null && !Options.ComputeSha256)
        {
            return null;
        }

        Sha256Digest? digest;
        long length = upload.Offset;
        using (SafeFileHandle data = File.OpenHandle(
            upload.DataPath, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete))
        {
            digest = await upload.ContinueDigest(length).FinishAsync(data, length, cancellationToken).ConfigureAwait(false);
        }

        foreach (Sha256Digest? wanted in new[] { expected, said })
        {
            if (wanted is { } must && must != digest)
            {
                Remove(upload);
                throw StoreErrors.WrongDigest(upload.Record.ToName(), must, digest);
            }
        }

        return digest;
    }

    private async ValueTask PublishAsync(LocalUpload upload, Sha256Digest? digest, CancellationToken cancellationToken)
    {
        TransferName name = upload.Record.ToName();
        WritePrecondition precondition = upload.Record.ToPrecondition();
        using StoreFolder folder = _tree.TryOpenFolderOf(
            name, create: true, follow: !precondition.CreateNew, out string fileName)!;
        string path = folder.PathOf(fileName);
        var options = new FileWriteOptions
        {
            CreateNew = precondition.CreateNew,
            Durability = Options.Durability,
            Portable = Options.Portable,
        };
        StoredFile file;
        try
        {
            file = await PublishAsync(
                FilePipe.Resume(upload.DataPath, path, options), path, upload, digest, cancellationToken).ConfigureAwait(false);
        }
        catch (FilePipeException exception) when (IsElsewhere(exception.Error))
        {
            // Another file system is mounted below the root.
            FilePipeWriter copy = FilePipe.Create(path, options);
            await using (copy.ConfigureAwait(false))
            {
                using FilePipeReader source = FilePipe.OpenRead(
                    upload.DataPath, new FileReadOptions { Portable = Options.Portable });
                await source.CopyToAsync(copy, cancellationToken).ConfigureAwait(false);
                file = await PublishAsync(copy, path, upload, digest, cancellationToken).ConfigureAwait(false);
            }

            File.Delete(upload.DataPath);
        }

        PublishedRecord published = upload.Record.Published! with { Tag = file.Tag.Value };
        await upload.SaveAsync(upload.Record with { IsPublished = true, Published = published }).ConfigureAwait(false);
    }

    private async ValueTask<StoredFile> PublishAsync(
        FilePipeWriter file, string path, LocalUpload upload, Sha256Digest? digest, CancellationToken cancellationToken)
    {
        TransferName name = upload.Record.ToName();
        await using (file.ConfigureAwait(false))
        {
            ThrowIfOffsetMismatch(file, path, name);
            await file.FlushAsync(cancellationToken).ConfigureAwait(false);
            return await PublishAsync(
                file, name, upload.Record.ToPrecondition(), digest, HandOver, AboutAsync, cancellationToken)
                .ConfigureAwait(false);
        }

        long HandOver()
        {
            long taken = upload.Taken;
            upload.Taken = 0;
            return taken;
        }

        // Said before it happens: after a crash in between, bytes that are gone from here have become the file.
        ValueTask AboutAsync(long stamp) => upload.SaveAsync(upload.Record with
        {
            Published = new PublishedRecord(file.Position, stamp, Tag: "", digest?.ToString()),
        });
    }

    /// <summary>
    /// Whether a rename was refused because of where it leads. The framework copies then by itself, which fails because the
    /// upload is held.
    /// </summary>
    private bool IsElsewhere(FilePipeError error) =>
        error == FilePipeError.CrossDevice || (!Native && error == FilePipeError.Sharing);

    /// <summary>Finds out whether an upload that was about to be published was, before the process died.</summary>
    private void FinishPublishing(LocalUpload upload)
    {
        if (upload.Record is not { IsPublished: false, Published: { } about })
        {
            return;
        }

        FileFacts? found = TryLook(upload.Record.ToName());
        bool isThere = found is { } facts && facts.Length == about.Length && facts.Modified == about.Modified;
        if (isThere || !File.Exists(upload.DataPath))
        {
            // Replaced or deleted since, it had a tag that nobody can tell any more, and that no other has.
            string tag = isThere ? found!.Value.ToTag().Value : RandomNumberGenerator.GetHexString(20, lowercase: true);
            upload.Assume(upload.Record with { IsPublished = true, Published = about with { Tag = tag } });
        }
    }

    private FileFacts? TryLook(TransferName name)
    {
        try
        {
            using SafeFileHandle? file = _tree.TryOpenFile(name);
            return file is null ? null : _tree.Look(file);
        }
        catch (TransferException)
        {
            return null;
        }
    }
}
