namespace Millrace;

/// <summary>What <see cref="FilePipe.Append"/> does about an incomplete record at the end of the file.</summary>
public enum TornTailAction
{
    /// <summary>Refuses to open: <see cref="FilePipeError.TornTail"/> says where the incomplete record begins.</summary>
    Refuse,

    /// <summary>Cuts the file there, durably, and says so in <see cref="FilePipeWriter.TornTail"/>.</summary>
    Truncate,

    /// <summary>Leaves it, and says so in <see cref="FilePipeWriter.TornTail"/>. What is appended follows it.</summary>
    Keep,
}
