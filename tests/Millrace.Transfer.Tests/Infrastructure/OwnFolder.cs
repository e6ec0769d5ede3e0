namespace Millrace.Transfer.Tests.Infrastructure;

/// <summary>A folder for one test.</summary>
internal sealed class OwnFolder : IDisposable
{
    public string Root { get; } = Directory.CreateTempSubdirectory("millrace-test-").FullName;

    public string this[string name] => Path.Combine(Root, name);

    public string Write(string name, byte[] content)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(this[name])!);
        File.WriteAllBytes(this[name], content);
        return this[name];
    }

    /// <summary>Everything in it, hidden files too.</summary>
    public IReadOnlyList<string> Everything() =>
        [.. Directory.EnumerateFiles(Root, "*", SearchOption.AllDirectories)
            .Select(path => Path.GetRelativePath(Root, path)).Order(StringComparer.Ordinal)];

    public void Dispose() => Directory.Delete(Root, recursive: true);
}
