namespace Millrace.Tests.Copying;

/// <summary>A copy has the bytes of its source, whichever way they went.</summary>
public sealed class CopyContentTests : FolderTests
{
    private const int Block = 256 * 1024;

    public static TheoryData<string, string> Ways => CopyFiles.Ways;

    [Theory, MemberData(nameof(Ways))]
    public async Task A_copy_has_every_byte_and_names_its_method(string ways, string method)
    {
        foreach (int length in new[] { 1, Block - 1, Block, Block + 1, 3_000_001, TestContent.MaxLength })
        {
            string source = TestFolder.SharedFile(length);

            CopyResult copy = await CopyFiles.CopyAsync(source, Folder["copy"], CopyFiles.Options, ways).Soon();

            Assert.Equal(new CopyResult(length, length, method, ReadOnlyMemory<byte>.Empty), copy with { Sha256 = default });
            CopyFiles.AssertSame(source, Folder["copy"]);
            Assert.Equal(["copy"], Folder.Names);
        }
    }

    [Theory, MemberData(nameof(Ways))]
    public async Task A_file_longer_than_a_slice_is_copied_whole(string ways, string method)
    {
        await using (FileStream source = File.Create(Folder["source"]))
        {
            for (int i = 0; i < 3; i++)
            {
                await source.WriteAsync(TestContent.Of(TestContent.MaxLength - i));
            }
        }

        CopyResult copy = await CopyFiles.CopyAsync(Folder["source"], Folder["copy"], CopyFiles.Options, ways).Soon();

        Assert.Equal(method, copy.Method);
        CopyFiles.AssertSame(Folder["source"], Folder["copy"]);
    }

    [Theory, EveryValue]
    public async Task An_empty_file_has_an_empty_copy(bool portable)
    {
        CopyResult copy = await FilePipe
            .CopyAsync(TestFolder.SharedFile(0), Folder["copy"], new FileCopyOptions { Portable = portable })
            .Soon();

        Assert.Equal(0, copy.Length);
        Assert.Equal(0, new FileInfo(Folder["copy"]).Length);
    }

    [Fact]
    public async Task A_portable_copy_has_every_byte()
    {
        string source = TestFolder.SharedFile(3_000_001);

        CopyResult copy = await FilePipe
            .CopyAsync(source, Folder["copy"], CopyFiles.Options with { Portable = true })
            .Soon();

        Assert.Equal("read and write", copy.Method);
        CopyFiles.AssertSame(source, Folder["copy"]);
    }

    [NeedsFact(Need.Linux)]
    public async Task A_fifo_is_copied_to_its_end()
    {
        var fifo = new Fifo();
        ValueTask<CopyResult> copying = FilePipe.CopyAsync(fifo.Path, Folder["copy"], CopyFiles.Options);
        for (int i = 0; i < 10; i++)
        {
            fifo.Write(TestContent.Between(i * 10_000, (i + 1) * 10_000).Span);
        }

        // The copy has the FIFO open when it has taken more than a FIFO holds, 64 KiB.
        fifo.Dispose();

        CopyResult copy = await copying.Soon();
        Assert.Equal(100_000, copy.Length);
        Assert.Equal(TestContent.Of(100_000).ToArray(), await File.ReadAllBytesAsync(Folder["copy"]));
    }

    [NeedsFact(Need.Linux)]
    public async Task A_file_of_proc_is_copied_to_its_end_although_its_size_is_0()
    {
        CopyResult copy = await FilePipe.CopyAsync("/proc/version", Folder["copy"], new FileCopyOptions { Verify = true }).Soon();

        Assert.Equal(await File.ReadAllTextAsync("/proc/version"), await File.ReadAllTextAsync(Folder["copy"]));
        Assert.Equal(new FileInfo(Folder["copy"]).Length, copy.Length);
        Assert.Equal(32, copy.Sha256.Length);
    }

    [NeedsFact(Need.Linux)]
    public async Task A_file_that_overstates_its_length_is_copied_to_its_end()
    {
        // One page, say the files of /sys of themselves.
        const string Source = "/sys/kernel/mm/transparent_hugepage/enabled";
        CopyResult copy = await FilePipe.CopyAsync(Source, Folder["copy"], CopyFiles.Options).Soon();

        string content = await File.ReadAllTextAsync(Source);
        Assert.Equal(content, await File.ReadAllTextAsync(Folder["copy"]));
        Assert.Equal(content.Length, copy.Length);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task A_copy_goes_from_one_device_to_another(bool back)
    {
        string memory = $"/dev/shm/millrace-tests-{Environment.ProcessId}-{Path.GetFileName(TestFolder.NewPath())}";
        string source = back ? memory : Folder["file"];
        string destination = back ? Folder["file"] : memory;
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

    [NeedsFact(Need.Unix)]
    public async Task A_file_that_grows_meanwhile_is_copied_as_long_as_it_was()
    {
        const int Length = 2 * TestContent.MaxLength;
        await File.WriteAllBytesAsync(Folder["source"], [.. TestContent.Of(Length / 2).Span, .. TestContent.Of(Length / 2).Span]);
        var progress = new DoAt(value =>
        {
            if (value.CopiedBytes < Length)
            {
                using FileStream end = new(Folder["source"], FileMode.Append, FileAccess.Write, FileShare.ReadWrite);
                end.Write(TestContent.Of(100).Span);
            }
        });

        CopyResult copy = await FilePipe.CopyAsync(Folder["source"], Folder["copy"], CopyFiles.Options, progress).Soon();

        Assert.Equal(Length, copy.Length);
        Assert.Equal(Length, new FileInfo(Folder["copy"]).Length);
        Assert.True(new FileInfo(Folder["source"]).Length > Length);
    }

    [Theory, EveryValue]
    public void Synchronous_copy_is_the_same(bool portable)
    {
        string source = TestFolder.SharedFile(3_000_001);
        CopyResult copy = FilePipe.Copy(source, Folder["copy"], CopyFiles.Options with { Portable = portable, Verify = true });
        Assert.Equal(3_000_001, copy.Length);
        CopyFiles.AssertSame(source, Folder["copy"]);
        Assert.Equal(["copy"], Folder.Names);
        Assert.Throws<FilePipeException>(() => FilePipe.Copy(source, Folder["copy"], new FileCopyOptions { CreateNew = true }));
        Assert.Throws<OperationCanceledException>(
            () => FilePipe.Copy(source, Folder["other"], default, null, new CancellationToken(canceled: true)));
        Assert.Equal(["copy"], Folder.Names);
    }
}
