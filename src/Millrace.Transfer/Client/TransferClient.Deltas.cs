namespace Millrace.Transfer;

/// <content>Sends and fetches only changed blocks.</content>
public sealed partial class TransferClient
{
    /// <summary>How often an upload is planned again because the server's file was replaced; then all of it is sent.</summary>
    private const int MaxPlans = 2;

    /// <summary>How fast the link is.</summary>
    internal LinkSpeed Speed { get; }

    /// <summary>The blocks of the server's version, if it has one and a transfer of the changes is worth it.</summary>
    private async ValueTask<RemoteBlocks?> FindBlocksAsync(
        TransferContext context, TransferName name, bool isForced, CancellationToken cancellationToken)
    {
        if ((Options.Delta == TransferDelta.Never && !isForced) || !HasDeltas(name))
        {
            return null;
        }

        bool isSlow = isForced || Options.Delta == TransferDelta.Always
            || (Speed.IsFast ?? await Speed.MeasureAsync(context, name, cancellationToken).ConfigureAwait(false)) == false;
        return isSlow ? await RemoteBlocks.FindAsync(context, name, cancellationToken).ConfigureAwait(false) : null;
    }

    private async ValueTask<DeltaUpload?> PlanDeltaAsync(
        TransferContext context, ContentSource source, TransferName name, WritePrecondition precondition, CancellationToken cancellationToken)
    {
        if (source is not FileSource file || context.Protocol.SendsWhole(isSmall: false) || Options.Link?.Name == name)
        {
            return null;
        }

        ExtentList? holes = _description?.Holes == true ? file.FindHoles() : null;
        if (!precondition.CreateNew && file.Length >= BlockSums.MinFileBytes
            && await FindBlocksAsync(context, name, isForced: false, cancellationToken).ConfigureAwait(false) is { } blocks
            && (precondition.Match is not { } tags || tags.Contains(blocks.Tag))
            && await DeltaUpload.MakeAsync(file, blocks, holes, cancellationToken).ConfigureAwait(false) is { } delta)
        {
            return delta;
        }

        try
        {
            return holes is null ? null : await DeltaUpload.MakeAsync(file, holes, cancellationToken).ConfigureAwait(false);
        }
        catch (IOException)
        {
            // It was changed, which the upload of all of it finds out, too.
            return null;
        }
    }

    /// <summary>Whether there is a file that is worth comparing.</summary>
    private static bool IsLarge(string path)
    {
        try
        {
            return new FileInfo(path) is { Exists: true, Length: >= BlockSums.MinFileBytes };
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    /// <summary>Whether a delta was refused, and not the file.</summary>
    private static bool IsAboutDelta(TransferException exception, DeltaUpload delta) =>
        (exception.Error == TransferError.PreconditionFailed && delta.Tag is not null) || exception.Error is TransferError.DigestMismatch or TransferError.InvalidRequest or TransferError.Forbidden
        or TransferError.Changed or TransferError.NotFound;
}
