namespace Millrace.Transfer;

/// <summary>The bytes of a file behind which the server says something more.</summary>
internal interface IEndingBody
{
    /// <summary>Reads what is behind the last byte; throws when it is not a good end.</summary>
    /// <returns>The digest of the whole file, where it is said there.</returns>
    ValueTask<Sha256Digest?> FinishAsync();
}
