namespace Millrace.Tests.Faults;

/// <summary>Names that cannot be opened: one exception that names the file and the reason.</summary>
public sealed class OpenFailureTests
{
    [Theory, EveryValue]
    public void Names_without_a_file_are_rejected(ReadStrategy strategy, bool portable)
    {
        AssertFails(Path.Combine(TestFolder.Root, "no such file"), strategy, portable, FilePipeError.NotFound);
        AssertFails(Path.Combine(TestFolder.Root, "no such folder", "file"), strategy, portable, FilePipeError.NotFound);
        AssertFails(Path.Combine(TestFolder.SharedFile(100), "file"), strategy, portable, FilePipeError.NotFound);
        AssertFails(TestFolder.Root, strategy, portable, FilePipeError.IsDirectory);
        AssertFails(Path.Combine(TestFolder.Root, new string('x', 300)), strategy, portable, OperatingSystem.IsWindows() ? FilePipeError.NotFound : FilePipeError.Failed);
    }

    [NeedsTheory(Need.Links), EveryValue]
    public void Dangling_and_circular_links_are_rejected(ReadStrategy strategy, bool portable)
    {
        string dangling = TestFolder.NewPath();
        File.CreateSymbolicLink(dangling, dangling + ".none");
        string circular = TestFolder.NewPath();
        File.CreateSymbolicLink(circular, circular);

        AssertFails(dangling, strategy, portable, FilePipeError.NotFound);
        AssertFails(circular, strategy, portable, FilePipeError.Failed);
    }

    [Fact]
    public void Empty_name_is_rejected() => Assert.Throws<ArgumentNullException>(() => FilePipe.OpenRead((string)null!));

    [Theory]
    [InlineData("")]
    [InlineData("a\0b")]
    public void Impossible_name_is_rejected(string path) =>
        Assert.Throws<ArgumentException>(() => FilePipe.OpenRead(path));

    [NeedsTheory(Need.Linux), EveryValue]
    public void A_failed_open_leaves_no_descriptor(ReadStrategy strategy, bool portable)
    {
        // Opened, and only then refused.
        using var fifo = new Fifo();

        Assert.Throws<NotSupportedException>(() => TestReader.Open(fifo.Path, strategy, portable, new FileReadOptions { Offset = 1 }));

        Assert.Equal(1, Linux.OpenDescriptors(fifo.Path));
    }

    private static void AssertFails(string path, ReadStrategy strategy, bool portable, FilePipeError error)
    {
        FilePipeException exception = Assert.Throws<FilePipeException>(
            () => TestReader.Open(path, strategy, portable));

        Assert.Equal(error, exception.Error);
        Assert.Equal(path, exception.Path);
        Assert.Equal(0, exception.Offset);
        Assert.Contains(path, exception.Message, StringComparison.Ordinal);
        Assert.NotNull(exception.InnerException);
        Assert.Equal(exception.InnerException.HResult, exception.HResult);
    }
}
