using Millrace.Interop;
using Millrace.Writing;

namespace Millrace.Appending;

/// <summary>What appending fails with beside what writing does.</summary>
internal static class LogErrors
{
    public const string Open = "open for appending";
    public const string Append = "append to";
    public const string Flush = "flush";

    public static FilePipeException NoFile(string path) =>
        new(
            FilePipeError.Failed,
            $"Cannot append to '{path}': it is a device, a FIFO or a socket, whose end cannot be found again.",
            path,
            0);

    public static FilePipeException Held(string path, Exception inner) =>
        new(
            FilePipeError.Sharing,
            $"Cannot open for appending '{path}': another process holds it exclusively; wait until it closes it.",
            path,
            0,
            inner);

    public static FilePipeException Torn(string path, in TornTail tail) =>
        new(
            FilePipeError.TornTail,
            $"Cannot append to '{path}': its last {tail.Length} bytes, starting at offset {tail.Offset}, are not a complete record. "
                + $"FileAppendOptions.TornTail = TornTailAction.Truncate removes them, Keep keeps them.",
            path,
            tail.Offset);

    public static FilePipeException Grew(string path, long length) =>
        new(
            FilePipeError.Changed,
            $"Cannot remove the incomplete record at the end of '{path}': the file changed while its end was examined. "
                + "Another process appends to it; only one process may open it with TornTailAction.Truncate.",
            path,
            length);

    public static FilePipeException Half(string path, AppendFailure failure) =>
        new(
            failure.Error,
            $"Cannot append to '{path}' at offset {failure.TornAt}: {failure.Inner.Message}. Part of it was written and could "
                + "not be removed again, because another process appended meanwhile or the system refused. Programs that read "
                + "the file have to skip an incomplete record there.",
            path,
            failure.TornAt,
            failure.Inner);

    public static FilePipeException Lost(string path, AppendFailure failure) =>
        new(
            failure.Error,
            $"Cannot flush '{path}': an earlier flush failed ({failure.Inner.Message}), and the system may have dropped "
                + "the bytes it could not write. Close all writers of the file, check it, and open it again.",
            path,
            failure.Offset,
            failure.Inner);
}

/// <summary>Why the system refused. Every caller concerned gets its own exception from it.</summary>
internal sealed record AppendFailure(string Verb, FilePipeError Error, Exception Inner, long Offset)
{
    public static AppendFailure Of(string verb, int error, long offset) =>
        new(verb, SystemError.Kind(error, FilePipeError.WriteFailed), SystemError.Exception(error), offset);

    public static AppendFailure Of(string verb, Exception exception, long offset) =>
        new(verb, SystemError.Kind(exception, FilePipeError.WriteFailed), exception, offset);

    /// <summary>Where half a piece begins that could not be cut off again; -1 if there is none.</summary>
    public long TornAt { get; init; } = -1;

    public FilePipeException ToException(string path) =>
        TornAt < 0 ? WriteErrors.Describe(Verb, path, Offset, Error, Inner) : LogErrors.Half(path, this);
}
