using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server;

/// <summary>Publishes an upload that has all its bytes.</summary>
internal static class UploadCompletion
{
    /// <summary>Publishes it and says in the answer's fields what it became.</summary>
    /// <returns>Whether the name was free before, as far as that can be told.</returns>
    public static async ValueTask<bool> CompleteAsync(UploadCall call, UploadStatus status)
    {
        call.HasAll = true;
        Sha256Digest? expected = ReadDigest(call.Request);
        if (status.Published is { } published)
        {
            UploadAnswers.AddFile(call, published);
            return false;
        }

        if (expected is not null && status.Expected is not null && expected != status.Expected)
        {
            throw new TransferException(
                TransferError.DigestMismatch,
                $"Repr-Digest says {expected}, and {status.Expected} when the upload was begun. Send the one of the whole file.",
                status.Name.Value);
        }

        bool isNew = await call.Store
            .FindAsync(status.Name, DigestNeed.IfKnown, call.Context.RequestAborted)
            .ConfigureAwait(false) is null;

        // Everything is there: to publish it is right, whether or not somebody waits for the answer.
        StoredFile file = await call.Store
            .CompleteUploadAsync(status.Id, expected ?? status.Expected, CancellationToken.None)
            .ConfigureAwait(false);
        UploadAnswers.AddFile(call, file);
        return isNew;
    }

    /// <summary>The digest that a request says of the whole file.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>.</exception>
    public static Sha256Digest? ReadDigest(HttpRequest request)
    {
        string field = request.Headers[TransferHeaders.ReprDigest].ToString();
        if (field.Length == 0)
        {
            return null;
        }

        return DigestField.TryParse(field, out Sha256Digest? digest)
            ? digest
            : throw new TransferException(
                TransferError.InvalidRequest, "Repr-Digest cannot be read. Send sha-256=:BASE64:, or leave it out.");
    }
}
