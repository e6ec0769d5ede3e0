using System.IO.Enumeration;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Transfer.Server;

/// <summary>
/// Visits and deletes a folder's entries, also where paths are longer than the system accepts in one call (PATH_MAX): a user who may
/// rename folders can put one into the other.
/// </summary>
internal static class FolderWalk
{
    /// <summary>Characters of a path below the folder from which it is opened.</summary>
    /// <remarks>With three bytes each, a name in front of and one after it, a quarter of PATH_MAX; the root has the rest.</remarks>
    private const int MaxLength = 256;

    /// <summary>Enumerates the files and folders in a folder, at any depth; no links, and no unreadable ones.</summary>
    /// <param name="top">The folder.</param>
    /// <param name="native">Whether folders may be opened. Otherwise entries with too long a path are left out.</param>
    /// <param name="except">A folder in it that is left out.</param>
    public static IEnumerable<Entry> Enumerate(string top, bool native, string? except = null)
    {
        var pending = new Stack<(string Path, int NameBytes, SafeFileHandle? Opened)>();
        pending.Push((top, -1, null));
        string start = top;
        try
        {
            while (pending.TryPop(out (string Path, int NameBytes, SafeFileHandle? Opened) next))
            {
                (string path, int before, SafeFileHandle? opened) = next;
                if (opened is not null)
                {
                    // All that was found through it has been visited.
                    opened.Dispose();
                    start = path;
                    continue;
                }

                if (native && path.Length - start.Length > MaxLength)
                {
                    opened = Folder.Open(path);
                    pending.Push((start, 0, opened));
                    if (opened.IsInvalid)
                    {
                        continue;
                    }

                    start = path = new NativeFolder(opened, owns: false).PathOf("");
                }

                foreach (Entry entry in (IEnumerable<Entry>?)TryRead(path, FileAttributes.ReparsePoint, before + 1) ?? [])
                {
                    if (entry.IsFolder)
                    {
                        if (before < 0 && entry.Name == except)
                        {
                            continue;
                        }

                        pending.Push((entry.Path, entry.NameBytes, null));
                    }

                    yield return entry;
                }
            }
        }
        finally
        {
            foreach ((_, _, SafeFileHandle? opened) in pending)
            {
                opened?.Dispose();
            }
        }
    }

    /// <summary>
    /// Deletes a folder with everything in it; links are deleted, never followed. Entries that others add meanwhile are deleted, too.
    /// </summary>
    /// <param name="top">The folder.</param>
    /// <param name="native">Whether Linux may report the deleted entries.</param>
    /// <param name="deleted">Receives the <see cref="Entry.CountedBytes"/> of each file that was deleted.</param>
    /// <exception cref="IOException">Something could not be deleted; everything else is.</exception>
    public static void Delete(string top, bool native, Action<long> deleted)
    {
        // Also after a round that deleted nothing: a writer may have added to a folder between the look into it and its turn to be deleted.
        const int MaxIdleRounds = 2;
        Exception? failure;
        int idleRounds = 0;
        do
        {
            failure = null;
            idleRounds++;
            var pending = new Stack<(string Path, bool IsEmptied)>();
            pending.Push((top, false));
            while (pending.TryPop(out (string Path, bool IsEmptied) next))
            {
                if (next.IsEmptied)
                {
                    Try(() => Directory.Delete(next.Path));
                    continue;
                }

                string path = next.Path.Length - top.Length > MaxLength ? MoveUp(next.Path, top) : next.Path;
                pending.Push((path, true));
                foreach (Entry entry in (IEnumerable<Entry>?)TryRead(path, FileAttributes.None, nameBytes: 0) ?? [])
                {
                    if (entry.IsFolder && !entry.IsLink)
                    {
                        pending.Push((entry.Path, false));
                    }
                    else
                    {
                        Try(() => Remove(entry, native, deleted));
                    }
                }
            }
        }
        while (failure is not null && idleRounds < MaxIdleRounds && Directory.Exists(top));

        if (failure is not null && Directory.Exists(top))
        {
            throw failure as IOException ?? new IOException(failure.Message, failure);
        }

        void Try(Action delete)
        {
            try
            {
                delete();
                idleRounds = 0;
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                failure ??= exception;
            }
        }
    }

    private static void Remove(in Entry entry, bool native, Action<long> deleted)
    {
        long bytes = entry.CountedBytes;
        if (native)
        {
            switch (Folder.Remove(entry.Path))
            {
                case 0:
                    break;
                case Errno.NoEntry:
                    // Another process has deleted it.
                    return;
                case var error:
                    throw SystemError.Exception(error);
            }
        }
        else if (entry.IsFolder && OperatingSystem.IsWindows())
        {
            // There, a link to a folder is one.
            Directory.Delete(entry.Path);
        }
        else
        {
            File.Delete(entry.Path);
        }

        deleted(bytes);
    }

    /// <summary>Bytes of a file; 0 if it is gone.</summary>
    public static long LengthOf(string file)
    {
        try
        {
            return new FileInfo(file).Length;
        }
        catch (IOException)
        {
            return 0;
        }
    }

    /// <summary>Gives a folder a short path, so that its entries can be reached.</summary>
    /// <returns>Where it is now.</returns>
    private static string MoveUp(string path, string top)
    {
        string to = Path.Combine(top, StagedName.Next());
        try
        {
            Directory.Move(path, to);
            return to;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Some file systems rename no folders; perhaps the path is still short enough.
            return path;
        }
    }

    /// <summary>The readable entries of one folder.</summary>
    /// <returns>Null if it was removed meanwhile, or if its path is too long.</returns>
    private static FileSystemEnumerable<Entry>? TryRead(string folder, FileAttributes except, int nameBytes)
    {
        try
        {
            return new FileSystemEnumerable<Entry>(
                folder,
                (ref FileSystemEntry entry) => new Entry(
                    Path.Join(entry.Directory, entry.FileName),
                    entry.FileName.ToString(),
                    nameBytes + Encoding.UTF8.GetByteCount(entry.FileName),
                    entry.IsDirectory,
                    except == FileAttributes.None && entry.Attributes.HasFlag(FileAttributes.ReparsePoint)),
                new EnumerationOptions { AttributesToSkip = except, IgnoreInaccessible = true });
        }
        catch (Exception exception) when (exception is DirectoryNotFoundException or PathTooLongException)
        {
            return null;
        }
    }

    /// <summary>A file, a folder or a link.</summary>
    /// <param name="Path">Valid until the next one.</param>
    /// <param name="Name">The last part of the path.</param>
    /// <param name="NameBytes">Bytes of the whole name below the top.</param>
    /// <param name="IsFolder">Whether it is a folder, or a link to one.</param>
    /// <param name="IsLink">Whether it is a link.</param>
    internal readonly record struct Entry(string Path, string Name, int NameBytes, bool IsFolder, bool IsLink)
    {
        /// <summary>Bytes that count for the store: those of files that clients can see.</summary>
        public long CountedBytes => IsFolder || IsLink || !TransferName.TryParse(Name, out _) ? 0 : LengthOf(Path);
    }
}
