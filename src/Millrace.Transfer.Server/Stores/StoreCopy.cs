namespace Millrace.Transfer.Server;

/// <summary>Copies a file by reading and writing it, for stores that know nothing better.</summary>
internal static class StoreCopy
{
    public static async ValueTask<StoredFile> RunAsync(
        IFileStore store, TransferName from, TransferName to, MoveOptions options, CancellationToken cancellationToken)
    {
        await using StoredFileReader source = await store.OpenReadAsync(from, DigestNeed.IfKnown, cancellationToken);
        StoredFile file = source.File;
        options.Source.ThrowIfNotMet(from, file);
        var create = new CreateFileOptions
        {
            Precondition = new WritePrecondition { CreateNew = !options.Replace },
            Length = file.Length,
            Modified = file.Modified,
            IsExecutable = file.IsExecutable ? true : null,
        };
        await using StoredFileWriter copy = await store.CreateAsync(to, create, cancellationToken);
        PipeReader bytes = source.Read(new ByteRange(0, file.Length));
        try
        {
            await bytes.CopyToAsync(copy.Output, cancellationToken);
        }
        finally
        {
            await bytes.CompleteAsync();
        }

        return await copy.CommitAsync(file.Sha256, cancellationToken);
    }
}
