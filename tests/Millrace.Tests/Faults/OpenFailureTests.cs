namespace Millrace.Tests.Faults;

/// <summary>Names that cannot be opened: one exception that says what, and which file.</summary>
public sealed class OpenFailureTests
{
    [Theory, EveryStrategy]
    public void A_missing_file(ReadStrategy strategy, bool portable) => AssertFails(
        Path.Combine(TestFolder.Root, "no such file"), strategy, portable, FilePipeError.NotFound);

    [Theory, EveryStrategy]
    public void A_missing_folder(ReadStrategy strategy, bool portable) => AssertFails(
        Path.Combine(TestFolder.Root, "no such folder", "file"), strategy, portable, FilePipeError.NotFound);

    [Theory, EveryStrategy]
    public void A_link_that_leads_nowhere(ReadStrategy strategy, bool portable)
    {
        string link = TestFolder.NewPath();
        File.CreateSymbolicLink(link, Path.Combine(TestFolder.Root, "no such file"));

        AssertFails(link, strategy, portable, FilePipeError.NotFound);
    }

    [Theory, EveryStrategy]
    public void A_file_taken_for_a_folder(ReadStrategy strategy, bool portable) => AssertFails(
        Path.Combine(TestFolder.SharedFile(100), "file"), strategy, portable, FilePipeError.NotFound);

    [Theory, EveryStrategy]
    public void A_folder(ReadStrategy strategy, bool portable) =>
        AssertFails(TestFolder.Root, strategy, portable, FilePipeError.IsDirectory);

    [Theory, EveryStrategy]
    public void A_name_that_is_too_long(ReadStrategy strategy, bool portable) => AssertFails(
        Path.Combine(TestFolder.Root, new string('x', 300)), strategy, portable, FilePipeError.Failed);

    [Theory, EveryStrategy]
    public void Links_that_go_round_in_circles(ReadStrategy strategy, bool portable)
    {
        string link = TestFolder.NewPath();
        File.CreateSymbolicLink(link, link);

        AssertFails(link, strategy, portable, FilePipeError.Failed);
    }

    [Fact]
    public void No_name() => Assert.Throws<ArgumentNullException>(() => FilePipe.OpenRead((string)null!));

    [Theory]
    [InlineData("")]
    [InlineData("a\0b")]
    public void A_name_that_can_be_no_file_s(string path) =>
        Assert.Throws<ArgumentException>(() => FilePipe.OpenRead(path));

    [Theory, EveryStrategy]
    public void A_failed_open_leaves_no_descriptor(ReadStrategy strategy, bool portable)
    {
        // Opened, and only then refused.
        using var fifo = new Fifo();

        Assert.Throws<NotSupportedException>(() => FilePipe.OpenRead(
            fifo.Path, new FileReadOptions { Strategy = strategy, Portable = portable, Offset = 1 }));

        Assert.Equal(1, Linux.OpenDescriptors(fifo.Path));
    }

    private static void AssertFails(string path, ReadStrategy strategy, bool portable, FilePipeError error)
    {
        FilePipeException exception = Assert.Throws<FilePipeException>(
            () => FilePipe.OpenRead(path, new FileReadOptions { Strategy = strategy, Portable = portable }));

        Assert.Equal(error, exception.Error);
        Assert.Equal(path, exception.Path);
        Assert.Equal(0, exception.Offset);
        Assert.Contains(path, exception.Message, StringComparison.Ordinal);
        Assert.NotNull(exception.InnerException);
        Assert.Equal(exception.InnerException.HResult, exception.HResult);
    }
}
