using Google.Protobuf;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server;

/// <summary>Upload: <c>upload</c>, then <c>data</c>, then <c>end</c>.</summary>
internal static class GrpcUpload
{
    public static async Task AnswerAsync(GrpcCall call)
    {
        call.ExpectFile();
        MessageReader messages = call.Read(ChunkHeader.DataField);
        UploadHead head = await ReadHeadAsync(messages);
        Messages.UploadStatus answer = head.Upload.Length > 0
            ? await AppendAsync(call, messages, head)
            : await CreateAsync(call, messages, head);
        await call.Answer.SendAsync(answer);
    }

    /// <summary>Takes all that comes into a sink, to the request's end.</summary>
    /// <returns>The end of the stream; null if it had none.</returns>
    public static async ValueTask<End?> ReceiveAsync(MessageReader messages)
    {
        End? end = null;
        while (await messages.NextAsync() is var token and not ChunkToken.More)
        {
            if (end is not null)
            {
                throw Errors.Invalid("Something follows 'end', which is last.");
            }

            if (token == ChunkToken.Data)
            {
                await messages.TakeDataAsync();
            }
            else if (!messages.Rest.IsEmpty)
            {
                end = ReadEnd(messages);
            }
        }

        return end;
    }

    /// <summary>Compares the length in the end of a stream with the received bytes.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.DigestMismatch"/>.</exception>
    public static void ThrowUnlessLength(End end, long came)
    {
        if (end.Length != came)
        {
            throw new TransferException(
                TransferError.DigestMismatch,
                $"The stream was to have {end.Length} bytes of a file, and {came} came. Send it again.");
        }
    }

    public static GrpcFault Cut(string what) => new(GrpcStatus.Cancelled, what);

    private static async ValueTask<UploadHead> ReadHeadAsync(MessageReader messages)
    {
        ChunkToken token = await messages.NextAsync();
        if (token == ChunkToken.More || messages.HasData)
        {
            throw Errors.Invalid(token == ChunkToken.More
                ? "An upload begins with the message 'upload', and nothing came."
                : "An upload begins with the message 'upload', and 'data' came first.");
        }

        Chunk first = StrictMessage.Parse(Chunk.Parser, messages.Rest);
        return first.ContentCase == Chunk.ContentOneofCase.Upload
            ? first.Upload
            : throw Errors.Invalid($"An upload begins with the message 'upload', and '{first.ContentCase}' came first.");
    }

    private static End? ReadEnd(MessageReader messages)
    {
        Chunk chunk = StrictMessage.Parse(Chunk.Parser, messages.Rest);
        return chunk.ContentCase switch
        {
            Chunk.ContentOneofCase.None => null,
            Chunk.ContentOneofCase.End when !messages.HasData => chunk.End,
            Chunk.ContentOneofCase.End => throw Errors.Invalid("A message has both 'data' and 'end'; it can have one of them."),
            _ => throw Errors.Invalid($"'{chunk.ContentCase}' came where 'data' or 'end' is expected."),
        };
    }

    /// <summary>Continues an upload of StartUpload.</summary>
    private static async ValueTask<Messages.UploadStatus> AppendAsync(GrpcCall call, MessageReader messages, UploadHead head)
    {
        await using UploadSession session = await GrpcUploads.OpenAsync(call, head.Upload, OperationOf(head.DeltaBase));
        TransferName name = session.Status.Name;
        if (head.Name.Length > 0 && head.Name != name.Value)
        {
            throw Errors.Invalid($"Upload {session.Id} is for '{name}', and the stream says '{head.Name}'.");
        }

        long? length = GrpcValues.Bytes(head.HasLength, head.Length, "length");
        Sha256Digest? first = head.HasSha256 ? GrpcMapping.ToDigest(head.Sha256) : null;
        await ContinueAsync(session, GrpcValues.Bytes(head.Offset, "offset"));
        if (length is { } whole)
        {
            await session.SetLengthAsync(whole, call.Ended);
        }

        End end = await AppendAsync(call, session, hash: null, head.IsDelta || head.DeltaBase.Length > 0, head.DeltaBase, async (sink, stop) =>
        {
            messages.Into(sink, stop);
            End end = await ReceiveAsync(messages)
                ?? throw Cut("The stream ended without 'end'. What arrived is kept; ask for the offset and continue.");
            ThrowUnlessLength(end, sink.Bytes);
            return end;
        });
        if (head.Commit)
        {
            await GrpcUploads.CompleteAsync(call, session, length, Expected(first, end, name));
        }

        return GrpcUploads.ToMessage(session.Status);
    }

    /// <summary>Takes over an upload that can still be appended to, at an offset.</summary>
    public static async ValueTask ContinueAsync(UploadSession session, long offset)
    {
        ThrowIfComplete(session);
        await session.TakeOverAtAsync(offset);
        ThrowIfComplete(session);
    }

    private static void ThrowIfComplete(UploadSession session)
    {
        if (session.Status is { Published: not null } or { Parts: not null })
        {
            throw new Refusal(
                TransferError.UploadComplete,
                $"Upload {session.Id} is complete: it became '{session.Status.Name}'. Nothing can be appended.")
            {
                Offset = session.Status.Offset,
            };
        }
    }

