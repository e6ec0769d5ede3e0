namespace Millrace;

/// <summary>Appending.</summary>
public static partial class FilePipe
{
    /// <summary>Opens a file for appending, and creates it if there is none. For logs; see docs/append.md.</summary>
    public static FilePipeWriter Append(string path, FileAppendOptions options = default) =>
        throw new NotSupportedException();
}
