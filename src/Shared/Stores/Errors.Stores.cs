namespace Millrace.Transfer.Server;

/// <summary>Errors that several places report. Their messages never contain a path of the server, or a key of a bucket.</summary>
/// <content>Those of every store.</content>
internal static partial class Errors
{
    public static TransferException Invalid(string message, string? name = null, Exception? innerException = null) =>
        new(TransferError.InvalidRequest, message, name, innerException);

    public static TransferException NoFile(TransferName name) =>
        new(TransferError.NotFound, $"There is no file '{name}'.", name.Value);

    public static TransferException NotPortable(TransferName name) => new(
        TransferError.InvalidName,
        $"'{name}' cannot be used on Windows, and this server takes only names that every system can have: no control character, none of \\ : * ? \" < > |, no device's name, and no part that ends with a dot or a space. Choose another name.",
        name.Value);

    public static TransferException NoFolder(TransferName name) =>
        new(TransferError.NotFound, $"There is no folder '{name}'.", name.Value);

    public static TransferException IsFolder(TransferName name) => Invalid(
        $"'{name}' is a folder, and a file is needed. Choose another name.", name.Value);

    public static TransferException NotEmpty(TransferName name) => new(
        TransferError.InvalidRequest, $"The folder '{name}' is not empty. Delete its contents first.", name.Value)
    {
        Status = StatusCodes.Status409Conflict,
    };

    public static TransferException WrongDigest(TransferName name, Sha256Digest expected, Sha256Digest? actual) => new(
        TransferError.DigestMismatch,
        $"'{name}' should have the SHA-256 {expected}, but the received bytes have {actual}. Nothing was published; send it again.",
        name.Value);

    public static TransferException TooLarge(TransferName name, long limit) => new(
        TransferError.TooLarge, $"'{name}' has more than the {limit} bytes that a file may have in this store.", name.Value);

    public static TransferException NoUpload(UploadId id) => new(
        TransferError.NotFound,
        $"Upload {id} does not exist: it was never started, was deleted, or has expired. Start a new one.");

    public static TransferException NotReleased(UploadId id) => new(
        TransferError.Superseded,
        $"Another request holds the upload '{id}' and did not let go of it in {UploadRules.Patience.TotalSeconds} s. Try again later.")
    {
        RetryAfter = TimeSpan.FromSeconds(1),
    };

    public static TransferException TooManyUploads(TransferName name, int limit, bool isOfCaller) => new(
        TransferError.TooManyTransfers,
        isOfCaller
            ? $"You have {limit} unfinished uploads, and no more are allowed. Finish or delete one, or try again later."
            : $"The server has {limit} unfinished uploads, and no more are allowed. Try again later.",
        name.Value)
    {
        RetryAfter = TimeSpan.FromSeconds(30),
    };

    public static TransferException AlreadyComplete(UploadId id, long there) => new(
        TransferError.UploadComplete,
        $"The upload '{id}' has all its {there} bytes already. Complete it, or start a new one.")
    {
        Offset = there,
    };

    public static TransferException WrongOffset(UploadId id, string why, long actual) => new(
        TransferError.OffsetMismatch, $"The upload '{id}' has {actual} bytes, and {why}. Continue at {actual}.")
    {
        Offset = actual,
    };
}
