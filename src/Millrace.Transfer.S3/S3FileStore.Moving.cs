namespace Millrace.Transfer.S3;

/// <content>What a bucket has no one step for.</content>
public sealed partial class S3FileStore
{
    private const int NotImplemented = 501;

    /// <inheritdoc/>
    /// <remarks>A bucket has no rename: refused with the status 501.</remarks>
    public ValueTask<StoredFile?> MoveAsync(
        TransferName from, TransferName to, MoveOptions options, CancellationToken cancellationToken) =>
        throw Refuse("moved", from);

    /// <inheritdoc/>
    /// <remarks>Refused with the status 501: a folder of a bucket exists while files are in it.</remarks>
    public ValueTask CreateFolderAsync(TransferName folder, CancellationToken cancellationToken) => throw Refuse("created", folder);

    /// <inheritdoc/>
    /// <remarks>Refused with the status 501: delete the files one by one.</remarks>
    public ValueTask<bool> DeleteFolderAsync(TransferName folder, CancellationToken cancellationToken) => throw Refuse("deleted at once", folder);

    private static TransferException Refuse(string what, TransferName name) => new(
        TransferError.InvalidRequest, $"'{name}' cannot be {what}: this server keeps its files in a bucket, which cannot do that.", name.Value)
    {
        Status = NotImplemented,
    };
}
