using System.IO.Pipelines;

namespace Millrace;

/// <summary>Copying, in whole blocks whatever chunk the caller wished for.</summary>
public sealed partial class FilePipeReader
{
    /// <inheritdoc/>
    /// <remarks>A failed copy leaves <see cref="Position"/> at the first byte that was not written.</remarks>
    public override Task CopyToAsync(Stream destination, CancellationToken cancellationToken = default) =>
        _chunk == int.MaxValue
            ? base.CopyToAsync(destination, cancellationToken)
            : CopyInBlocksAsync(destination, null, cancellationToken);

    /// <inheritdoc/>
    /// <remarks>A failed copy leaves <see cref="Position"/> at the first byte that was not written.</remarks>
    public override Task CopyToAsync(PipeWriter destination, CancellationToken cancellationToken = default) =>
        _chunk == int.MaxValue
            ? base.CopyToAsync(destination, cancellationToken)
            : CopyInBlocksAsync(null, destination, cancellationToken);

    private async Task CopyInBlocksAsync(Stream? stream, PipeWriter? writer, CancellationToken cancellationToken)
    {
        int chunk = _chunk;
        _chunk = int.MaxValue;
        try
        {
            await (writer is null
                ? base.CopyToAsync(stream!, cancellationToken)
                : base.CopyToAsync(writer, cancellationToken)).ConfigureAwait(false);
        }
        finally
        {
            _chunk = chunk;

            // What a failed copy had in its hands was a block; the caller's wish holds again.
            _served = (int)Math.Min(_served, (long)_examined + chunk);
        }
    }
}
