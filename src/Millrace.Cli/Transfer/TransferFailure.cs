using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>What a failure is called, and what can be done about it on the command line.</summary>
internal static class TransferFailure
{
    /// <summary>Whether a file failed with it, so that the others go on; anything else is a mistake of this program.</summary>
    public static bool IsExpected(Exception exception) =>
        exception is IOException or UnauthorizedAccessException or HttpRequestException;

    /// <summary>A name of <see cref="TransferError"/>, or of <see cref="FilePipeError"/> where the disk is to blame.</summary>
    public static string KindOf(Exception exception) => exception switch
    {
        TransferException { Error: TransferError.Failed, InnerException: FilePipeException disk } => disk.Error.ToString(),
        TransferException transfer => transfer.Error.ToString(),
        FilePipeException disk => disk.Error.ToString(),
        FileNotFoundException or DirectoryNotFoundException => nameof(TransferError.NotFound),
        UnauthorizedAccessException => nameof(FilePipeError.AccessDenied),
        HttpRequestException => nameof(TransferError.Disconnected),
        _ => nameof(TransferError.Failed),
    };

    /// <summary>What happened, and which option helps.</summary>
    public static string Describe(Exception exception)
    {
        string message = exception.Message.TrimEnd();
        message += message.EndsWith('.') ? "" : ".";
        string advice = exception is TransferException transfer ? Advice(transfer.Error) : "";
        return advice.Length == 0 ? message : $"{message} {advice}";
    }

    private static string Advice(TransferError error) => error switch
    {
        TransferError.Unauthorized =>
            $"Give a token that the server knows by --token-file, {TokenSource.Variable} or --token.",
        TransferError.Forbidden =>
            "Ask for a token with this scope and prefix ('millrace token add' on the server), or for a link ('millrace link').",
        TransferError.AlreadyExists => "Without --new it is replaced.",
        TransferError.PreconditionFailed => "'millrace ls --long' prints the tag that it has now.",
        TransferError.NotFound => "'millrace ls' prints what there is; the URL of a folder ends with a slash.",
        TransferError.Disconnected or TransferError.TooSlow =>
            "The same command continues where this one stopped; --attempts makes it try longer.",
        TransferError.TooManyTransfers => "The same command continues later.",
        TransferError.ProtocolNotOffered => "Without --via one is taken that the server offers.",
        TransferError.Changed => "The same command begins with the new version.",
        _ => "",
    };
}
