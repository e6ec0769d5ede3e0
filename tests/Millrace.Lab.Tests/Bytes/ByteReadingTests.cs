namespace Millrace.Lab.Tests.Bytes;

public sealed class ByteReadingTests : IClassFixture<ByteReadingTests.ServedFolder>
{
    private readonly ServedFolder _served;

    public ByteReadingTests(ServedFolder served) => _served = served;

    public static TheoryData<string> Methods =>
        [.. BytesSuite.AllMethods.Where(method => !method.EndsWith(BytesSuite.Lines, StringComparison.Ordinal))];

    [Theory]
    [MemberData(nameof(Methods))]
    public void Every_method_reads_every_byte_and_detects_a_wrong_one(string method)
    {
        foreach (ByteSource source in new[] { _served.Source(http: false), _served.Source(http: true) })
        {
            // Increments of other lengths than the file's, so that the last one is a part, and vectors have rests.
            foreach (int buffer in new[] { 1000, 4096, 1 << 20 })
            {
                Assert.Null(OneCase.Error(new ByteCase(method, source, buffer)));
            }

            ByteSource wrong = source with { File = source.File with { Checksum = source.File.Checksum + 1 } };
            Assert.Contains("with the sum", OneCase.Error(new ByteCase(method, wrong, 4096)), StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Concurrent_readers_each_read_all_bytes()
    {
        foreach (bool http in new[] { false, true })
        {
            Assert.Null(OneCase.Error(new ByteCase("Increments.Span", _served.Source(http), 4096, Readers: 4)));
        }
    }

    [Theory]
    [InlineData(BytesSuite.TextLines)]
    [InlineData(BytesSuite.ByteLines)]
    public void Lines_are_counted_and_a_wrong_count_fails(string method)
    {
        TestFile file = TestFile.OfFirstLines(_served.Folder.Path);
        TestFileMaker.Write(file, TestFileMaker.SmallWrite);
        Assert.Equal(file.Bytes, new FileInfo(file.Path).Length);
        Assert.Null(OneCase.Error(new ByteCase(method, new ByteSource(file, null), 4096)));
        TestFile wrong = file with { Checksum = file.Checksum - 1 };
        Assert.Contains("with the sum", OneCase.Error(new ByteCase(method, new ByteSource(wrong, null), 4096)), StringComparison.Ordinal);
    }

    [Fact]
    public void Vector_sum_equals_the_sum_of_single_bytes_at_every_length()
    {
        byte[] bytes = new byte[20_000];
        Array.Fill(bytes, byte.MaxValue);
        for (int length = 0; length < 200; length++)
        {
            Assert.Equal(255UL * (ulong)length, VectorWalk.Sum(bytes.AsSpan(0, length)));
        }

        Assert.Equal(255UL * 20_000, VectorWalk.Sum(bytes));
        new Random(5).NextBytes(bytes);
        Assert.Equal(SpanWalk.Sum(bytes.AsSpan(1)), VectorWalk.Sum(bytes.AsSpan(1)));
    }

    [Fact]
    public void Unknown_addresses_are_not_found()
    {
        using var client = new HttpClient();
        foreach (string path in new[] { "", "7", "-1", "0/../0", "x" })
        {
            using HttpResponseMessage response = client.Send(new HttpRequestMessage(HttpMethod.Get, new Uri(_served.Address, path)));
            Assert.Equal(path == "0/../0" ? System.Net.HttpStatusCode.OK : System.Net.HttpStatusCode.NotFound, response.StatusCode);
        }
    }

    [Fact]
    public void Without_a_compiler_that_compiles_the_rows_are_missing_with_the_reason()
    {
        Assert.Contains(
            "eng/swift.sh", UrlSessionProgram.FindBy(null).WhyNot, StringComparison.Ordinal);
        string none = _served.Folder["none"];
        File.WriteAllText(none, "no program");
        (string? program, string? reason) = UrlSessionProgram.FindBy(none);
        Assert.Null(program);
        Assert.Contains($"{none} did not compile", reason, StringComparison.Ordinal);
    }

    public sealed class ServedFolder : IDisposable
    {
        private readonly TestFile _file;
        private readonly ByteServer _server;

        public ServedFolder()
        {
            _file = TestFile.OfRandom(Folder.Path, 100_008);
            TestFileMaker.Write(_file, TestFileMaker.LargeWrite);
            _server = ByteServer.Start([_file]);
        }

        internal TemporaryFolder Folder { get; } = new();

        internal Uri Address => _server.Address;

        public void Dispose()
        {
            _server.Dispose();
            Folder.Dispose();
        }

        internal ByteSource Source(bool http) => new(_file, http ? new Uri(_server.Address, "0") : null);
    }
}
