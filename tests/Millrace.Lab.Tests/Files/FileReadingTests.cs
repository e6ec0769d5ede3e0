namespace Millrace.Lab.Tests.Files;

public sealed class FileReadingTests : IClassFixture<TemporaryFolder>
{
    private readonly TemporaryFolder _folder;

    public FileReadingTests(TemporaryFolder folder) => _folder = folder;

    public static TheoryData<string> Methods => [.. AllMethods, .. OperatingSystem.IsLinux() ? FilesSuite.FloorMethods : []];

    private static IEnumerable<string> AllMethods =>
        FilesSuite.AllMethods.Where(method => OperatingSystem.IsWindows() || method != nameof(FileReading.OverlappedPipe));

    [Theory]
    [MemberData(nameof(Methods))]
    public void Method_reads_every_byte_at_every_buffer_option_and_state(string method)
    {
        TestFile generated = TestFile.OfIncrements(_folder.Path, 300 * 1024);
        TestFileMaker.Write(generated, TestFileMaker.LargeWrite);
        foreach (TestFile file in new[] { generated, OddFile() })
        {
            foreach (int buffer in FilesSuite.Buffers)
            {
                foreach (FileOptions options in
                    new[] { FileOptions.SequentialScan, FileOptions.SequentialScan | FileOptions.Asynchronous })
                {
                    foreach (CacheState cache in Enum.GetValues<CacheState>())
                    {
                        // The method itself compares the sum and the length, and throws when they are wrong.
                        Run(new FileCase(method, file, buffer, options, cache, CacheFill.LargeWrites));
                    }
                }
            }
        }
    }

    [Theory]
    [MemberData(nameof(Methods))]
    public void Method_detects_a_single_changed_byte(string method)
    {
        TestFile file = OddFile();
        using (FileStream stream = File.OpenWrite(file.Path))
        {
            stream.Position = file.Bytes - 1;
            stream.WriteByte(0xA5);
        }

        var wrong = new FileCase(
            method, file, 4096, FileOptions.SequentialScan, CacheState.Hot, CacheFill.LargeWrites);
        WrongChecksumException exception = Assert.Throws<WrongChecksumException>(() => Run(wrong));
        Assert.Contains(file.Path, exception.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Methods))]
    public void Method_fails_for_a_missing_file(string method)
    {
        var gone = new FileCase(
            method,
            new TestFile(_folder["gone"], 8, 0, Generated: false),
            4096,
            FileOptions.SequentialScan,
            CacheState.Hot,
            CacheFill.None);
        Assert.ThrowsAny<Exception>(() => Run(gone));
    }

    [Fact]
    public void Cold_rows_report_the_time_inside_read_calls()
    {
        TestFile file = TestFile.OfIncrements(_folder.Path, 1024 * 1024);
        TestFileMaker.Write(file, TestFileMaker.LargeWrite);
        foreach (string method in AllMethods.Except([nameof(FileReading.MemoryMapped)]))
        {
            var cold = new FileCase(
                method, file, 4096, FileOptions.SequentialScan, CacheState.Cold, CacheFill.None);
            Sample sample = Run(cold);
            Assert.InRange(sample.CallingThreadNs, 1, (long)sample.WallNs);
            Assert.Equal(0, Run(cold with { Cache = CacheState.Hot }).CallingThreadNs);
        }
    }

    [Theory]
    [InlineData(5)]
    [InlineData(4089)]
    [InlineData(4095)]
    [InlineData(4096)]
    public void File_pipe_reads_from_an_offset_and_detects_a_changed_byte_after_it(long offset)
    {
        TestFile file = OddFile();
        var planned = new FileCase(
            nameof(FileReading.FilePipe), file, 4096, FileOptions.SequentialScan, CacheState.Hot, CacheFill.None)
        {
            Offset = offset,
        };
        Run(planned);
        using CaseMethod method = planned.Create();
        using (FileStream stream = File.OpenWrite(file.Path))
        {
            stream.Position = offset;
            stream.WriteByte(0xA5);
        }

        Assert.Throws<WrongChecksumException>(() => method.Find(planned.Method)());
    }

    [NeedsFact(Need.Unix)]
    public void Overlapped_reads_are_missing_outside_Windows()
    {
        var row = new FileCase("OverlappedPipe", OddFile(), 4096, FileOptions.SequentialScan, CacheState.Hot, CacheFill.None);
        Assert.Equal(("rows OverlappedPipe", "overlapped reads are calls of Windows"), (row.Missing, row.WhyNot()));
    }

    [Fact]
    public void File_pipes_report_their_strategy()
    {
        TestFile file = TestFile.OfIncrements(_folder.Path, 1024 * 1024);
        TestFileMaker.Write(file, TestFileMaker.LargeWrite);
        (string? name, string? reason) = OneCase.Describe(new FileCase(
            nameof(FileReading.FilePipe), file, 4096, FileOptions.SequentialScan, CacheState.Hot, CacheFill.None));
        Assert.True(Enum.TryParse(name, out ReadStrategy strategy));
        Assert.NotEqual(ReadStrategy.Auto, strategy);
        Assert.False(string.IsNullOrEmpty(reason));
    }

    private static Sample Run(FileCase entry) => OneCase.Measure(entry);

    // Its length is not a multiple of 8, so that values straddle the pieces of every buffer.
    private TestFile OddFile()
    {
        string path = _folder["odd"];
        byte[] bytes = Content.Random(100_003, 1);
        File.WriteAllBytes(path, bytes);
        return UserFile.Inspect(path);
    }
}