    /// <summary>Appends a call's bytes to an upload.</summary>
    /// <param name="call">The call.</param>
    /// <param name="session">The upload.</param>
    /// <param name="hash">Hashes all that arrives, and means that nothing is kept if the call fails; null for neither.</param>
    /// <param name="isDelta">Whether it is a delta.</param>
    /// <param name="deltaBase">The version that it is a delta of; empty if it is none, or of none.</param>
    /// <param name="receive">Moves the call's bytes into a sink, until it is stopped.</param>
    public static async ValueTask<T> AppendAsync<T>(
        GrpcCall call, UploadSession session, IncrementalHash? hash, bool isDelta, string deltaBase,
        Func<ChunkSink, CancellationToken, ValueTask<T>> receive)
    {
        if (session.Status.IsComplete)
        {
            var none = new ChunkSink(PipeWriter.Create(Stream.Null), room: 0, hash);
            return await receive(none, call.Ended);
        }

        if (isDelta)
        {
            DeltaWriter.ThrowIfUnlimited(session.Status);
        }

        await using StoredFileReader? old = deltaBase.Length == 0
            ? null
            : await DeltaWriter.OpenAsync(session.Store, session.Status.Name, deltaBase, call.Ended);
        return await session.AppendAsync(isVerified: hash is not null, async writer =>
        {
            using var stop = CancellationTokenSource.CreateLinkedTokenSource(call.Ended, writer.Superseded);
            DeltaWriter? delta = isDelta ? new DeltaWriter(old, writer, writer.RemainingBytes, stop.Token) : null;
            var sink = delta is null ? new ChunkSink(writer.Output, writer.RemainingBytes, hash) : new ChunkSink(delta, long.MaxValue, hash);
            try
            {
                T result = await receive(sink, stop.Token);
                if (delta is not null)
                {
                    await delta.FinishAsync(stop.Token);
                }

                return result;
            }
            catch when (hash is null)
            {
                // All that has arrived is kept. The failure of the call explains more than a failure to save its bytes.
                await sink.ReleaseAsync(CancellationToken.None).AsTask().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                throw;
            }
        });
    }

    /// <summary>The operation of a call that continues an upload.</summary>
    public static TransferOperation OperationOf(string deltaBase) =>
        deltaBase.Length == 0 ? TransferOperation.Upload : TransferOperation.UploadDelta;

    private static async ValueTask<Messages.UploadStatus> CreateAsync(GrpcCall call, MessageReader messages, UploadHead head)
    {
        TransferName name = TransferName.Parse(head.Name);
        using TransferPass pass = await call.EnterAsync(TransferOperation.Upload, name);
        long? length = GrpcValues.Bytes(head.HasLength, head.Length, "length");
        Sha256Digest? said = head.HasSha256 ? GrpcMapping.ToDigest(head.Sha256) : null;
        if (head.IsDelta || head.DeltaBase.Length > 0)
        {
            throw Errors.Invalid("A delta continues an upload of StartUpload. Start one, with its length.");
        }

        if (head.Offset != 0)
        {
            throw Errors.Invalid("A new file begins at 0; 'offset' is for an 'upload' that is continued.");
        }

        if (await call.Store.FolderExistsAsync(name, call.Ended))
        {
            throw Errors.IsFolder(name);
        }

        var create = new CreateFileOptions
        {
            Precondition = GrpcValues.Precondition(head.Precondition),
            Length = length,
            Modified = GrpcValues.Time(head.Modified, "modified"),
            IsExecutable = head.HasExecutable ? head.Executable : null,
        };
        await using StoredFileWriter writer = await call.Store.CreateAsync(name, create, call.Ended);
        var sink = new ChunkSink(writer.Output, length ?? long.MaxValue);
        messages.Into(sink, call.Ended);
        End end = await ReceiveAsync(messages)
            ?? throw Cut($"The stream for '{name}' ended without 'end'. Nothing was stored; send it again.");
        pass.AddBytes(sink.Bytes);
        ThrowUnlessLength(end, sink.Bytes);
        if (length is { } whole && whole != sink.Bytes)
        {
            throw new TransferException(
                TransferError.DigestMismatch,
                $"'{name}' was said to have {whole} bytes, and {sink.Bytes} came. Nothing was stored; send it again.",
                name.Value);
        }

        using TransferPass.Change change = await pass.BeginAsync(name, LockUse.Membership, call.Ended);
        StoredFile file = await writer.CommitAsync(Expected(said, end, name), call.Ended);
        return GrpcUploads.ToMessage(file);
    }

    /// <summary>The digest that both ends of the stream say, or one of them.</summary>
    public static Sha256Digest? Expected(Sha256Digest? said, End end, TransferName name)
    {
        Sha256Digest? atEnd = end.HasSha256 ? GrpcMapping.ToDigest(end.Sha256) : null;
        return said is null || atEnd is null || said == atEnd
            ? atEnd ?? said
            : throw new TransferException(
                TransferError.DigestMismatch,
                $"'{name}' was said to have the SHA-256 {said} first, and {atEnd} at the end. Nothing was stored; send it again.",
                name.Value);
    }
}
