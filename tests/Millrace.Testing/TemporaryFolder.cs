namespace Millrace.Testing;

/// <summary>A folder for one test. It lies beside the tests, on a disk: the system's temporary folder may be in memory.</summary>
public sealed class TemporaryFolder : IDisposable
{
    public TemporaryFolder() => Directory.CreateDirectory(Path);

    public string Path { get; } = System.IO.Path.Combine(AppContext.BaseDirectory, "tmp", Guid.NewGuid().ToString("N"));

    /// <summary>Names of files and folders in it, sorted.</summary>
    public string[] Names => [.. Directory.GetFileSystemEntries(Path).Select(System.IO.Path.GetFileName).Order(StringComparer.Ordinal)!];

    /// <summary>Files in it and below it, relative and sorted, hidden files too.</summary>
    public IReadOnlyList<string> Files =>
        [.. Directory.EnumerateFiles(Path, "*", SearchOption.AllDirectories)
            .Select(path => System.IO.Path.GetRelativePath(Path, path)).Order(StringComparer.Ordinal)];

    public string this[string name] => System.IO.Path.Combine(Path, name);

    /// <returns>The path of the new file.</returns>
    public string Write(string name, byte[] content)
    {
        Directory.CreateDirectory(System.IO.Path.GetDirectoryName(this[name])!);
        File.WriteAllBytes(this[name], content);
        return this[name];
    }

    /// <inheritdoc cref="Write(string, byte[])"/>
    public string Write(string name, string text) => Write(name, System.Text.Encoding.UTF8.GetBytes(text));

    /// <summary>Waits until it is empty: a write that is in progress when its writer ends removes its file later.</summary>
    public Task EmptyAsync() => HoldsOnlyAsync();

    /// <summary>Waits until it holds exactly these names.</summary>
    public async Task HoldsOnlyAsync(params string[] names)
    {
        for (long end = Environment.TickCount64 + (long)Bounded.Patience.TotalMilliseconds;
            !Names.SequenceEqual(names) && Environment.TickCount64 < end;)
        {
            await Task.Delay(5);
        }

        Assert.Equal(names, Names);
    }

    public void Dispose()
    {
        if (!Directory.Exists(Path))
        {
            return;
        }

        if (OperatingSystem.IsWindows())
        {
            // It deletes neither read-only files nor open ones: a read that is in progress when its reader ends closes its file later.
            foreach (string file in Directory.EnumerateFiles(Path, "*", SearchOption.AllDirectories))
            {
                File.SetAttributes(file, FileAttributes.Normal);
            }

            SpinWait.SpinUntil(() => Directory.EnumerateFiles(Path, "*", SearchOption.AllDirectories).All(TryDelete), Bounded.Patience);
        }

        Directory.Delete(Path, recursive: true);
    }

    private static bool TryDelete(string file)
    {
        try
        {
            File.Delete(file);
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }
}
