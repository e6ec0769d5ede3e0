namespace Millrace.Transfer.Server;

/// <summary>A refusal of which HTTP has more to say than <see cref="TransferError"/> does: a status of its own, or a field.</summary>
internal sealed class HttpRefusal(int status, TransferError error, string message, string? name = null)
    : Exception(message)
{
    public int Status { get; } = status;

    public TransferError Error { get; } = error;

    /// <summary>The file or folder; null or empty without one.</summary>
    public string? Name { get; } = name;

    /// <summary>A field that the answer has to have, <c>Allow</c> for example; null without one.</summary>
    public string? Field { get; init; }

    /// <summary>The value of <see cref="Field"/>.</summary>
    public string? FieldValue { get; init; }
}
