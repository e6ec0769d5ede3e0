namespace Millrace.Lab.Tests.Published;

/// <summary>A typing error in a time, or in a ratio, shows as a ratio that its means do not give.</summary>
public sealed class PublishedRatiosTests
{
    // Half of the last printed digit, and the usual distance of a mean of quotients from the quotient of means.
    private const double PrintedDigit = 0.005;
    private const double MeanOfQuotients = 0.02;
    private const string FewAndUneven = "a mean of quotients of two series that drifted, and not the quotient of the means";
    private const string BaselineVaried = "the baseline varied by about a fifth or more, so that even its own ratio need not be 1.00";

    private static readonly Exceptions[] Known =
    [
        new("file-pipelines-earlier", "reading a file", FewAndUneven,
        [
            "PipelineAdapter2 2048/134217728/SequentialScan: 4.03, from the means 4.14",
            "PipelineAdapter 4096/134217728/SequentialScan: 3.35, from the means 3.12",
            "PipelineAdapter3 4096/134217728/SequentialScan: 2.84, from the means 2.95",
            "FileStreamAsync 16384/134217728/SequentialScan: 1.85, from the means 1.79",
            "PipelineNative 262144/4194304/SequentialScan: 1.85, from the means 1.79",
        ]),
        new("file-pipelines", "reading a file", FewAndUneven,
        [
            "FileStreamAsync 2048/134217728/SequentialScan|Asynchronous: 1.19, from the means 1.23",
            "PipelineNative 2048/134217728/SequentialScan|Asynchronous: 0.79, from the means 0.82",
            "PipelineAdapter 2048/134217728/SequentialScan|Asynchronous: 2.46, from the means 2.56",
            "PipelineAdapter2 2048/134217728/SequentialScan|Asynchronous: 2.29, from the means 2.38",
            "PipelineAdapter3 2048/134217728/SequentialScan|Asynchronous: 2.27, from the means 2.36",
            "FileStreamAsync 2048/134217728/SequentialScan: 1.92, from the means 1.72",
            "PipelineAdapter 2048/134217728/SequentialScan: 2.37, from the means 2.30",
            "PipelineAdapter2 2048/134217728/SequentialScan: 2.56, from the means 2.29",
            "PipelineAdapter3 2048/134217728/SequentialScan: 2.62, from the means 2.36",
            "PipelineAdapter2 2048/4194304/SequentialScan: 2.94, from the means 3.08",
            "PipelineAdapter 4096/134217728/SequentialScan|Asynchronous: 1.47, from the means 1.51",
            "PipelineAdapter2 4096/134217728/SequentialScan|Asynchronous: 1.47, from the means 1.51",
            "PipelineAdapter3 4096/134217728/SequentialScan|Asynchronous: 1.47, from the means 1.50",
            "PipelineAdapter2 4096/4194304/SequentialScan|Asynchronous: 1.84, from the means 2.12",
            "PipelineNative 16384/4194304/SequentialScan: 6.35, from the means 6.50",
            "PipelineAdapter3 16384/4194304/SequentialScan: 3.19, from the means 3.03",
        ]),
        new("uploads-downloads-later", "Grpc.Net.Client with Grpc.AspNetCore.Server: download", BaselineVaried,
        [
            "Grpc 65536/download/none: 1.16, from the means 1.08",
            "Http 65536/download/none: 1.08, from the means 1.00",
            "Grpc 81920/download/none: 1.91, from the means 1.82",
            "Http 81920/download/none: 1.05, from the means 1.00",
        ]),
        new("uploads-downloads-later", "Grpc.Net.Client with Grpc.AspNetCore.Server: upload", FewAndUneven,
        [
            "Grpc 65536/upload/none: 0.59, from the means 0.57",
            "Http 65536/upload/none: 1.03, from the means 1.00",
        ]),
        new("uploads-downloads", "Grpc.Net.Client with Grpc.AspNetCore.Server: upload", BaselineVaried,
        [
            "Default 4096/upload/gzip: 0.35, from the means 0.32",
            "RentedArray 4096/upload/gzip: 0.35, from the means 0.32",
            "HttpClient 4096/upload/gzip: 1.08, from the means 1.00",
        ]),
        new("uploads-downloads", "Grpc.Net.Client.Web with Grpc.AspNetCore.Web: download", BaselineVaried,
        [
            "Default 65536/download/none/GrpcWebText: 3.51, from the means 2.01",
            "RentedArray 65536/download/none/GrpcWebText: 1.22, from the means 0.70",
            "HttpClient 65536/download/none/GrpcWebText: 1.75, from the means 1.00",
        ]),
        new("uploads-downloads", "Grpc.Net.Client vs Grpc.Core.Channel, server is Grpc.AspNetCore.Server: download", BaselineVaried,
        [
            "CoreChannel 81920/download/none: 1.29, from the means 1.25",
            "NetChannel 81920/download/none: 2.09, from the means 2.02",
            "HttpClient 81920/download/none: 1.03, from the means 1.00",
        ]),
        new("uploads-downloads", "Grpc.Net.Client vs Grpc.Core.Channel, server is Grpc.AspNetCore.Server: upload", BaselineVaried,
        [
            "CoreChannel 81920/upload/gzip: 1.52, from the means 1.35",
            "NetChannel 81920/upload/gzip: 0.21, from the means 0.19",
            "HttpClient 81920/upload/gzip: 1.12, from the means 1.00",
        ]),
    ];

