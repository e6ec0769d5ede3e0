namespace Millrace.Testing;

/// <summary>Tests that each have a folder of their own.</summary>
public abstract class FolderTests : IDisposable
{
    protected TemporaryFolder Folder { get; } = new();

    public virtual void Dispose()
    {
        Folder.Dispose();
        GC.SuppressFinalize(this);
    }
}
