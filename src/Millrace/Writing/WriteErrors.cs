using Millrace.Interop;

namespace Millrace.Writing;

internal static class WriteErrors
{
    public static FilePipeException Describe(string verb, string path, long offset, int error) =>
        Describe(verb, path, offset, SystemError.Kind(error, FilePipeError.WriteFailed), SystemError.Exception(error));

    public static FilePipeException Describe(
        string verb, string path, long offset, FilePipeError error, Exception? inner)
    {
        string what = error switch
        {
            FilePipeError.NoSpace => "no space is left on the device",
            FilePipeError.QuotaExceeded => "the quota of this user is used up",
            FilePipeError.FileTooLarge => "the file would become longer than the file system or the process' limit (ulimit -f) allows",
            FilePipeError.NameTaken => "a file of that name already exists, and a new one is required",
            FilePipeError.NameTooLong => "the name is too long for the file system",
            FilePipeError.ReadOnly => "it is read-only, or its file system is mounted so",
            FilePipeError.CrossDevice => "something is mounted on that name; write a file beside it or into the mounted file system",
            FilePipeError.NotFound => "its folder does not exist, or was removed meanwhile",
            FilePipeError.IsDirectory => "it is a folder",
            FilePipeError.Sharing => "another writer has it open",
            FilePipeError.AccessDenied => "permission denied",
            _ => inner?.Message ?? "the system refused",
        };
        string where = offset > 0 ? $" at offset {offset}" : "";
        return new FilePipeException(error, $"Cannot {verb} '{path}'{where}: {what}.", path, offset, inner);
    }
}
