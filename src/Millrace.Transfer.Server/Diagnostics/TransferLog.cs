namespace Millrace.Transfer.Server;

/// <summary>Lines of the log. Names and addresses, never a token, a signature or a query.</summary>
internal static partial class TransferLog
{
    [LoggerMessage(1, LogLevel.Information,
        "{Method} {Name}: {Outcome}, {Status}, {Bytes} bytes in {Milliseconds} ms, {Owner} at {Address}")]
    public static partial void Transferred(
        this ILogger logger, string method, string name, string outcome, int status, long bytes, long milliseconds,
        string owner, string address);

    [LoggerMessage(2, LogLevel.Debug, "{Method} {Name}: {Outcome}, {Status}, {Owner} at {Address}")]
    public static partial void Answered(
        this ILogger logger, string method, string name, string outcome, int status, string owner, string address);

    [LoggerMessage(3, LogLevel.Warning, "{Method} {Name}: refused, {Error}, {Address}")]
    public static partial void Refused(
        this ILogger logger, string method, string name, TransferError error, string address);

    [LoggerMessage(4, LogLevel.Error, "The tokens cannot be read: {Reason}")]
    public static partial void TokensUnreadable(this ILogger logger, string reason);

    [LoggerMessage(5, LogLevel.Information, "Stopping; {Running} transfers are running{Limit}")]
    public static partial void Stopping(this ILogger logger, int running, string limit);

    [LoggerMessage(6, LogLevel.Warning, "{Running} transfers were cut")]
    public static partial void Cut(this ILogger logger, int running);

    [LoggerMessage(7, LogLevel.Error, "{Path} failed")]
    public static partial void CallFailed(this ILogger logger, string? path, Exception exception);

    [LoggerMessage(8, LogLevel.Information, "The certificate in {Path} was renewed and is now in use")]
    public static partial void CertificateRenewed(this ILogger logger, string path);

    [LoggerMessage(9, LogLevel.Warning, "The certificate in {Path} has changed and cannot be used; the previous one still is: {Reason}")]
    public static partial void CertificateUnreadable(this ILogger logger, string path, string reason);

    [LoggerMessage(10, LogLevel.Warning,
        "All connections hold {Held} bytes that are unread or unsent, more than the limit of {Limit}; the connection of {Address}, which holds {Bytes}, is closed")]
    public static partial void BuffersExceeded(this ILogger logger, long held, long limit, string address, long bytes);

    [LoggerMessage(12, LogLevel.Warning, "A connection of the proxy {Address} is closed: {Reason}")]
    public static partial void ProxyHeaderRefused(this ILogger logger, string address, string reason);

    [LoggerMessage(11, LogLevel.Error, "The key for signing links cannot be created: {Reason}")]
    public static partial void LinkKeyMissing(this ILogger logger, string reason);

    [LoggerMessage(13, LogLevel.Information, "{Method} {Name}: a token is needed, {Address}")]
    public static partial void TokenNeeded(this ILogger logger, string method, string name, string address);

    [LoggerMessage(14, LogLevel.Error, "The access log cannot be written; its lines are lost until it can: {Reason}")]
    public static partial void AccessLogFailed(this ILogger logger, string reason);

    [LoggerMessage(20, LogLevel.Error,
        "{Name} is damaged: its SHA-256 is {Found} and was {Kept}, and nothing has changed its date, size or identity. Restore it from a backup")]
    public static partial void ScrubDamaged(this ILogger logger, string name, string found, string kept);

    [LoggerMessage(21, LogLevel.Error, "{Name} is damaged: the device does not return its bytes: {Reason} Restore it from a backup")]
    public static partial void ScrubUnreadable(this ILogger logger, string name, string reason);

    [LoggerMessage(22, LogLevel.Warning, "{Name} was not checked: {Reason}")]
    public static partial void ScrubSkipped(this ILogger logger, string name, string reason);

    [LoggerMessage(23, LogLevel.Information, "All files were checked: {Files} with {Bytes} bytes, {Damaged} damaged, {Skipped} not checked")]
    public static partial void Scrubbed(this ILogger logger, long files, long bytes, int damaged, long skipped);

    [LoggerMessage(24, LogLevel.Warning, "The check of the stored files pauses for a minute: {Reason}")]
    public static partial void ScrubPaused(this ILogger logger, string reason);

    [LoggerMessage(15, LogLevel.Warning, "Events of files are not delivered; {Pending} wait, and each is tried again: {Reason}")]
    public static partial void EventsFailing(this ILogger logger, int pending, string reason);

    [LoggerMessage(16, LogLevel.Information, "Events of files are delivered again")]
    public static partial void EventsDeliveredAgain(this ILogger logger);

    [LoggerMessage(17, LogLevel.Warning, "The event {Id} is refused and tried again in {Milliseconds} ms: {Reason}")]
    public static partial void EventRefused(this ILogger logger, string id, string reason, long milliseconds);

    [LoggerMessage(18, LogLevel.Error, "The outbox is full with {Pending} events: the oldest are dropped, and an event will say how many")]
    public static partial void EventsDropped(this ILogger logger, int pending);
}
