using Millrace.Transfer;

namespace Millrace.Lab.Tests.Transfers;

public sealed class TransfersPlanTests
{
    private static readonly TestFile[] Files =
    [
        new TestFile("/data/server/small", 512 << 10, 0, Generated: true) { Content = FileContent.Random },
        new TestFile("/data/server/lines", TaxiFareCsv.Bytes, 0, Generated: true) { Content = FileContent.Csv },
        new TestFile("/data/server/large", TransfersSuite.LargeSize, 0, Generated: true) { Content = FileContent.Random },
    ];

    [Theory]
    [InlineData(65536, "none", "GrpcCoreByteArray GrpcCoreChannel GrpcCoreRentedArray GrpcDirect GrpcNetByteArray GrpcNetRentedArray GrpcNetWebByteArray GrpcNetWebRentedArray GrpcNetWebTextByteArray GrpcNetWebTextRentedArray GrpcWebDirect GrpcWebTextDirect Http1 Http1Sha256 Http2 HttpClient HttpClientHttp2 HttpClientSha256")]
    [InlineData(81920, "none", "GrpcDirect Http1 HttpClient")]
    [InlineData(262144, "none", "GrpcDirect Http1 HttpClient")]
    [InlineData(65536, "gzip", "GrpcDirect GrpcNetByteArray GrpcNetRentedArray HttpClient")]
    public void Quick_mode_has_the_cases_of_all_bars_in_both_directions(int buffer, string compression, string methods)
    {
        string[] expected = methods.Split(' ');
        IReadOnlyList<TransferCase> plan = Select(LabMode.Quick);
        Assert.Equal(expected, Methods(TransferDirection.Download));
        Assert.Equal(expected.Where(Uploads), Methods(TransferDirection.Upload));
        Assert.All(plan, entry => Assert.Equal((2, "none"), (entry.Parameters.Processes, entry.Parameters.Durability)));
        Assert.Equal(23_898_406, plan.Select(entry => entry.Source.Bytes).Distinct().Single());

        IEnumerable<string> Methods(TransferDirection direction) => plan
            .Where(entry => entry.Buffer == buffer && entry.Role is null && entry.Direction == direction && !Floor.Is(entry.Method)
                && entry.Parameters.Compression == compression)
            .Select(entry => entry.Method).Order(StringComparer.Ordinal);
    }

    [Fact]
    public void Full_mode_has_every_method_and_buffer_in_one_and_two_processes()
    {
        IReadOnlyList<TransferCase> plan = Select(LabMode.Full);
        foreach (int processes in new[] { 1, 2 })
        {
            foreach (int buffer in new[] { 4096, 65536, 81920, 262144 })
            {
                Assert.Equal(TransfersSuite.AllMethods.Where(Uploads).Order(), Uploaded(plan, buffer, processes, "none"));
                Assert.Equal(
                    TransfersSuite.AllMethods
                        .Where(name => name is "HttpClient" or "HttpClientHttp2"
                            || (name.StartsWith("Grpc", StringComparison.Ordinal) && !name.EndsWith("Sha256", StringComparison.Ordinal)))
                        .Where(Uploads).Order(),
                    Uploaded(plan, buffer, processes, "gzip"));
            }
        }

        static IEnumerable<string> Uploaded(IReadOnlyList<TransferCase> plan, int buffer, int processes, string compression) => plan
            .Where(entry => !Floor.Is(entry.Method) && entry is { IsBusy: false, Role: null, Direction: TransferDirection.Upload, Ends.Link: null, Source.Bytes: TaxiFareCsv.Bytes }
                && entry.Buffer == buffer && entry.Durability == Durability.None
                && entry.Parameters.Processes == processes && entry.Parameters.Compression == compression)
            .Select(entry => entry.Method).Order();
    }

    [Fact]
    public void Full_mode_has_a_large_file_over_links_of_three_round_trips()
    {
        TransferCase[] plan = [.. Select(LabMode.Full).Where(entry => entry.Ends.Link is not null)];
        Assert.Equal(
            [(1, 1_000_000_000L), (25, 1_000_000_000L), (60, 1_000_000_000L)],
            plan.Select(entry => (entry.Parameters.RoundTripMs!.Value, entry.Parameters.LinkBitsPerSecond!.Value)).Distinct().Order());
        Assert.All(plan.GroupBy(entry => (entry.Ends, entry.Direction)), group => Assert.Equal(
            ["GrpcDirect", "Http1", "Http2", "HttpClient"], group.Select(entry => entry.Method).Order(StringComparer.Ordinal)));
        Assert.Equal(6, plan.Select(entry => (entry.Ends, entry.Direction)).Distinct().Count());
        Assert.All(plan, entry => Assert.Equal((512L << 20, 2), (entry.Source.Bytes, entry.Parameters.Processes)));
    }

    [Theory]
    [InlineData(LabMode.Quick)]
    [InlineData(LabMode.Full)]
    public void Floor_has_three_blocks_in_both_directions(LabMode mode) => Assert.All(
        Select(mode).Where(entry => Floor.Is(entry.Method)).GroupBy(entry => (entry.Direction, entry.Source, entry.IsBusy)),
        group => Assert.Equal([65536, 262144, 1048576], group.Select(entry => entry.Buffer)));

