namespace Millrace.Transfer.Server;

/// <summary>PUT of a file.</summary>
internal sealed class FileUpload(IFileStore store)
{
    public async Task AnswerAsync(HttpContext context, FileTarget target)
    {
        TransferName name = target.Name;
        using TransferPass pass = await TransferGuard.Of(context)
            .EnterAsync(context, store, TransferOperation.Upload, name);
        ThrowIfFolder(target);
        HttpRequest request = context.Request;
        CancellationToken aborted = context.RequestAborted;
        if (request.Headers.ContentRange.Count > 0)
        {
            // RFC 9110, section 14.5: a server that took it for the whole would replace a file by a part of it.
            throw Errors.Invalid(
                $"A PUT of a part (Content-Range) of '{name}' is not accepted. Send the whole file, or continue an upload.", name.Value);
        }

        if (request.Headers.ContainsKey(TransferHeaders.UploadDeltaBase))
        {
            throw Errors.Invalid($"A delta of '{name}' comes with Upload-Complete and Upload-Length. Send the file as it is, or begin an upload.", name.Value);
        }

        ContentCoding coding = RequestEncoding.Of(request, name);
        var digests = new RequestDigests(request, name, isCoded: !coding.IsIdentity);

        // All that can be refused is refused before the body is asked for: a client that waits for 100 sends none then.
        StoredFile? present = await pass.Store.FindAsync(name, DigestNeed.IfKnown, aborted);
        WritePrecondition precondition = WriteConditions.Read(request, name, present);
        if (present is null && await pass.Store.FolderExistsAsync(name, aborted))
        {
            throw IsFolder(name);
        }

        var create = new CreateFileOptions
        {
            Precondition = precondition,
            IsPreconditionChecked = true,
            Length = coding.IsIdentity ? request.ContentLength : null,
            Modified = GivenTime.Read(context),
            IsExecutable = GivenExecutable.Read(context),
        };
        StoredFileWriter writer = await StoreConflict.AskAsync(pass.Store.CreateAsync(name, create, aborted), precondition);
        StoredFile file;
        await using (writer)
        {
            long moved = coding.IsIdentity
                ? await BodyCopy.ReceiveAsync(request.BodyReader, writer.Output, long.MaxValue, aborted)
                : await UnpackAsync(request, coding, digests, name, writer.Output, aborted);
            pass.AddBytes(moved);
            using TransferPass.Change change = await pass.BeginAsync(
                name, present is null ? LockUse.Membership : LockUse.Content, aborted);
            file = await StoreConflict.AskAsync(writer.CommitAsync(digests.ExpectedAtEnd(request), aborted), precondition);
        }

        Answer(context, target, file, isNew: present is null);
    }

    /// <summary>A file cannot have the name of a folder.</summary>
    public static void ThrowIfFolder(FileTarget target)
    {
        if (target.IsFolder || target.Name.IsRoot)
        {
            throw IsFolder(target.Name);
        }
    }

    /// <summary>For a file that has the name of a folder.</summary>
    public static Refusal IsFolder(TransferName name) => new(
        TransferError.InvalidName,
        $"'{name}/' is the name of a folder, and only files can be uploaded. Folders are created with their files.",
        name.Value)
    {
        Status = StatusCodes.Status409Conflict,
    };

    private static async ValueTask<long> UnpackAsync(
        HttpRequest request, ContentCoding coding, RequestDigests digests, TransferName name, PipeWriter destination,
        CancellationToken cancellationToken)
    {
        await using var unpacked = new UnpackingStream(new RequestBodyStream(request.BodyReader), coding, name, hash: digests.NeedsContentDigest);
        PipeReader content = PipeReader.Create(unpacked, UnpackingStream.PipeOptions);
        try
        {
            long moved = await BodyCopy.ReceiveAsync(content, destination, long.MaxValue, cancellationToken);
            digests.CheckContent(request, unpacked.TakeDigest());
            return moved;
        }
        finally
        {
            await content.CompleteAsync();
        }
    }

    /// <summary>Answers that something has a name now.</summary>
    /// <param name="context">The request.</param>
    /// <param name="target">The name.</param>
    /// <param name="file">The file; null for a folder.</param>
    /// <param name="isNew">Whether nothing had the name before.</param>
    public static void Answer(HttpContext context, FileTarget target, StoredFile? file, bool isNew)
    {
        HttpResponse response = context.Response;
        response.StatusCode = isNew ? StatusCodes.Status201Created : StatusCodes.Status204NoContent;
        if (file is not null)
        {
            response.Headers.ETag = file.Tag.ToString();
        }

        if (file?.Sha256 is { } digest)
        {
            response.Headers[TransferHeaders.ReprDigest] = DigestField.Format(digest);
        }

        if (isNew)
        {
            response.Headers.Location = target.Location;
            response.ContentLength = 0;
        }
    }
}
