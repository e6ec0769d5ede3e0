using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server;

/// <summary>The fields with digests that a request announces in <c>Trailer</c>, so that none can be lost without notice.</summary>
internal readonly struct DigestTrailers
{
    private static readonly string[] Fields =
        [TransferHeaders.UploadChecksum, TransferHeaders.ContentDigest, TransferHeaders.ReprDigest];

    private readonly string[]? _announced;

    public DigestTrailers(HttpRequest request)
    {
        string names = request.Headers.Trailer.ToString();
        if (names.Length > 0)
        {
            string[] announced = names.Split(',', StringSplitOptions.TrimEntries);
            _announced = [.. Fields.Where(field => announced.Contains(field, StringComparer.OrdinalIgnoreCase))];
        }
    }

    public bool AreAnnounced => _announced is { Length: > 0 };

    public bool Announces(string field) => _announced?.Contains(field) is true;

    /// <summary>A trailer of a body that has ended; empty without one.</summary>
    public static StringValues Read(HttpRequest request, string field) =>
        request.SupportsTrailers() && request.CheckTrailersAvailable() ? request.GetTrailer(field) : default;

    /// <summary>Compares the announced digest with that of the received bytes, at the end of the body.</summary>
    /// <param name="request">The request.</param>
    /// <param name="consequence">The part of the request that the server kept, and the remedy.</param>
    /// <param name="offset">Where the upload is without the request; null without an upload.</param>
    /// <exception cref="Refusal"><see cref="TransferError.DigestMismatch"/>: one is missing.</exception>
    public void ThrowIfMissing(HttpRequest request, string consequence, long? offset = null)
    {
        foreach (string field in _announced ?? [])
        {
            if (Read(request, field).Count == 0)
            {
                throw new Refusal(
                    TransferError.DigestMismatch,
                    $"Trailer announces {field}, which did not arrive; a proxy may have removed it. {consequence} Send {field} as a header.")
                {
                    Status = request.Headers.ContainsKey(TransferHeaders.TusResumable) ? ContentCheck.ChecksumMismatch : null,
                    Offset = offset,
                };
            }
        }
    }
}
