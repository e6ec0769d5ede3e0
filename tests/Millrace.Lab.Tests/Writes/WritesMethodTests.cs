namespace Millrace.Lab.Tests.Writes;

/// <summary>Runs the benchmarks' own methods, so that they cannot rot.</summary>
public sealed class WritesMethodTests : IDisposable
{
    private const long Length = 1_000_008;

    private readonly TemporaryFolder _folder = new();
    private readonly WritesInputs _inputs;

    public WritesMethodTests()
    {
        _inputs = WritesInputs.In(_folder.Path, Length);
        foreach (TestFile file in new[] { _inputs.Integers, _inputs.FirstLines })
        {
            TestFileMaker.Write(file, TestFileMaker.LargeWrite);
        }
    }

    public static TheoryData<string> EveryWayToWrite => [.. WritesSuite.WriteMethods, .. OperatingSystem.IsLinux() ? [Floor.Write] : Array.Empty<string>()];

    public static TheoryData<string> EveryWayToCopy => [.. WritesSuite.CopyMethods];

    public void Dispose() => _folder.Dispose();

    [Theory]
    [MemberData(nameof(EveryWayToWrite))]
    public void Every_method_writes_every_byte_whatever_was_in_the_folder(string method)
    {
        foreach (bool durable in new[] { false, true }.Where(durable => !durable || method != nameof(FileWriting.WriteAllBytes)))
        {
            foreach ((long bytes, int chunk) in new[] { (Length, 512), (Length, 1000), (Length, 65536), (4096, 4096), (300, 4096) })
            {
                WriteCase entry = Write(method, bytes, chunk, durable);
                if (entry.WhyNot() is null)
                {
                    Assert.Null(Error(entry));
                    Assert.Empty(Directory.EnumerateFileSystemEntries(_inputs.Folder));
                    File.WriteAllText(ResultFolder.FileIn(_inputs.Folder), "left by a run that was killed");
                    Assert.Null(Error(entry));
                }
            }
        }
    }

    [Theory]
    [MemberData(nameof(EveryWayToCopy))]
    public void Every_method_copies_every_byte(string method)
    {
        var entry = new CopyCase(method, _inputs.Folder, _inputs.Integers);
        if (method != nameof(FileCopying.Cp) || FileCopying.HasCp)
        {
            Assert.Null(Error(entry));
        }
    }

