namespace Millrace;

/// <summary>
/// Which changes made to a file by others while it is read end the reading with a <see cref="FilePipeException"/>.
/// Checked when the end of the file is reached, by size and time of last modification (whose resolution is the file
/// system's). A file in follow mode is expected to change and is checked for truncation only.
/// </summary>
public enum ChangeDetection
{
    /// <summary>
    /// A file that became shorter, or was modified without growing, is reported. One that grew is read to its new end,
    /// as a log is.
    /// </summary>
    Rewritten,

    /// <summary>Any modification is reported, growth included: what was read is one version of the file.</summary>
    Any,

    /// <summary>Only a file that became shorter than it was when opened is reported.</summary>
    Truncated,
}
