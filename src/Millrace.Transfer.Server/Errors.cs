using Millrace.Interop;

namespace Millrace.Transfer.Server;

/// <content>Those of a folder and of the protocols.</content>
internal static partial class Errors
{
    public static TransferException NoFolderPossible(TransferName name) => Invalid(
        $"'{name}' cannot be created: its folder is a file, or a link that leads nowhere. Choose another name.", name.Value);

    public static TransferException ReadOnly(TransferName name) => new(
        TransferError.Forbidden, "This server is read-only: files can be downloaded, and nothing can be changed.", name.IsRoot ? null : name.Value);

    public static TransferException NothingThere(TransferName name) =>
        new(TransferError.NotFound, $"There is no file or folder '{name}'.", name.Value);

    public static TransferException NoFolderFor(TransferName name) => new(
        TransferError.NotFound,
        $"The folder '{name.Folder}' of '{name.FileName}' does not exist. Create it first.",
        name.Value)
    {
        Status = StatusCodes.Status409Conflict,
    };

    public static TransferException NameTaken(TransferName name) => new(
        TransferError.AlreadyExists, $"Something has the name '{name}' already. Choose another one.", name.Value);

    public static TransferException IntoItself(TransferName name) =>
        Invalid($"'{name}' cannot be moved to its own name or into itself. Choose another target.", name.Value);

    public static TransferException NotCloned(TransferName name, Exception exception) => Errno.Of(exception) switch
    {
        Errno.NoSpace or Errno.QuotaExceeded or Errno.AccessDenied or Errno.ReadOnlyFileSystem => Translate(exception, "make a second folder of", name),
        _ => new(
            TransferError.InvalidRequest,
            $"No second folder of '{name}' can be made: {exception.Message} Remove it, or sync without publishing the folder as a whole.",
            name.Value,
            exception)
        {
            Status = StatusCodes.Status409Conflict,
        },
    };

    public static TransferException FolderExchanged(TransferName name) => new(
        TransferError.Unavailable, $"The folder of '{name}' was moved, deleted or exchanged while the file was written. Send it again.", name.Value);

    public static TransferException TooLongBelow(TransferName from, TransferName to, int bytes) => new(
        TransferError.InvalidName,
        $"'{from}' cannot be moved to '{to}': a name in it would have {bytes} bytes, and {NameRules.MaxBytes} are allowed. Choose a shorter name.",
        to.Value);

    public static TransferException OtherFileSystem(TransferName name) => Invalid(
        $"'{name}' cannot be moved there: that is on another file system of the server. Upload a copy, then delete this.", name.Value);

    public static TransferException LinkStays(TransferName name) => Invalid(
        $"'{name}' is a link, which can be renamed only within its folder. Move its target.", name.Value);

    public static TransferException HasStore(TransferName name) => Invalid(
        $"'{name}' is the folder of another store, or contains one. It is neither moved nor deleted.", name.Value);

    public static TransferException IsNoFile(TransferName name) => new(
        TransferError.InvalidRequest,
        $"'{name}' is a FIFO, a socket or a device, and cannot be replaced by a file. Choose another name.",
        name.Value)
    {
        Status = StatusCodes.Status409Conflict,
    };

    public static TransferException HasOmitted(TransferName name, int omitted) => new(
        TransferError.InvalidRequest,
        $"The folder '{name}' is not deleted: {omitted} of the entries in it are in no listing, because of their names or their kind, or because the server may not read them. Delete or rename them on the server, then try again.",
        name.Value)
    {
        Status = StatusCodes.Status409Conflict,
        Omitted = omitted,
    };

    public static TransferException LeadsOut(TransferName name) => new(
        TransferError.Forbidden,
        $"'{name}' is, or goes through, a link that is absolute, or leads out of the folder that you may use or into the store's own files. Only other links are followed.",
        name.Value);

    public static TransferException NoSpace(TransferName name, string why) => new(
        TransferError.NoSpace, $"The store is too full for '{name}': {why}. Delete something, or try again later.", name.Value);

    public static TransferException Changed(TransferName name, Exception? inner = null) => new(
        TransferError.Changed, $"'{name}' was changed in place while it was being read. Read it again.", name.Value, inner);

    public static TransferException KeepsChanging(TransferName name) => new(
        TransferError.Changed, $"The digest of '{name}' cannot be computed: the file keeps changing. Try again later.", name.Value);

    public static TransferException Translate(Exception exception, string verb, TransferName name)
    {
        FilePipeError kind = exception is FilePipeException pipe ? pipe.Error : SystemError.Kind(exception, FilePipeError.Failed);
        (TransferError error, string what) = Describe(kind);
        return new TransferException(
            error, $"Cannot {verb} '{name}': {what}.", name.IsRoot ? null : name.Value, exception)
        {
            Status = kind == FilePipeError.CrossDevice ? StatusCodes.Status409Conflict : null,
        };
    }

    /// <summary>For failures while bytes are copied: the exception's own message names a path of the server.</summary>
    public static TransferException Translate(FilePipeException exception)
    {
        (TransferError error, string what) = Describe(exception.Error);
        return new TransferException(error, $"The file could not be moved: {what}.", innerException: exception);
    }

    private static (TransferError Error, string What) Describe(FilePipeError error) => error switch
    {
        FilePipeError.NotFound => (TransferError.NotFound, "it, or its folder, is not there, or was removed meanwhile"),
        FilePipeError.IsDirectory => (TransferError.InvalidRequest, "it is a folder"),
        FilePipeError.NoSpace => (TransferError.NoSpace, "no space is left on the server's device"),
        FilePipeError.QuotaExceeded => (TransferError.NoSpace, "the quota of the server's user is used up"),
        FilePipeError.FileTooLarge => (TransferError.TooLarge, "the server's file system cannot have a file of that length"),
        FilePipeError.NameTaken => (TransferError.AlreadyExists, "something has that name already"),
        FilePipeError.NameTooLong => (TransferError.InvalidName, "the name is too long for the server's file system"),
        FilePipeError.ReadOnly => (TransferError.Forbidden, "it is read-only, or its file system is mounted so"),
        FilePipeError.AccessDenied => (TransferError.Forbidden, "the server's user may not do that"),
        FilePipeError.CrossDevice => (
            TransferError.InvalidRequest, "something is mounted on the name; write inside the mount, or beside it"),
        FilePipeError.Changed or FilePipeError.Truncated => (TransferError.Changed, "it changed meanwhile"),
        _ => (TransferError.Failed, "the server's file system refused"),
    };
}