    [NeedsFact(Need.Linux)]
    public void Failing_copy_program_is_reported()
    {
        var entry = new CopyCase(nameof(FileCopying.Cp), _inputs.Folder, _inputs.Integers with { Path = _folder["missing"] });
        Assert.Contains("ended with 1", Error(entry), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(nameof(FileScanning.FilePipe), 1)]
    [InlineData(nameof(FileScanning.FilePipeScan), 2)]
    [InlineData(nameof(FileScanning.FilePipeScan), 5)]
    [InlineData(Floor.ReadTwo, 2, 4096)]
    [InlineData(Floor.ReadTwo, 2, 1048576)]
    public void Every_scan_is_complete_and_detects_a_wrong_result(string method, int degree, int? block = null)
    {
        foreach (TestFile file in new[] { _inputs.Integers, _inputs.FirstLines })
        {
            var entry = new ScanCase(method, _inputs.Folder, file, degree) { Block = block };
            if (entry.WhyNot() is not null)
            {
                continue;
            }

            Assert.Null(Error(entry));
            TestFile wrong = file with { Checksum = file.Checksum + 1 };
            Assert.Contains("with the sum", Error(entry with { File = wrong }), StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(nameof(RecordAppending.FilePipeAppend), 1)]
    [InlineData(nameof(RecordAppending.FilePipeAppend), 16)]
    [InlineData(nameof(RecordAppending.FileStreamAppend), 1)]
    [InlineData(nameof(RecordAppending.FileStreamAppend), 16)]
    public void Every_method_appends_every_record_of_every_writer(string method, int writers)
    {
        var entry = new AppendCase(method, _inputs.Folder, writers, Records: 64);
        Assert.Null(Error(entry));
    }

    [Fact]
    public void Wrong_written_byte_is_detected()
    {
        WriteCase entry = Write(nameof(FileWriting.FileStreamSync), 100_000, 512, durable: false);
        foreach (long wrong in new[] { 0, 511, 512, 65_536, 99_999 })
        {
            byte[] all = WrittenContent.All(entry.Bytes, entry.Chunk);
            all[wrong]++;
            Assert.Contains($"differs at offset {wrong:N0}", ErrorOf(entry, all), StringComparison.Ordinal);
        }

        byte[] right = WrittenContent.All(entry.Bytes, entry.Chunk);
        Assert.Null(ErrorOf(entry, right));
        Assert.Contains("99,999 bytes instead of 100,000", ErrorOf(entry, right[..^1]), StringComparison.Ordinal);
        File.Delete(ResultFolder.FileIn(_inputs.Folder));
        Assert.Contains("does not exist", Assert.Throws<WrongResultException>(entry.Verify).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Swapped_chunks_are_detected()
    {
        WriteCase entry = Write(nameof(FileWriting.FileStreamSync), 4096, 512, durable: false);
        byte[] all = WrittenContent.All(entry.Bytes, entry.Chunk);
        byte[] swapped = [.. all[..512], .. all[1024..1536], .. all[512..1024], .. all[1536..]];
        Assert.Contains("differs at offset 512", ErrorOf(entry, swapped), StringComparison.Ordinal);
    }

    [Fact]
    public void Torn_lost_or_reordered_record_is_detected()
    {
        var entry = new AppendCase(nameof(RecordAppending.FilePipeAppend), _inputs.Folder, Writers: 2, Records: 4);
        Assert.Null(ErrorOf(entry, Records((0, 0), (1, 0), (1, 1), (0, 1))));
        Assert.Contains("not record 0 of writer 1", ErrorOf(entry, Records((0, 0), (1, 1), (1, 0), (0, 1))), StringComparison.Ordinal);
        Assert.Contains("lacks records", ErrorOf(entry, Records((0, 0), (0, 1), (0, 2), (1, 0))), StringComparison.Ordinal);
        Assert.Contains("an unknown writer", ErrorOf(entry, Records((0, 0), (1, 0), (2, 0), (0, 1))), StringComparison.Ordinal);
        byte[] torn = Records((0, 0), (1, 0), (1, 1), (0, 1));
        torn[150] ^= 1;
        Assert.Contains("not record 0 of writer 1", ErrorOf(entry, torn), StringComparison.Ordinal);
        Assert.Contains("399 bytes instead of 400", ErrorOf(entry, torn[..^1]), StringComparison.Ordinal);
    }

    [Fact]
    public void Wrong_copy_is_detected()
    {
        var entry = new CopyCase(nameof(FileCopying.FileCopy), _inputs.Folder, _inputs.FirstLines);
        byte[] copy = File.ReadAllBytes(_inputs.FirstLines.Path);
        Assert.Null(ErrorOf(entry, copy));
        copy[^1]++;
        Assert.Contains($"differs at offset {copy.Length - 1:N0}", ErrorOf(entry, copy), StringComparison.Ordinal);
    }

    [Fact]
    public void Case_with_a_wrong_result_fails()
    {
        // The method writes the chunks of another length than those that are compared.
        WriteCase entry = Write(nameof(FileWriting.FileStreamSync), 100_000, 512, durable: false);
        WrongResultException exception = Assert.Throws<WrongResultException>(
            () => OneCase.Measure(entry, new CaseState(entry with { Chunk = 1024 }, cache: null)));
        Assert.Contains("differs at offset 512", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Method_describes_how_it_is_durable()
    {
        Assert.Equal("Flush(true), File.Move, flush of the folder", Described(Write("FileStreamSync", 4096, 4096, durable: true)));
        Assert.Equal("Flush(true), File.Move", Described(Write("FileStreamSync", 8192, 4096, durable: true)));
        Assert.Null(Described(Write("FileStreamSync", 8192, 4096, durable: false)));
        Assert.Equal("Buffered", Described(Write("FilePipe", 8192, 4096, durable: false)));
    }

    private static byte[] Records(params (int Writer, int Index)[] records)
    {
        byte[] all = new byte[records.Length * AppendedRecord.Bytes];
        for (int i = 0; i < records.Length; i++)
        {
            AppendedRecord.Fill(all.AsSpan(i * AppendedRecord.Bytes, AppendedRecord.Bytes), records[i].Writer, records[i].Index);
        }

        return all;
    }

    private WriteCase Write(string method, long bytes, int chunk, bool durable) =>
        new(method, _inputs.Folder, bytes, chunk, durable ? Durability.OnCommit : Durability.None);

    // The content where a method left these bytes.
    private string? ErrorOf(WritesCase entry, byte[] result)
    {
        ResultFolder.Clear(_inputs.Folder);
        File.WriteAllBytes(ResultFolder.FileIn(_inputs.Folder), result);
        return Record.Exception(entry.Verify)?.Message;
    }

    private static string? Error(WritesCase entry) => OneCase.Error(entry);

    private static string? Described(WritesCase entry) => OneCase.Describe(entry).Strategy;
}
