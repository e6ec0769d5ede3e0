using Millrace.Interop;

namespace Millrace.Cli;

/// <summary>Lists everything to copy before anything is copied.</summary>
internal static class CopyPlan
{
    /// <summary>Finds everything that is to be copied, folders before their entries.</summary>
    public static List<CopyItem> Make(IReadOnlyList<string> sources, string into, bool recursive)
    {
        bool isFolder = Directory.Exists(into);
        if (!isFolder && sources.Count > 1)
        {
            throw new CopyPlanException(
                $"'{into}' is not a folder, and several files cannot become one. Create the folder first.");
        }

        if (!isFolder && Path.EndsInDirectorySeparator(into) && !recursive)
        {
            throw new CopyPlanException($"The destination folder '{into}' does not exist. Create it first.");
        }

        var items = new List<CopyItem>();
        var names = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (string source in sources)
        {
            string destination = isFolder ? Path.Combine(into, NameOf(source)) : into;
            if (!names.TryAdd(destination, source))
            {
                throw new CopyPlanException(
                    $"'{names[destination]}' and '{source}' would both become '{destination}'. Copy one of them to another folder.");
            }

            Add(items, source, destination, recursive);
        }

        return items;
    }

    private static void Add(List<CopyItem> items, string source, string destination, bool recursive)
    {
        if (!Directory.Exists(source))
        {
            if (!File.Exists(source))
            {
                throw new CopyPlanException($"There is no file '{source}'.");
            }

            items.Add(new CopyItem(source, destination, CopyItemKind.File, LengthOf(source)));
            return;
        }

        if (!recursive)
        {
            throw new CopyPlanException($"'{source}' is a folder. Use --recursive to copy it with its contents.");
        }

        string from = Resolve(source);
        string to = Resolve(destination);
        if (to.Equals(from, StringComparison.Ordinal)
            || to.StartsWith(from + Path.DirectorySeparatorChar, StringComparison.Ordinal))
        {
            throw new CopyPlanException($"'{source}' cannot be copied into itself, to '{destination}'. Choose a folder outside of it.");
        }

        AddFolder(items, source, destination);
    }

    private static void AddFolder(List<CopyItem> items, string source, string destination)
    {
        items.Add(new CopyItem(source, destination, CopyItemKind.Folder, 0));
        foreach (FileSystemInfo entry in new DirectoryInfo(source).EnumerateFileSystemInfos().OrderBy(entry => entry.Name, StringComparer.Ordinal))
        {
            string from = Path.Combine(source, entry.Name);
            string to = Path.Combine(destination, entry.Name);
            if (entry.LinkTarget is not null)
            {
                items.Add(new CopyItem(from, to, CopyItemKind.Link, 0));
            }
            else if (entry is DirectoryInfo)
            {
                AddFolder(items, from, to);
            }
            else
            {
                CopyItemKind kind = SpecialFile.Is(from) ? CopyItemKind.Special : CopyItemKind.File;
                items.Add(new CopyItem(from, to, kind, kind == CopyItemKind.File ? LengthOf(from) : 0));
            }
        }
    }

    private static string NameOf(string path)
    {
        string name = Path.GetFileName(Path.TrimEndingDirectorySeparator(path));
        return name is "" or "." or ".." ? Path.GetFileName(Path.TrimEndingDirectorySeparator(Path.GetFullPath(path))) : name;
    }

    private static string Resolve(string path)
    {
        string full = Path.TrimEndingDirectorySeparator(Path.GetFullPath(path));
        return Directory.Exists(full)
            ? Directory.ResolveLinkTarget(full, returnFinalTarget: true)?.FullName ?? full
            : full;
    }

    private static long LengthOf(string path)
    {
        try
        {
            return new FileInfo(path).Length;
        }
        catch (IOException)
        {
            // Gone, or not for us: copying it reports why.
            return 0;
        }
    }
}

/// <summary>One thing to do.</summary>
internal sealed record CopyItem(string Source, string Destination, CopyItemKind Kind, long Bytes);

/// <summary>The kind of a <see cref="CopyItem"/>.</summary>
internal enum CopyItemKind
{
    File,

    Folder,

    Link,

    Special,
}

/// <summary>Why nothing was copied, for a person.</summary>
internal sealed class CopyPlanException(string message) : Exception(message);
