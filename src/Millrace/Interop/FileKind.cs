namespace Millrace.Interop;

/// <summary>What an open file is, as far as reading it differs.</summary>
internal enum FileKind
{
    /// <summary>Has a size and positions. Files of /proc are of this kind with a size of 0.</summary>
    Regular,

    /// <summary>A folder.</summary>
    Directory,

    /// <summary>A character or block device.</summary>
    Device,

    /// <summary>A FIFO, a socket, a terminal: bytes come when they come.</summary>
    Stream,
}
