namespace Millrace.Transfer;

/// <summary>
/// A transfer that was refused or that failed. The message explains the attempt, the failure and the remedy.
/// </summary>
/// <remarks>
/// The message can have text of a server. Control characters and marks that change the direction of text are replaced by U+FFFD,
/// so that it can be printed.
/// </remarks>
public sealed class TransferException : IOException
{
    /// <summary>Describes a failed transfer.</summary>
    /// <param name="error">What went wrong.</param>
    /// <param name="message">Explains the attempt, the failure and the remedy to the user.</param>
    /// <param name="name">The file or folder that it was about; null when there is none.</param>
    /// <param name="innerException">What caused it.</param>
    public TransferException(
        TransferError error, string message, string? name = null, Exception? innerException = null)
        : base(PrintableText.Clean(message), innerException)
    {
        Error = error;
        Name = name;
    }

    /// <summary>What went wrong.</summary>
    public TransferError Error { get; }

    /// <summary>The file or folder that it was about; null when there is none.</summary>
    public string? Name { get; }

    /// <summary>Bytes of the upload that the other side has, when it reported them; null otherwise.</summary>
    public long? Offset { get; init; }

    /// <summary>How long the other side asked to wait before the next try; null when it did not.</summary>
    public TimeSpan? RetryAfter { get; init; }

    /// <summary>
    /// The HTTP status of the answer; null when there was none. A store that sets it chooses the server's status, which otherwise
    /// follows from <see cref="Error"/>.
    /// </summary>
    public int? Status { get; init; }

    /// <summary>The protocol on which it happened; null where it does not matter.</summary>
    public TransferProtocol? Protocol { get; init; }

    /// <summary>How many entries no listing shows, where that is why a folder was not deleted; null otherwise.</summary>
    public int? Omitted { get; init; }

    /// <summary>
    /// How many files and folders of names that the server hides, where they are why a folder was neither deleted nor moved; null otherwise.
    /// The same with <see cref="DeleteFolderOptions.IncludeHidden"/> or <see cref="MoveOptions.IncludeHidden"/> takes them along.
    /// </summary>
    public int? Hidden { get; init; }

    /// <summary>
    /// The failure and the remedy for people who know what they asked for; <see cref="Exception.Message"/> also has the call, the protocol and the
    /// status of a response.
    /// </summary>
    public string Reason
    {
        get => field ?? Message;
        internal init => field = value is null ? null : PrintableText.Clean(value);
    }

    /// <summary>Whether another try may succeed.</summary>
    internal bool IsTransient { get; init; }

    /// <summary>Whether the answer came from something in front of the server: it has no error of Millrace.</summary>
    internal bool IsForeign { get; init; }

    /// <summary>Whether the next try sends less in one request, so that this one does not count as a failure.</summary>
    internal bool IsSmallerNext { get; private init; }

    /// <summary>The same, not to be tried again.</summary>
    internal TransferException AsFinal() => With(Message, isTransient: false);

    /// <summary>The same, to be tried again, with the reason.</summary>
    internal TransferException AsTransient(string why) => With($"{Message} {why}", isTransient: true, reason: $"{Reason} {why}");

    /// <summary>The same, to be tried again at once with a smaller request.</summary>
    internal TransferException AsSmaller() => With(Message, isTransient: true, isSmallerNext: true);

    private TransferException With(string message, bool isTransient, bool isSmallerNext = false, string? reason = null) => new(Error, message, Name, this)
    {
        Offset = Offset,
        RetryAfter = RetryAfter,
        Status = Status,
        Protocol = Protocol,
        Omitted = Omitted,
        Hidden = Hidden,
        Reason = reason ?? Reason,
        IsTransient = isTransient,
        IsForeign = IsForeign,
        IsSmallerNext = isSmallerNext,
    };
}