    [Fact]
    public void Filter_without_quick_cases_selects_cases_of_full_mode()
    {
        Assert.All(Select(LabMode.Quick, "*/60 ms"), entry => Assert.Equal(60, entry.Ends.Link!.RoundTripMs));
        Assert.All(Select(LabMode.Quick, "Tus/*/upload/*"), entry => Assert.Equal("Tus", entry.Method));
        Assert.All(Select(LabMode.Quick, "GrpcDirect", "*/60 ms"), entry => Assert.True(
            entry.Ends.Link is not null || (entry.Method == "GrpcDirect" && entry.Source.Bytes == TaxiFareCsv.Bytes && entry.Parameters.Processes == 2)));
        Assert.Throws<NoCaseException>(() => Select(LabMode.Quick, "Nothing"));
    }

    [Fact]
    public void Full_mode_adds_a_small_buffer_a_large_file_durable_files_and_one_process()
    {
        IReadOnlyList<TransferCase> plan = Select(LabMode.Full);
        Assert.Equal([4096, 65536, 81920, 262144], plan.Where(entry => !Floor.Is(entry.Method)).Select(entry => entry.Buffer).Distinct().Order());
        Assert.Equal([23_898_406, 512L << 20], plan.Select(entry => entry.Source.Bytes).Distinct().Order());
        Assert.Equal(["commit", "none"], plan.Select(entry => entry.Parameters.Durability).Distinct().Order());
        Assert.Equal([1, 2], plan.Select(entry => entry.Parameters.Processes).Distinct().Order());
    }

    [Fact]
    public void Every_case_has_one_baseline_of_its_parameters()
    {
        foreach (LabMode mode in Enum.GetValues<LabMode>())
        {
            Assert.All(Select(mode).Where(entry => !Floor.Is(entry.Method)).GroupBy(entry => entry.Parameters), group => Assert.Single(group, IsBaseline));
        }
    }

    [Fact]
    public void Every_loopback_baseline_is_measured_twice_with_the_main_buffer()
    {
        foreach (LabMode mode in Enum.GetValues<LabMode>())
        {
            TransferCase[] main =
            [
                .. Select(mode).Where(entry =>
                    entry.Buffer == TransfersSuite.MainBuffer && entry is { Compression: TransferCompression.None, Ends.Link: null }),
            ];
            Assert.Equal(
                main.Where(IsBaseline).Select(entry => (entry.Method, entry.Parameters)),
                main.Where(entry => entry.Role is not null).Select(entry => (entry.Method, entry.Parameters)));
        }
    }

    [Fact]
    public void Filters_select_by_method_direction_digest_and_processes()
    {
        Assert.All(Select(LabMode.Full, "*/download/*"), entry => Assert.Equal(TransferDirection.Download, entry.Direction));
        Assert.All(Select(LabMode.Full, "*/1 processes"), entry => Assert.Null(entry.Ends.Server));
        Assert.Equal(
            "Http1Sha256/csv/22.79MiB/65536/hot/upload/sha-256/none/coding none/sockets/2 processes",
            Select(LabMode.Quick, "Http1Sha256/*/65536/*/upload/*").Select(entry => $"{entry.Name}/{entry.Parameters.Describe()}").Single());
    }

    [Fact]
    public void Warm_ups_move_a_file_that_is_too_long_for_one_piece()
    {
        Assert.All(Select(LabMode.Full), entry =>
        {
            TransferCase small = entry.Small(Inputs());
            Assert.Equal(512 << 10, small.Source.Bytes);
            Assert.Equal(
                (entry.Method, entry.Direction, entry.Ends with { Link = null }), (small.Method, small.Direction, small.Ends));
        });
    }

    [Fact]
    public void Published_rows_have_a_case_in_one_process()
    {
        PublishedRow[] rows =
        [
            .. PublishedFigures.For("transfers").SelectMany(set => set.Tables).SelectMany(table => table.Rows)
                .Where(row => row.OurMethod is { } method && TransfersSuite.AllMethods.Contains(method)),
        ];
        Assert.Equal(156, rows.Length);
        IReadOnlyList<TransferCase> mine = Select(LabMode.Full);
        Assert.All(rows, row => Assert.Contains(mine, item =>
            item.Method == row.OurMethod
            && item.Parameters.Buffer == row.Parameters.Buffer
            && item.Parameters.Direction == row.Parameters.Direction
            && item.Parameters.Compression == row.Parameters.Compression
            && item.Parameters.Processes == row.Parameters.Processes));
    }

    // Grpc.Net.Client.Web has downloads only.
    private static bool Uploads(string method) => !method.StartsWith("GrpcNetWeb", StringComparison.Ordinal);

    private static bool IsBaseline(TransferCase entry) =>
        entry is { Method: "HttpClient" or "HttpClientSha256", Role: null };

    private static TransfersInputs Inputs() => new(Files);

    private static IReadOnlyList<TransferCase> Select(LabMode mode, params string[] filters) =>
    [
        .. new TransfersSuite().Select(
            new LabOptions { Mode = mode, Filters = filters }, Files, new Uri("http://127.0.0.1:1/")).Cast<TransferCase>(),
    ];
}
