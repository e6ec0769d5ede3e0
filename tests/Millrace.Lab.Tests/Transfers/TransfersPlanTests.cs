using Millrace.Lab.Data;
using Millrace.Lab.Published;
using Millrace.Lab.Results;
using Millrace.Lab.Running;
using Millrace.Lab.Suites.Transfers;

namespace Millrace.Lab.Tests.Transfers;

/// <summary>Which cases are measured.</summary>
public sealed class TransfersPlanTests
{
    private static readonly TestFile[] Files =
    [
        new TestFile("/data/server/small", 512 << 10, 0, Generated: true) { Content = FileContent.Random },
        new TestFile("/data/server/lines", TaxiFareCsv.Bytes, 0, Generated: true) { Content = FileContent.Csv },
        new TestFile("/data/server/large", TransfersPlan.LargeSize, 0, Generated: true) { Content = FileContent.Random },
    ];

    [Fact]
    public void Quick_mode_has_every_method_in_both_directions_with_every_buffer_from_64_KiB_on()
    {
        IReadOnlyList<TransferCase> plan = Select(LabMode.Quick);
        foreach (int buffer in new[] { 65536, 81920, 262144 })
        {
            Assert.Equal(
                TransfersPlan.Methods.Order(),
                plan.Where(entry => entry.Buffer == buffer && entry is { Role: null, Direction: TransferDirection.Upload })
                    .Select(entry => entry.Method).Order());
            Assert.Equal(
                ["Http1", "Http1Sha256", "HttpClient", "HttpClientSha256"],
                plan.Where(entry => entry.Buffer == buffer && entry is { Role: null, Direction: TransferDirection.Download })
                    .Select(entry => entry.Method).Order());
        }

        Assert.All(plan, entry => Assert.Equal((2, "none"), (entry.Parameters.Processes, entry.Parameters.Durability)));
        Assert.Equal(23_898_406, plan.Select(entry => entry.Source.Bytes).Distinct().Single());
    }

    [Fact]
    public void Full_mode_adds_a_small_buffer_a_large_file_durable_files_and_one_process()
    {
        IReadOnlyList<TransferCase> plan = Select(LabMode.Full);
        Assert.Equal([4096, 65536, 81920, 262144], plan.Select(entry => entry.Buffer).Distinct().Order());
        Assert.Equal([23_898_406, 512L << 20], plan.Select(entry => entry.Source.Bytes).Distinct().Order());
        Assert.Equal(["commit", "none"], plan.Select(entry => entry.Parameters.Durability).Distinct().Order());
        Assert.Equal([1, 2], plan.Select(entry => entry.Parameters.Processes).Distinct().Order());
    }

    [Fact]
    public void Every_case_has_one_baseline_of_its_parameters()
    {
        foreach (LabMode mode in Enum.GetValues<LabMode>())
        {
            Assert.All(Select(mode).GroupBy(entry => entry.Parameters), group => Assert.Single(group, IsBaseline));
        }
    }

    [Fact]
    public void Every_baseline_is_measured_twice_with_one_buffer()
    {
        foreach (LabMode mode in Enum.GetValues<LabMode>())
        {
            TransferCase[] main = [.. Select(mode).Where(entry => entry.Buffer == TransfersPlan.MainBuffer)];
            Assert.Equal(
                main.Where(IsBaseline).Select(entry => (entry.Method, entry.Parameters)),
                main.Where(entry => entry.Role is not null).Select(entry => (entry.Method, entry.Parameters)));
        }
    }

    [Fact]
    public void Every_method_of_the_plan_is_one_of_the_class()
    {
        Assert.Equal(BenchmarkCatalog.Of(typeof(FileTransfers)).Methods.Order(), TransfersPlan.Methods.Order());
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
            TransferCase small = entry.Small(Inputs(LabMode.Full));
            Assert.Equal(512 << 10, small.Source.Bytes);
            Assert.Equal((entry.Method, entry.Direction, entry.Ends), (small.Method, small.Direction, small.Ends));
        });
    }

    [Fact]
    public void Published_rows_of_methods_that_there_are_have_a_case_in_one_process()
    {
        PublishedRow[] rows =
        [
            .. PublishedFigures.For("transfers").SelectMany(set => set.Tables).SelectMany(table => table.Rows)
                .Where(row => row.OurMethod is { } method && TransfersPlan.Methods.Contains(method)),
        ];
        Assert.Equal(36, rows.Length);
        Assert.All(rows, row => Assert.Equal(("HttpClient", 1), (row.OurMethod, row.Parameters.Processes)));
        CaseParameters[] mine = [.. Select(LabMode.Full, "HttpClient/*").Select(entry => entry.Parameters)];
        Assert.All(
            rows.Where(row => row.Parameters is { Compression: "none", Transport: null }),
            row => Assert.Contains(mine, item =>
                item.Buffer == row.Parameters.Buffer
                && item.Direction == row.Parameters.Direction
                && item.Compression == row.Parameters.Compression
                && item.Processes == row.Parameters.Processes));
    }

    private static bool IsBaseline(TransferCase entry) =>
        entry is { Method: "HttpClient" or "HttpClientSha256", Role: null };

    private static TransfersInputs Inputs(LabMode mode) => new(mode == LabMode.Quick ? Files[..2] : Files);

    private static IReadOnlyList<TransferCase> Select(LabMode mode, params string[] filters) => TransfersPlan.Select(
        new LabOptions { Mode = mode, Filters = filters }, Inputs(mode), new Uri("http://127.0.0.1:1/"));
}
