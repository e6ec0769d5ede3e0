using System.IO.Enumeration;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Interop;

/// <summary>
/// Second folders of the same files, by hard links, and the exchange of two folders in one step.
/// https://man7.org/linux/man-pages/man2/link.2.html, rename.2.html (RENAME_EXCHANGE, Linux 3.15)
/// </summary>
/// <remarks>Without Linux's calls files are copied, and an exchange is three renames, between which a name is missing.</remarks>
internal static partial class FolderClone
{
    private const string Own = ".millrace";
    private const int VersionBytes = 12;
    private const int CurrentFolder = -100; // AT_FDCWD
    private const int ExchangeNames = 2; // RENAME_EXCHANGE
    private const int CloseOnExec = 0x80000; // O_CLOEXEC

    private static readonly ByProcessor OnlyFolder = new(0x10000, 0x4000); // O_DIRECTORY
    private static readonly ByProcessor NoFollow = new(0x20000, 0x8000); // O_NOFOLLOW

    /// <summary>The version of all that is in a folder: by names, inodes, lengths and dates. Nothing is read.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="native">Whether Linux's calls may be used.</param>
    /// <param name="bytes">The lengths of all files.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="IOException">It has something that cannot be cloned, or cannot be read.</exception>
    public static string VersionOf(string folder, bool native, out long bytes, CancellationToken cancellationToken)
    {
        using var walk = new Walk(native, isDurable: false, cancellationToken);
        walk.Visit(folder, clone: null, name: "");
        bytes = walk.Bytes;
        return walk.Finish();
    }

    /// <summary>Makes a second folder of the same files.</summary>
    /// <param name="folder">The folder. Millrace's own files in it are left out.</param>
    /// <param name="clone">Nothing has this name; after a failure something may.</param>
    /// <param name="native">Whether Linux's calls may be used.</param>
    /// <param name="isDurable">Whether it survives a power failure.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>The version of the folder that was cloned.</returns>
    /// <exception cref="IOException">It has something that cannot be cloned, or was refused.</exception>
    public static string Create(string folder, string clone, bool native, bool isDurable, CancellationToken cancellationToken)
    {
        using var walk = new Walk(native, isDurable, cancellationToken);
        walk.Visit(folder, clone, name: "");
        return walk.Finish();
    }

    /// <summary>Gives two folders each other's name: in one step where the system can.</summary>
    /// <exception cref="IOException">They keep their names.</exception>
    public static void Exchange(string one, string other, bool native)
    {
        if (native && NativeFeatures.HasCall("renameat2"))
        {
            int error = RenameAt2(SystemCallNumber.RenameAt2.Here, CurrentFolder, one, CurrentFolder, other, ExchangeNames) == 0
                ? 0 : Marshal.GetLastPInvokeError();
            if (error == 0)
            {
                return;
            }

            if (error is not (Errno.InvalidArgument or Errno.NoSystemCall))
            {
                throw SystemError.Exception(error);
            }
        }

        string aside = $"{other}.{RandomNumberGenerator.GetHexString(8, lowercase: true)}";
        Directory.Move(one, aside);
        try
        {
            Directory.Move(other, one);
        }
        catch
        {
            Directory.Move(aside, one);
            throw;
        }

        Directory.Move(aside, other);
    }

