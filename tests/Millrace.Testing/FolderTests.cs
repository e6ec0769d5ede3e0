namespace Millrace.Testing;

/// <summary>Tests that each have their own folder.</summary>
public abstract class FolderTests : IDisposable
{
    protected TemporaryFolder Folder { get; } = new();

    public virtual void Dispose()
    {
        Folder.Dispose();
        GC.SuppressFinalize(this);
    }
}
