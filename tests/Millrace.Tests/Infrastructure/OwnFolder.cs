namespace Millrace.Tests.Infrastructure;

/// <summary>A folder that only one test writes to, so that what is left behind can be seen.</summary>
internal sealed class OwnFolder : IDisposable
{
    public OwnFolder() => Directory.CreateDirectory(Path);

    public string Path { get; } = TestFolder.NewPath(".folder");

    /// <summary>Names in it, sorted.</summary>
    public string[] Names => [.. Directory.GetFileSystemEntries(Path).Select(System.IO.Path.GetFileName).Order(StringComparer.Ordinal)!];

    public string this[string name] => System.IO.Path.Combine(Path, name);

    public void Dispose()
    {
        if (Directory.Exists(Path))
        {
            Directory.Delete(Path, recursive: true);
        }
    }
}
