namespace Millrace;

/// <summary>A failure of a file pipe, with the file and the place in it.</summary>
public sealed class FilePipeException : IOException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="error">What went wrong.</param>
    /// <param name="message">What was tried, what happened, what can be done.</param>
    /// <param name="path">The file, as it was given to <see cref="FilePipe"/>; empty for a handle without a name.</param>
    /// <param name="offset">Where in the file, in bytes from its start.</param>
    /// <param name="innerException">The system's own error, where there is one.</param>
    public FilePipeException(
        FilePipeError error, string message, string path, long offset, Exception? innerException = null)
        : base(message, innerException)
    {
        Error = error;
        Path = path;
        Offset = offset;
        if (innerException is not null)
        {
            HResult = innerException.HResult;
        }
    }

    /// <summary>What went wrong.</summary>
    public FilePipeError Error { get; }

    /// <summary>The file, as it was given to <see cref="FilePipe"/>; empty for a handle without a name.</summary>
    public string Path { get; }

    /// <summary>Where in the file, in bytes from its start. 0 for a file that could not be opened.</summary>
    public long Offset { get; }
}
