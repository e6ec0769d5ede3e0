namespace Millrace.Transfer.Server;

/// <summary>A folder by its path: what the framework alone can do.</summary>
internal sealed class PortableFolder(string path) : StoreFolder
{
    public override string PathOf(string name) => Path.Combine(path, name);

    public override bool TryLook(string name, out FileFacts facts, out bool isFolder, out bool isLink)
    {
        var file = new FileInfo(PathOf(name));
        isLink = file.LinkTarget is not null;
        isFolder = !isLink && Directory.Exists(file.FullName);
        facts = file.Exists ? PortableTree.FactsOf(file) : default;
        return isLink || isFolder || file.Exists;
    }

    public override void Flush()
    {
        // The framework opens no folders.
    }
}
