namespace Millrace.Tests.Infrastructure;

/// <summary>A folder that only one test writes to, so that what is left behind can be seen.</summary>
internal sealed class OwnFolder : IDisposable
{
    public OwnFolder() => Directory.CreateDirectory(Path);

    public string Path { get; } = TestFolder.NewPath(".folder");

    /// <summary>Names in it, sorted.</summary>
    public string[] Names => [.. Directory.GetFileSystemEntries(Path).Select(System.IO.Path.GetFileName).Order(StringComparer.Ordinal)!];

    public string this[string name] => System.IO.Path.Combine(Path, name);

    /// <summary>Waits until nothing is left in it: a write that is under way when its writer ends removes the file after it.</summary>
    public Task EmptyAsync() => HoldsOnlyAsync();

    /// <summary>The same for exactly these names.</summary>
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
        if (Directory.Exists(Path))
        {
            Directory.Delete(Path, recursive: true);
        }
    }
}
