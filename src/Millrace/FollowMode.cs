namespace Millrace;

/// <summary>What a <see cref="FilePipeReader"/> does at the end of the file. The terms are those of GNU tail.</summary>
public enum FollowMode
{
    /// <summary>The end of the file ends the pipe.</summary>
    None,

    /// <summary>Waits for the opened file to grow, whatever happens to its name.</summary>
    Descriptor,

    /// <summary>
    /// Waits for the file of that name to grow. When the name is given to another file (rotation by rename and
    /// re-create), the old one is read to its end and the new one from its start; when the file is truncated in place,
    /// it is read again from its start.
    /// </summary>
    Name,
}
