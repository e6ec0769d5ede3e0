using System.Net;
using Amazon.Runtime;

namespace Millrace.Transfer.S3;

/// <summary>Errors that several places report, and what those of the SDK mean. Messages never contain a key of the bucket.</summary>
internal static class S3Errors
{
    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(5);

    public static TransferException NoFolderPossible(TransferName name) => Errors.Invalid(
        $"'{name}' cannot be created: its folder is a file. Choose another name.", name.Value);

    public static TransferException Superseded(UploadId id) => new(
        TransferError.Superseded,
        $"Another request has taken over upload {id}. To continue with this one instead, ask for the offset first.");

    public static TransferException Changed(TransferName name, Exception? inner = null) => new(
        TransferError.Changed, $"'{name}' was replaced while it was being read. Read it again.", name.Value, inner);

    public static TransferException Unavailable(string message, Exception? inner = null) =>
        new(TransferError.Unavailable, message, innerException: inner)
        {
            RetryAfter = RetryAfter,
        };

    /// <summary>Whether a failure is about the object store or the way to it, and not a bug.</summary>
    public static bool IsOfStore(Exception exception) =>
        exception is AmazonServiceException or AmazonClientException or HttpRequestException or TimeoutException
            or IOException and not TransferException;

    public static bool IsNotFound(Exception exception) =>
        exception is AmazonS3Exception { StatusCode: HttpStatusCode.NotFound, ErrorCode: not "NoSuchBucket" };

    /// <remarks>409 is what AWS answers to two conditional writes at once.</remarks>
    public static bool IsConditionFailed(Exception exception) => exception is AmazonS3Exception
    {
        StatusCode: HttpStatusCode.PreconditionFailed or HttpStatusCode.Conflict
    };

    /// <summary>Whether the service does not take such requests at all.</summary>
    public static bool IsRefused(Exception exception) => !IsConditionFailed(exception) && !IsNotFound(exception) && exception is AmazonS3Exception
    {
        StatusCode: (>= HttpStatusCode.BadRequest and < HttpStatusCode.InternalServerError and not HttpStatusCode.TooManyRequests) or HttpStatusCode.NotImplemented
    };

    /// <summary>Whether a multipart upload, or one of its parts, is not there any more, or is another one.</summary>
    public static bool IsLostPart(Exception exception) =>
        exception is AmazonS3Exception { ErrorCode: "NoSuchUpload" or "InvalidPart" or "InvalidPartOrder" };

    /// <summary>Describes a failed request; the same exception if it is not one of the object store.</summary>
    public static Exception Translate(Exception exception, string? name = null) => exception switch
    {
        AmazonS3Exception { ErrorCode: "NoSuchBucket" } => Unavailable("The bucket does not exist. Create it, or start the server with another one.", exception),
        AmazonS3Exception { ErrorCode: "QuotaExceeded" } => new TransferException(
            TransferError.NoSpace, "The quota of the bucket is used up. Delete something, or try again later.", name, exception),
        AmazonS3Exception { ErrorCode: "EntityTooLarge" } => new TransferException(
            TransferError.TooLarge, "The object store does not accept a file of that length.", name, exception),
        AmazonS3Exception { ErrorCode: "RequestTimeTooSkewed" } => Unavailable(
            "The object store refuses the server's clock, which is wrong. Set it.", exception),
        AmazonServiceException { StatusCode: HttpStatusCode.Unauthorized or HttpStatusCode.Forbidden } => Unavailable(
            "The object store refuses the server's credentials. Check them, and the policy of the bucket.", exception),
        AmazonServiceException { StatusCode: HttpStatusCode.NotFound } => new TransferException(
            TransferError.NotFound, "The object store does not have it, or not any more.", name, exception),
        AmazonServiceException { StatusCode: HttpStatusCode.PreconditionFailed or HttpStatusCode.Conflict } => new TransferException(
            TransferError.PreconditionFailed, "Somebody changed it meanwhile. Look at it again, then decide.", name, exception),
        AmazonServiceException { StatusCode: >= HttpStatusCode.BadRequest and < HttpStatusCode.InternalServerError } refused =>
            new TransferException(
                TransferError.Failed, $"The object store refused the request: {refused.ErrorCode}.", name, exception),
        AmazonClientException when exception.Message.Contains("credentials", StringComparison.OrdinalIgnoreCase) =>
            Unavailable("The server has no credentials for the object store. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile or a role.", exception),
        _ when IsOfStore(exception) => Unavailable("The object store does not answer, or is overloaded. Try again later.", exception),
        _ => exception,
    };
}
