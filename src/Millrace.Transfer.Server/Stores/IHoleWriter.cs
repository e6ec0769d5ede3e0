namespace Millrace.Transfer.Server;

/// <summary>A writer of a file that can keep holes.</summary>
internal interface IHoleWriter
{
    /// <summary>Appends zeros, as a hole where the file system has them.</summary>
    /// <exception cref="TransferException">As writing so many bytes.</exception>
    ValueTask WriteZerosAsync(long count, CancellationToken cancellationToken);
}
