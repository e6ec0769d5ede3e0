namespace Millrace.Tests.Copying;

/// <summary>A copy has the bytes of its source, whichever way they went.</summary>
public sealed class CopyContentTests
{
    private const int Block = 256 * 1024;

    public static TheoryData<string, string> Ways => CopyFiles.Ways;

    [Theory, MemberData(nameof(Ways))]
    public async Task A_copy_has_every_byte_and_names_its_method(string ways, string method)
    {
        using var folder = new TemporaryFolder();
        foreach (int length in new[] { 1, Block - 1, Block, Block + 1, 3_000_001, TestContent.MaxLength })
        {
            string source = TestFolder.SharedFile(length);

            CopyResult copy = await CopyFiles.CopyAsync(source, folder["copy"], CopyFiles.Options, ways).Soon();

            Assert.Equal(new CopyResult(length, length, method, ReadOnlyMemory<byte>.Empty), copy with { Sha256 = default });
            CopyFiles.AssertSame(source, folder["copy"]);
            Assert.Equal(["copy"], folder.Names);
        }
    }

    [Theory, MemberData(nameof(Ways))]
    public async Task A_file_longer_than_a_slice_is_copied_whole(string ways, string method)
    {
        using var folder = new TemporaryFolder();
        await using (FileStream source = File.Create(folder["source"]))
        {
            for (int i = 0; i < 3; i++)
            {
                await source.WriteAsync(TestContent.Of(TestContent.MaxLength - i));
            }
        }

        CopyResult copy = await CopyFiles.CopyAsync(folder["source"], folder["copy"], CopyFiles.Options, ways).Soon();

        Assert.Equal(method, copy.Method);
        CopyFiles.AssertSame(folder["source"], folder["copy"]);
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task An_empty_file_has_an_empty_copy(bool portable)
    {
        using var folder = new TemporaryFolder();

        CopyResult copy = await FilePipe
            .CopyAsync(TestFolder.SharedFile(0), folder["copy"], new FileCopyOptions { Portable = portable })
            .Soon();

        Assert.Equal(0, copy.Length);
        Assert.Equal(0, new FileInfo(folder["copy"]).Length);
    }

    [Fact]
    public async Task A_portable_copy_has_every_byte()
    {
        using var folder = new TemporaryFolder();
        string source = TestFolder.SharedFile(3_000_001);

        CopyResult copy = await FilePipe
            .CopyAsync(source, folder["copy"], CopyFiles.Options with { Portable = true })
            .Soon();

        Assert.Equal("read and write", copy.Method);
        CopyFiles.AssertSame(source, folder["copy"]);
    }

    [Fact]
    public async Task A_fifo_is_copied_to_its_end()
    {
        using var folder = new TemporaryFolder();
        var fifo = new Fifo();
        ValueTask<CopyResult> copying = FilePipe.CopyAsync(fifo.Path, folder["copy"], CopyFiles.Options);
        for (int i = 0; i < 10; i++)
        {
            fifo.Write(TestContent.Between(i * 10_000, (i + 1) * 10_000).Span);
        }

        // The copy has the FIFO open when it has taken more than a FIFO holds, 64 KiB.
        fifo.Dispose();

        CopyResult copy = await copying.Soon();
        Assert.Equal(100_000, copy.Length);
        Assert.Equal(TestContent.Of(100_000).ToArray(), await File.ReadAllBytesAsync(folder["copy"]));
    }

    [Fact]
    public async Task A_file_of_proc_is_copied_to_its_end_although_its_size_is_0()
    {
        using var folder = new TemporaryFolder();

        CopyResult copy = await FilePipe.CopyAsync("/proc/version", folder["copy"], new FileCopyOptions { Verify = true }).Soon();

        Assert.Equal(await File.ReadAllTextAsync("/proc/version"), await File.ReadAllTextAsync(folder["copy"]));
        Assert.Equal(new FileInfo(folder["copy"]).Length, copy.Length);
        Assert.Equal(32, copy.Sha256.Length);
    }

    [Fact]
    public async Task A_file_that_overstates_its_length_is_copied_to_its_end()
    {
        // One page, say the files of /sys of themselves.
        const string Source = "/sys/kernel/mm/transparent_hugepage/enabled";
        using var folder = new TemporaryFolder();

        CopyResult copy = await FilePipe.CopyAsync(Source, folder["copy"], CopyFiles.Options).Soon();

        string content = await File.ReadAllTextAsync(Source);
        Assert.Equal(content, await File.ReadAllTextAsync(folder["copy"]));
        Assert.Equal(content.Length, copy.Length);
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task A_copy_goes_from_one_device_to_another(bool back)
    {
        using var folder = new TemporaryFolder();
        string memory = $"/dev/shm/millrace-tests-{Environment.ProcessId}-{Path.GetFileName(TestFolder.NewPath())}";
        string source = back ? memory : folder["file"];
        string destination = back ? folder["file"] : memory;
        await File.WriteAllBytesAsync(source, TestContent.Of(3_000_001).ToArray());
        try
        {
            CopyResult copy = await FilePipe.CopyAsync(source, destination, CopyFiles.Options).Soon();

            Assert.Equal(3_000_001, copy.Length);
            CopyFiles.AssertSame(source, destination);
        }
        finally
        {
            File.Delete(memory);
        }
    }

    [Fact]
    public async Task A_file_that_grows_meanwhile_is_copied_as_long_as_it_was()
    {
        const int Length = 2 * TestContent.MaxLength;
        using var folder = new TemporaryFolder();
        await File.WriteAllBytesAsync(folder["source"], [.. TestContent.Of(Length / 2).Span, .. TestContent.Of(Length / 2).Span]);
        var progress = new DoAt(value =>
        {
            if (value.CopiedBytes < Length)
            {
                using FileStream end = new(folder["source"], FileMode.Append, FileAccess.Write, FileShare.ReadWrite);
                end.Write(TestContent.Of(100).Span);
            }
        });

        CopyResult copy = await FilePipe.CopyAsync(folder["source"], folder["copy"], CopyFiles.Options, progress).Soon();

        Assert.Equal(Length, copy.Length);
        Assert.Equal(Length, new FileInfo(folder["copy"]).Length);
        Assert.True(new FileInfo(folder["source"]).Length > Length);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Synchronous_copy_is_the_same(bool portable)
    {
        using var folder = new TemporaryFolder();
        string source = TestFolder.SharedFile(3_000_001);
        CopyResult copy = FilePipe.Copy(source, folder["copy"], CopyFiles.Options with { Portable = portable, Verify = true });
        Assert.Equal(3_000_001, copy.Length);
        CopyFiles.AssertSame(source, folder["copy"]);
        Assert.Equal(["copy"], folder.Names);
        Assert.Throws<FilePipeException>(() => FilePipe.Copy(source, folder["copy"], new FileCopyOptions { CreateNew = true }));
        Assert.Throws<OperationCanceledException>(
            () => FilePipe.Copy(source, folder["other"], default, null, new CancellationToken(canceled: true)));
        Assert.Equal(["copy"], folder.Names);
    }
}
