namespace Millrace.Transfer.Server;

/// <summary>What a store says when something is refused or fails; never with a path of the server in it.</summary>
internal static class StoreErrors
{
    public static TransferException NoFile(TransferName name) =>
        new(TransferError.NotFound, $"There is no file '{name}'.", name.Value);

    public static TransferException NoFolder(TransferName name) =>
        new(TransferError.NotFound, $"There is no folder '{name}'.", name.Value);

    public static TransferException NoUpload(UploadId id) => new(
        TransferError.NotFound,
        $"There is no upload '{id}': it was ended, it has expired, or it never was. Begin a new one.");

    public static TransferException IsFolder(TransferName name) => new(
        TransferError.InvalidRequest,
        $"'{name}' is a folder, where a file is wanted. Take another name.",
        name.Value);

    public static TransferException LeadsOut(TransferName name) => new(
        TransferError.Forbidden,
        $"'{name}' is, or goes through, a link that is absolute or leads out of the store. Only relative links within it are followed.",
        name.Value);

    public static TransferException WrongDigest(TransferName name, Sha256Digest expected, Sha256Digest actual) => new(
        TransferError.DigestMismatch,
        $"'{name}' was to have the SHA-256 {expected}, but what arrived has {actual}. Nothing was published; send it again.",
        name.Value);

    public static TransferException TooLarge(TransferName name, long limit) => new(
        TransferError.TooLarge,
        $"'{name}' has more than the {limit} bytes that a file may have in this store.",
        name.Value);

    public static TransferException WrongOffset(UploadId id, long asked, long actual) => new(
        TransferError.OffsetMismatch,
        $"The upload '{id}' has {actual} bytes, and the request would continue it at {asked}. Continue at {actual}.")
    {
        Offset = actual,
    };

    public static TransferException Translate(Exception exception, string verb, TransferName name)
    {
        (TransferError error, string what) = exception is FilePipeException pipe
            ? Describe(pipe.Error)
            : Describe(Interop.SystemError.Kind(exception, FilePipeError.Failed));
        return new TransferException(
            error, $"Cannot {verb} '{name}': {what}.", name.IsRoot ? null : name.Value, exception);
    }

    private static (TransferError Error, string What) Describe(FilePipeError error) => error switch
    {
        FilePipeError.NotFound => (TransferError.NotFound, "it, or its folder, is not there, or was removed meanwhile"),
        FilePipeError.IsDirectory => (TransferError.InvalidRequest, "it is a folder"),
        FilePipeError.NoSpace => (TransferError.NoSpace, "there is no space left on the server's device"),
        FilePipeError.QuotaExceeded => (TransferError.NoSpace, "the quota of the server's user is used up"),
        FilePipeError.FileTooLarge => (TransferError.TooLarge, "the server's file system cannot have a file of that length"),
        FilePipeError.NameTaken => (TransferError.AlreadyExists, "something has that name already"),
        FilePipeError.NameTooLong => (TransferError.InvalidName, "the name is too long for the server's file system"),
        FilePipeError.ReadOnly => (TransferError.Forbidden, "it is read-only, or its file system is mounted so"),
        FilePipeError.AccessDenied => (TransferError.Forbidden, "the server's user may not do that"),
        FilePipeError.Changed or FilePipeError.Truncated => (TransferError.Changed, "it changed meanwhile"),
        _ => (TransferError.Failed, "the server's file system refused"),
    };
}
