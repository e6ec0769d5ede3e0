namespace Millrace.Tests.Infrastructure;

/// <summary>
/// A FIFO in the test folder and its writing end. That end is open from the beginning, for reading too, which Linux
/// answers at once: no open waits.
/// </summary>
internal sealed class Fifo : IDisposable
{
    private readonly FileStream _writer;

    public Fifo()
    {
        Path = TestFolder.NewPath(".fifo");
        Linux.MakeFifo(Path);
        _writer = new FileStream(Path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, bufferSize: 0);
    }

    public string Path { get; }

    public void Write(ReadOnlySpan<byte> bytes) => _writer.Write(bytes);

    /// <summary>Closes the writing end: the reader sees the end.</summary>
    public void Dispose()
    {
        _writer.Dispose();
        File.Delete(Path);
    }
}
