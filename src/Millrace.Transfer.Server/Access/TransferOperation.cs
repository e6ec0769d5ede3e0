namespace Millrace.Transfer.Server;

/// <summary>
/// A request's action and its required scopes: the one table of operations and scopes, from which every protocol takes
/// its operations. docs/access.md shows it.
/// </summary>
/// <param name="Scope">The scopes that the caller needs, all of them.</param>
/// <param name="IsTransfer">Whether it moves a file's content, which counts against the limit.</param>
internal sealed record TransferOperation(TransferScope Scope, bool IsTransfer)
{
    /// <summary>Whether it asks about the locks of others itself.</summary>
    public bool ChecksLocks { get; private init; }

    /// <summary>Whether it needs more than a link.</summary>
    public bool IsClosedToLinks { get; private init; }

    /// <summary>Whether it may visit everything below a folder.</summary>
    public bool IsWalk { get; private init; }

    /// <summary>Whether it changes something.</summary>
    public bool IsChange => (Scope & (TransferScope.Write | TransferScope.Delete)) != TransferScope.None;

    /// <summary>The methods of a name: OPTIONS.</summary>
    public static readonly TransferOperation Describe = new(TransferScope.None, IsTransfer: false);

    /// <summary>The facts about a file: HEAD, Stat, PROPFIND of a file.</summary>
    public static readonly TransferOperation Stat = new(TransferScope.Read, IsTransfer: false);

    /// <summary>A file's content: GET, Download.</summary>
    public static readonly TransferOperation Download = new(TransferScope.Read, IsTransfer: true);

    /// <summary>The names in a folder: GET, HEAD or PROPFIND of a folder, List.</summary>
    public static readonly TransferOperation List = new(TransferScope.List, IsTransfer: false);

    /// <summary>Search or count everything below a folder: GET of a folder. One at a time for each caller.</summary>
    public static readonly TransferOperation Walk = new(TransferScope.List, IsTransfer: false) { IsWalk = true };

    /// <summary>A folder as one file, which has both the names and the content.</summary>
    public static readonly TransferOperation Archive = new(TransferScope.List | TransferScope.Read, IsTransfer: true);

    /// <summary>HEAD of that.</summary>
    public static readonly TransferOperation StatArchive = Archive with { IsTransfer = false };

    /// <summary>PUT, Upload, and everything that brings bytes of a resumable upload.</summary>
    public static readonly TransferOperation Upload = new(TransferScope.Write, IsTransfer: true);

    /// <summary>Several files in one request, POST FOLDER/?batch.</summary>
    public static readonly TransferOperation UploadBatch = Upload with { ChecksLocks = true, IsClosedToLinks = true };

    /// <summary>Several files in one response, POST FOLDER/?batch=get.</summary>
    public static readonly TransferOperation DownloadBatch = Download with { IsClosedToLinks = true };

    /// <summary>Bytes of a resumable upload as a delta, whose result reveals the earlier version's bytes.</summary>
    public static readonly TransferOperation UploadDelta = new(TransferScope.Write | TransferScope.Read, IsTransfer: true);

    /// <summary>A resumable upload without bytes: starting it, asking for its offset, publishing and deleting it.</summary>
    public static readonly TransferOperation ManageUpload = new(TransferScope.Write, IsTransfer: false);

    /// <summary>DELETE, Delete.</summary>
    public static readonly TransferOperation Delete = new(TransferScope.Delete, IsTransfer: false);

    /// <summary>DELETE of a folder with everything in it, whose names the caller could not know otherwise.</summary>
    public static readonly TransferOperation DeleteFolder = new(TransferScope.Delete | TransferScope.List, IsTransfer: false);

    /// <summary>MOVE, Move: for the old name and for the new one, under which a file may be replaced.</summary>
    public static readonly TransferOperation Move = new(TransferScope.Write | TransferScope.Delete, IsTransfer: false);

    /// <summary>A second folder of the same files, POST FOLDER/?clone: for both names. An exchange of folders is a <see cref="Move"/>.</summary>
    public static readonly TransferOperation CloneFolder = new(TransferScope.Write | TransferScope.Read, IsTransfer: false);

    /// <summary>MKCOL, CreateFolder.</summary>
    public static readonly TransferOperation CreateFolder = new(TransferScope.Write, IsTransfer: false);

    /// <summary>COPY of a file: for the old name and for the new one, under which a file may be replaced.</summary>
    public static readonly TransferOperation Copy = new(TransferScope.Read | TransferScope.Write, IsTransfer: false);

    /// <summary>COPY of a folder with everything in it.</summary>
    public static readonly TransferOperation CopyFolder = new(TransferScope.Read | TransferScope.Write | TransferScope.List, IsTransfer: false);

    /// <summary>COPY or MOVE in the place of a folder, which is deleted with everything in it.</summary>
    public static readonly TransferOperation ReplaceFolder =
        new(TransferScope.Write | TransferScope.Delete | TransferScope.List, IsTransfer: false);

    /// <summary>PROPPATCH.</summary>
    public static readonly TransferOperation ChangeProperties = new(TransferScope.Write, IsTransfer: false) { IsClosedToLinks = true };

    /// <summary>LOCK and UNLOCK.</summary>
    public static readonly TransferOperation Lock = new(TransferScope.Write, IsTransfer: false) { ChecksLocks = true, IsClosedToLinks = true };

    /// <summary>The names in the trash: GET /trash.</summary>
    public static readonly TransferOperation ListTrash = new(TransferScope.Delete | TransferScope.List, IsTransfer: false);

    /// <summary>Giving a deleted file a name again: for the old name and for the new one.</summary>
    public static readonly TransferOperation Restore = new(TransferScope.Write | TransferScope.Delete, IsTransfer: false);

    /// <summary>Deleting files in the trash for good: DELETE /trash. All of a folder needs the names, too.</summary>
    public static readonly TransferOperation EmptyTrash = new(TransferScope.Delete | TransferScope.List, IsTransfer: false);

    /// <summary>A signed link for downloads, POST /links.</summary>
    public static readonly TransferOperation LinkDownload = new(TransferScope.Link | TransferScope.Read, IsTransfer: false);

    /// <summary>A link to look at and download a folder.</summary>
    public static readonly TransferOperation LinkFolder = new(TransferScope.Link | TransferScope.Read | TransferScope.List, IsTransfer: false);

    /// <summary>The links to folders, and revoking one: GET /links, DELETE /links/ID.</summary>
    public static readonly TransferOperation ManageLinks = new(TransferScope.Link, IsTransfer: false);

    /// <summary>A signed link for uploads, or a link to drop files.</summary>
    public static readonly TransferOperation LinkUpload = new(TransferScope.Link | TransferScope.Write, IsTransfer: false);
}
