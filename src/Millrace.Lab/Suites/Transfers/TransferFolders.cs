namespace Millrace.Lab.Suites.Transfers;

/// <summary>The folders that files are moved between, both on the disk of the laboratory's data.</summary>
internal static class TransferFolders
{
    /// <summary>What every method calls the file that it uploads.</summary>
    public const string UploadedName = "uploaded.bin";
    private const string Name = "millrace-transfers";
    private const string DownloadedName = "downloaded.bin";

    public static string In(string data) => Path.Combine(data, Name);

    /// <summary>The folder that the server serves and that receives uploads; it contains the measured files.</summary>
    public static string Server(string folder) => Path.Combine(folder, "server");

    public static string Uploaded(string folder) => Path.Combine(Server(folder), UploadedName);

    /// <summary>The folder of one of Millrace's stores, which lets no other store share it.</summary>
    public static string Store(string folder, StoreKind kind, int server) =>
        Path.Combine(Stores(folder), FormattableString.Invariant($"{kind.Name}-{server}"));

    public static string Downloaded(string folder) => Path.Combine(folder, "client", DownloadedName);

    public static void Make(string folder)
    {
        Directory.CreateDirectory(Server(folder));
        Directory.CreateDirectory(Stores(folder));
        Directory.CreateDirectory(Path.GetDirectoryName(Downloaded(folder))!);
    }

    /// <summary>Gives a server's folder the measured files.</summary>
    public static string Furnish(string folder, string store) => Link(Server(folder), store);

    /// <summary>
    /// Gives a folder the files of another one under a second name: the same pages of the cache, whose state is checked
    /// before every invocation.
    /// </summary>
    public static string Link(string files, string store)
    {
        Directory.CreateDirectory(store);
        foreach (string file in Directory.EnumerateFiles(files))
        {
            string second = Path.Combine(store, Path.GetFileName(file));
            File.Delete(second);
            if (!OperatingSystem.IsLinux() || LinuxFile.Link(file, second) != 0)
            {
                File.Copy(file, second);
            }
        }

        return store;
    }

    /// <summary>Removes the transferred file, and the leftovers of a failed method.</summary>
    /// <remarks>
    /// The kernel forgets unwritten bytes of a removed file, so that nothing is written to the device
    /// while the next case is measured.
    /// </remarks>
    public static void Clear(string folder)
    {
        File.Delete(Uploaded(folder));
        File.Delete(Uploaded(folder) + PlainCopy.TemporarySuffix);
        foreach (string store in Directory.EnumerateDirectories(Stores(folder)))
        {
            File.Delete(Path.Combine(store, UploadedName));
        }

        foreach (string file in Directory.EnumerateFiles(Path.GetDirectoryName(Downloaded(folder))!))
        {
            File.Delete(file);
        }
    }

    private static string Stores(string folder) => Path.Combine(folder, "stores");
}
