namespace Millrace.Cli.Copy;

/// <summary>What a <see cref="CopyItem"/> is.</summary>
internal enum CopyItemKind
{
    /// <summary>A file, or what is read like one.</summary>
    File,

    /// <summary>A folder, to be made before what is in it.</summary>
    Folder,

    /// <summary>A symbolic link in a folder, which stays one.</summary>
    Link,

    /// <summary>A FIFO, a socket or a device in a folder: nothing that a copy could hold.</summary>
    Special,
}