    [Fact]
    public void Ratios_follow_from_the_means_except_where_it_is_known_why_not()
    {
        string[] found =
        [
            .. from set in PublishedFigures.All
               from table in set.Tables
               from row in table.Rows
               let ratio = table.Figure(row, "ratio")
               where ratio is not null
               let computed = table.Figure(row, "mean")!.Value / table.Figure(table.BaselineOf(row)!, "mean")!.Value
               where Math.Abs(computed - ratio.Value) > PrintedDigit + (MeanOfQuotients * ratio.Value)
               select string.Create(
                   CultureInfo.InvariantCulture,
                   $"{set.Id} | {table.Name} | {row.Method} {Describe(row.Parameters)}: {ratio:0.00}, from the means {computed:0.00}"),
        ];
        Assert.Equal(
            Known.SelectMany(group => group.Rows.Select(row => $"{group.Set} | {group.Table} | {row}")).Order(StringComparer.Ordinal),
            found.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Where_the_reason_is_a_baseline_that_varied_it_did_vary()
    {
        foreach (Exceptions group in Known.Where(group => group.Reason == BaselineVaried))
        {
            PublishedTable table = PublishedFigures.Get(group.Set).Tables.Single(table => table.Name == group.Table);
            foreach (PublishedRow row in table.Rows.Where(row =>
                group.Rows.Any(text => text.StartsWith($"{row.Method} {Describe(row.Parameters)}:", StringComparison.Ordinal))))
            {
                PublishedRow baseline = table.BaselineOf(row)!;
                Assert.True(table.Figure(baseline, "stdDev") / table.Figure(baseline, "mean") > 0.19);
            }
        }
    }

    [Fact]
    public void Allocation_ratios_follow_from_the_allocations()
    {
        foreach (PublishedTable table in PublishedFigures.For("transfers").SelectMany(set => set.Tables))
        {
            Assert.All(table.Rows, row =>
            {
                double computed = table.Figure(row, "allocated")!.Value / table.Figure(table.BaselineOf(row)!, "allocated")!.Value;

                // The allocations are printed with two decimals, too.
                Assert.Equal(table.Figure(row, "allocRatio")!.Value, computed, 0.005 + (computed * 0.0001));
            });
        }
    }

    [Fact]
    public void Throughput_follows_from_the_time_except_in_the_one_wrong_cell()
    {
        (PublishedTable table, PublishedRow row) = Assert.Single(
            from inner in PublishedFigures.Get("url-bytes").Tables
            from item in inner.Rows
            let throughput = inner.Figure(item, "throughput")
            where throughput is not null
            let wall = inner.Figure(item, "wall")!.Value

            // The published throughput is 128,000 by the milliseconds, both rounded.
            where throughput > (128_000 / (wall - 0.5)) + 0.5 || throughput < (128_000 / (wall + 0.5)) - 0.5
            select (inner, item));
        Assert.Equal("M2 MacBook Air: medians", table.Name);
        Assert.Equal("Increments.Reduce", row.OurMethod);
        Assert.Equal((709, 167), (table.Figure(row, "wall"), table.Figure(row, "throughput")));
    }

    [Theory]
    [InlineData("wall", "Time (wall clock) (ms)", 0)]
    [InlineData("cpu", "Time (total CPU) (ms)", 0)]
    [InlineData("peak", "Memory (resident peak) (M)", 1)]
    public void Medians_are_those_of_the_percentiles_except_in_the_one_cell_that_disagrees(
        string column, string metric, int expected)
    {
        IReadOnlyList<PublishedTable> tables = PublishedFigures.Get("url-bytes").Tables;
        string[] different =
        [
            .. from medians in tables.Where(table => table.Name.EndsWith("medians", StringComparison.Ordinal))
               let percentiles = tables.Single(table =>
                   table.Machine == medians.Machine && table.Name.EndsWith("percentiles", StringComparison.Ordinal))
               from row in medians.Rows
               let other = percentiles.Rows.Single(item => item.Method == row.Method && item.Metric == metric)
               where medians.Figure(row, column) != percentiles.Figure(other, "p50")
               select $"{medians.Machine} {row.OurMethod}: {medians.Figure(row, column)}, {percentiles.Figure(other, "p50")}",
        ];
        Assert.Equal(expected == 0 ? [] : ["M2 MacBook Air Completion.Reduce: 485, 451"], different);
    }

    private static string Describe(CaseParameters parameters) => string.Join('/', new[]
    {
        parameters.Buffer?.ToString(CultureInfo.InvariantCulture),
        parameters.Bytes?.ToString(CultureInfo.InvariantCulture),
        parameters.Options,
        parameters.Direction,
        parameters.Compression,
        parameters.Transport,
    }.OfType<string>());

    private sealed record Exceptions(string Set, string Table, string Reason, string[] Rows);
}
