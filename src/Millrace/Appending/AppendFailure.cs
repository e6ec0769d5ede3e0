using Millrace.Interop;
using Millrace.Writing;

namespace Millrace.Appending;

/// <summary>Why the system refused. Every caller concerned gets an exception of its own from it.</summary>
/// <param name="Verb">What was tried.</param>
/// <param name="Error">What it is in the library's words.</param>
/// <param name="Inner">The system's own error; never thrown itself.</param>
/// <param name="Offset">Where in the file.</param>
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
