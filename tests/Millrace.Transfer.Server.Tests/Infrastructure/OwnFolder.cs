namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>A folder that only one test writes to; gone after it.</summary>
internal sealed class OwnFolder : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("millrace-store-").FullName;

    /// <summary>Names in it, sorted; the store's own folder is left out.</summary>
    public string[] Names =>
    [
        .. Directory.GetFileSystemEntries(Path)
            .Select(path => System.IO.Path.GetFileName(path))
            .Where(name => name != TransferName.HiddenFolder)
            .Order(StringComparer.Ordinal),
    ];

    public string this[string name] => System.IO.Path.Combine(Path, name);

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
