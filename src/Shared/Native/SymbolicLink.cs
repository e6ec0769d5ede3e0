using System.Runtime.InteropServices;
using System.Text;

namespace Millrace.Interop;

/// <summary>
/// Symbolic links that are moved as links: only those that stay in the folder that they are moved with.
/// https://man7.org/linux/man-pages/man2/rename.2.html
/// </summary>
internal static partial class SymbolicLink
{
    /// <summary>Bytes of a target in UTF-8 at most: PATH_MAX of Linux without its zero.</summary>
    public const int MaxBytes = 4095;

    /// <summary>How often a link is made again that another process has cleaned up before it got its name.</summary>
    private const int MaxTries = 100;

    /// <summary>The target of a link, with slashes; null if there is no link of this name.</summary>
    public static string? Read(string path)
    {
        string? target = new FileInfo(path).LinkTarget;
        return OperatingSystem.IsWindows() ? target?.Replace('\\', '/') : target;
    }

    /// <summary>Whether a link leads to something in the folder that it is moved with, or to that folder, and nothing there to Millrace's own files.</summary>
    /// <param name="depth">How many folders of that folder the link is in. They have to be folders, not links.</param>
    /// <param name="target">The target.</param>
    /// <remarks>
    /// After a name, <c>..</c> is the folder above what that name leads to, if it is a link: it is only accepted at the beginning, where it is
    /// the folder above the link's own. All other links were checked in the same way, so that a path through them stays inside, too.
    /// </remarks>
    public static bool StaysInside(int depth, string target)
    {
        if (target.Length == 0 || target.StartsWith('/') || target.AsSpan().ContainsAny('\0', '\uFFFD') || Encoding.UTF8.GetByteCount(target) > MaxBytes
            || (OperatingSystem.IsWindows() && target.AsSpan().ContainsAny('\\', ':')))
        {
            return false;
        }

        bool descends = false;
        foreach (Range range in target.AsSpan().Split('/'))
        {
            ReadOnlySpan<char> part = target.AsSpan(range);
            if (part is "..")
            {
                if (descends || --depth < 0)
                {
                    return false;
                }
            }
            else if (part is not ("" or "."))
            {
                if (part.StartsWith(".millrace", StringComparison.OrdinalIgnoreCase))
                {
                    return false;
                }

                descends = true;
            }
        }

        return depth >= 0;
    }

    /// <summary>Makes a link.</summary>
    /// <param name="path">Its name; nothing on the way is checked.</param>
    /// <param name="target">The target, with slashes; it need not exist.</param>
    /// <param name="replace">Whether it takes the place of a file or a link, in one step (not on Windows); false if the name has to be free.</param>
    /// <exception cref="IOException">It was not made.</exception>
    public static void Create(string path, string target, bool replace)
    {
        if (!replace || OperatingSystem.IsWindows())
        {
            if (replace)
            {
                Delete(path);
            }

            Make(path, target);
            return;
        }

        for (int i = 1; ; i++)
        {
            string next = StagedName.NextBeside(path);
            Make(next, target);
            if (Rename(next, path) == 0)
            {
                return;
            }

            int error = Marshal.GetLastPInvokeError();
            if (Read(next) is not null || i == MaxTries)
            {
                File.Delete(next);
                throw new IOException(Marshal.GetPInvokeErrorMessage(error), error);
            }
        }
    }

    /// <summary>Deletes a link, or a file.</summary>
    public static void Delete(string path)
    {
        if (OperatingSystem.IsWindows() && File.GetAttributes(path).HasFlag(FileAttributes.Directory))
        {
            Directory.Delete(path);
            return;
        }

        File.Delete(path);
    }

    /// <remarks>Windows has links to files and links to folders; others have one kind.</remarks>
    private static void Make(string path, string target)
    {
        if (!OperatingSystem.IsWindows())
        {
            File.CreateSymbolicLink(path, target);
            return;
        }

        string own = target.Replace('/', '\\');
        if (Directory.Exists(Path.Combine(Path.GetDirectoryName(path)!, own)))
        {
            Directory.CreateSymbolicLink(path, own);
        }
        else
        {
            File.CreateSymbolicLink(path, own);
        }
    }

    /// <remarks>The framework's own moves follow links to folders, or refuse them.</remarks>
    [LibraryImport("libc", EntryPoint = "rename", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Rename(string from, string to);
}
