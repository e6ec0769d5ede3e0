namespace Millrace.Samples.Tests;

/// <summary>Files of one test.</summary>
internal sealed class SampleFolder : IDisposable
{
    public SampleFolder() => Root = Directory.CreateTempSubdirectory("millrace-samples-").FullName;

    public string Root { get; }

    /// <summary>The path of a name in it.</summary>
    public string this[string name] => Path.Combine(Root, name);

    /// <summary>Makes a file.</summary>
    public string Write(string name, string text)
    {
        File.WriteAllText(this[name], text);
        return this[name];
    }

    public void Dispose() => Directory.Delete(Root, recursive: true);
}