    [LibraryImport("libc", EntryPoint = "linkat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int LinkAt(nint fromFolder, string from, nint toFolder, string to, int flags);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial nint RenameAt2(nint number, nint fromFolder, string from, nint toFolder, string to, nint flags);

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int OpenCall(string path, int flags);

    private sealed class Walk(bool native, bool isDurable, CancellationToken cancellationToken) : IDisposable
    {
        private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);

        public long Bytes { get; private set; }

        public void Dispose() => _hash.Dispose();

        public string Finish() => Convert.ToHexStringLower(_hash.GetHashAndReset().AsSpan(0, VersionBytes));

        public void Visit(string folder, string? clone, string name)
        {
            // Through the open folder, which no program can exchange for a link meanwhile.
            using SafeFileHandle? opened = native ? Open(folder) : null;
            string path = PathOf(opened) ?? folder;
            if (clone is not null)
            {
                Directory.CreateDirectory(clone);
                if (!OperatingSystem.IsWindows())
                {
                    File.SetUnixFileMode(clone, File.GetUnixFileMode(path));
                }
            }

            using SafeFileHandle? created = native && clone is not null ? Open(clone) : null;
            string? target = PathOf(created) ?? clone;
            (string Name, bool IsFolder)[] entries =
            [
                .. new FileSystemEnumerable<(string Name, bool IsFolder)>(
                    path,
                    static (ref FileSystemEntry entry) =>
                        (entry.FileName.ToString(), entry.IsDirectory && !entry.Attributes.HasFlag(FileAttributes.ReparsePoint)),
                    new EnumerationOptions { AttributesToSkip = FileAttributes.None, IgnoreInaccessible = false }),
            ];
            Array.Sort(entries, static (one, other) => string.CompareOrdinal(one.Name, other.Name));
            foreach ((string entry, bool isFolder) in entries)
            {
                cancellationToken.ThrowIfCancellationRequested();
                string whole = name.Length == 0 ? entry : $"{name}/{entry}";
                if (entry == Own)
                {
                    throw new IOException($"'{whole}' is the folder of another store.");
                }

                // Files that are being written.
                if (entry.StartsWith(Own, StringComparison.Ordinal) || entry.EndsWith(".millrace-part", StringComparison.Ordinal)
                    || entry.EndsWith(".millrace-part.json", StringComparison.Ordinal))
                {
                    continue;
                }

                string inner = Path.Combine(path, entry);
                string? copy = target is null ? null : Path.Combine(target, entry);
                if (isFolder)
                {
                    Add($"{whole}/", 0, 0, 0, 0);
                    Visit(inner, copy, whole);
                }
                else
                {
                    VisitFile(inner, copy, whole);
                }
            }

            if (isDurable && created is not null)
            {
                int error = Folder.Flush(created);
                if (error != 0)
                {
                    throw SystemError.Exception(error);
                }
            }
        }

        private void VisitFile(string path, string? clone, string name)
        {
            bool isLink;
            if (native)
            {
                int error = StatX.TryGet(path, follow: false, out StatX status);
                if (error != 0)
                {
                    // With the replacement character of a name that is not UTF-8, or gone.
                    throw SystemError.Exception(error);
                }

                isLink = status.Format == StatX.Link;
                if (!isLink && status.Format != StatX.Regular)
                {
                    throw new IOException($"'{name}' is a FIFO, a socket or a device.");
                }

                Bytes += isLink ? 0 : (long)status.Size;
                Add(name, status.Inode, status.Size, status.ModifiedSeconds, status.ModifiedNanoseconds);
            }
            else
            {
                var file = new FileInfo(path);
                isLink = file.LinkTarget is not null;
                Bytes += isLink ? 0 : file.Length;
                Add(name, 0, (ulong)file.Length, file.LastWriteTimeUtc.Ticks, 0);
            }

            // A file system has most names of one file, and users may not link files of others.
            if (clone is null || (native && LinkAt(CurrentFolder, path, CurrentFolder, clone, 0) == 0))
            {
                return;
            }

            if (isLink)
            {
                File.CreateSymbolicLink(clone, new FileInfo(path).LinkTarget!);
            }
            else
            {
                File.Copy(path, clone);
            }
        }

        private void Add(string name, ulong inode, ulong length, long seconds, long rest)
        {
            // The zero ends the name.
            _hash.AppendData(Encoding.UTF8.GetBytes(name + '\0'));
            _hash.AppendData(MemoryMarshal.AsBytes([inode, length, (ulong)seconds, (ulong)rest]));
        }

        private static SafeFileHandle Open(string path)
        {
            var folder = new SafeFileHandle(OpenCall(path, OnlyFolder.Here | NoFollow.Here | CloseOnExec), ownsHandle: true);
            if (folder.IsInvalid)
            {
                int error = Marshal.GetLastPInvokeError();
                folder.Dispose();
                throw SystemError.Exception(error);
            }

            return folder;
        }

        private static string? PathOf(SafeFileHandle? folder) => folder is null ? null : $"/proc/self/fd/{(int)folder.DangerousGetHandle()}";
    }
}
