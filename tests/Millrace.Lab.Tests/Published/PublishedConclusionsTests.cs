namespace Millrace.Lab.Tests.Published;

public sealed class PublishedConclusionsTests
{
    private const string Scan = "SequentialScan";
    private const string Async = "SequentialScan|Asynchronous";

    [Theory]
    [InlineData("file-pipelines", "PipelineAdapter", 1.76, 3.76, 2.58)]
    [InlineData("file-pipelines", "PipelineNative", 1.86, 7.19, 5.36)]
    [InlineData("file-pipelines", "FileStreamAsync", 1.36, 1.92, 1.69)]
    [InlineData("file-pipelines-earlier", "PipelineAdapter", 1.86, 4.79, 3.03)]
    [InlineData("file-pipelines-earlier", "PipelineNative", 1.85, 15.91, 6.79)]
    [InlineData("file-pipelines-earlier", "FileStreamAsync", 1.34, 2.79, 1.87)]
    public void Pipes_and_async_reads_took_more_time_than_a_synchronous_FileStream(
        string id, string methods, double smallest, double largest, double average)
    {
        PublishedTable table = Assert.Single(PublishedFigures.Get(id).Tables);
        double[] ratios =
        [
            .. table.Rows
                .Where(row => row.Method.StartsWith(methods, StringComparison.Ordinal) && row.Parameters.Options == Scan)
                .Select(row => table.Figure(row, "ratio")).OfType<double>(),
        ];
        Assert.Equal((smallest, largest), (ratios.Min(), ratios.Max()));
        Assert.Equal(average, ratios.Average(), 0.005);
    }

    [Theory]
    [InlineData(50, 1.44, "PipelineAdapter", "FileStream")]
    [InlineData(10, 1.80, "FileStreamSync")]
    public void Opening_asynchronously_cost_all_but_the_native_pipe_up_to_11_42_times_the_time(
        int rows, double smallest, params string[] methods)
    {
        double[] costs = [.. CostsOfAsynchronous(methods)];
        Assert.Equal(rows, costs.Length);
        Assert.Equal((smallest, 11.42), (Math.Round(costs.Min(), 2), Math.Round(costs.Max(), 2)));
    }

    [Fact]
    public void Larger_buffers_were_faster_up_to_the_largest()
    {
        PublishedTable table = Assert.Single(PublishedFigures.Get("file-pipelines").Tables);
        foreach (IGrouping<object, PublishedRow> group in table.Rows
            .Where(row => table.Figure(row, "mean") is not null)
            .GroupBy(object (row) => (row.Method, row.Parameters.Bytes, row.Parameters.Options)))
        {
            double?[] means = [.. group.OrderBy(row => row.Parameters.Buffer).Select(row => table.Figure(row, "mean"))];
            Assert.Equal(means.OrderDescending(), means);
        }
    }

    [Theory]
    [InlineData("download", "none", 1.73, 2.24)]
    [InlineData("upload", "none", 0.70, 1.56)]
    [InlineData("upload", "gzip", 0.31, 0.62)]
    public void Downloads_over_gRPC_took_more_time_than_HttpClient_and_large_uploads_less(
        string direction, string compression, double smallest, double largest)
    {
        double[] ratios =
        [
            .. from table in PublishedFigures.Get("uploads-downloads").Tables
               where table.Name.StartsWith("Grpc.Net.Client with", StringComparison.Ordinal)
                   || (direction == "download" && table.Name.StartsWith("Grpc.Net.Client vs", StringComparison.Ordinal))
               from row in table.Rows
               where row.Method is "Default" or "RentedArray" or "NetChannel"
                   && row.Parameters.Direction == direction && row.Parameters.Compression == compression
               select table.Figure(row, "ratio")!.Value,
        ];
        Assert.Equal((smallest, largest), (ratios.Min(), ratios.Max()));
    }

    [Theory]
    [InlineData("Default", "none", 4096, 26.4, 34.3)]
    [InlineData("Default", "none", 65536, 25.2, 26.1)]
    [InlineData("RentedArray", "none", 4096, 1.6, 9.4)]
    [InlineData("RentedArray", "none", 65536, 0.23, 1.15)]
    [InlineData("HttpClient", "none", 4096, 0.95, 1.65)]
    [InlineData("HttpClient", "none", 65536, 0.14, 0.87)]
    public void An_array_per_message_allocates_as_much_as_the_file_and_rented_arrays_little(
        string method, string compression, int smallestBuffer, double smallestMib, double largestMib)
    {
        double[] mib =
        [
            .. from table in PublishedFigures.Get("uploads-downloads").Tables
               from row in table.Rows
               where row.Method == method && row.Parameters.Compression == compression
                   && (smallestBuffer == 4096 ? row.Parameters.Buffer == 4096 : row.Parameters.Buffer >= smallestBuffer)
               select table.Figure(row, "allocated")!.Value / 1024,
        ];
        Assert.Equal(smallestMib, mib.Min(), 0.06);
        Assert.Equal(largestMib, mib.Max(), 0.06);
    }

    [Theory]
    [InlineData("M2 MacBook Air", 36, 79, 765, 26, 19.4)]
    [InlineData("10-core iMac Pro (Intel Xeon)", 56, 138, 1181, 23, 25.7)]
    public void Increments_over_a_raw_buffer_won_and_everything_at_once_with_forEach_lost(
        string machine, double best, double asyncBytes, double worst, double bestPeak, double peakRatio)
    {
        PublishedTable table = Machines.Single(table => table.Machine == machine);
        PublishedRow first = table.Rows.MinBy(row => table.Figure(row, "wall"))!;
        PublishedRow last = table.Rows.MaxBy(row => table.Figure(row, "wall"))!;
        Assert.Equal(("Increments.Span", "AllAtOnce.ForEach"), (first.OurMethod, last.OurMethod));
        Assert.Equal((best, worst, bestPeak), (table.Figure(first, "wall"), table.Figure(last, "wall"), table.Figure(first, "peak")));
        Assert.Equal(21, worst / best, 0.3);
        Assert.Equal(
            asyncBytes,
            table.Figure(table.Rows.Single(row => row.OurMethod == "AsyncBytes.AwaitForEach"), "wall"));
        Assert.Equal(bestPeak, table.Rows.Min(row => table.Figure(row, "peak")));
        Assert.Equal(peakRatio, table.Rows.Max(row => table.Figure(row, "peak"))!.Value / bestPeak, 0.05);
    }

    [Fact]
    public void Figures_that_claims_quote_follow_from_the_rows()
    {
        string[] arrivals = ["AllAtOnce", "Increments", "Completion"];
        Quotes("increments", "{0} times", Ratios("wall", way => way == Baseline ? null : Baseline));
        Quotes("async bytes", "{0} times", Ratios("wall", way => way.Arrival == "AsyncBytes" ? Baseline : null));
        Quotes("raw buffer", "{0} times", OfWalks("wall", ["For", "ForEach", "Reduce"], "Span", arrivals));
        Quotes("memory of a view", "{0} as high", OfWalks("peak", ["Span"], "For", ["AllAtOnce", "Completion"]));
        Quotes(
            "peak memory",
            "{0} times with the same walk",
            Ratios("peak", way => way.Arrival is "AllAtOnce" or "Completion" ? way with { Arrival = "Increments" } : null));
        Quotes("peak memory", "{0} times between", Machines.Select(table =>
            table.Rows.Max(row => table.Figure(row, "peak")!.Value) / table.Rows.Min(row => table.Figure(row, "peak")!.Value)));
        Quotes("processors", "({0} there)", from table in PublishedFigures.Get("url-bytes").Tables
                                            from row in table.Rows
                                            let cpu = table.Figure(row, "cpu")
                                            where cpu is not null
                                            select cpu.Value / table.Figure(row, "wall")!.Value);
        Quotes("for loops", "{0} times", OfWalks("wall", ["ForEach", "Reduce"], "For", arrivals));
        Quotes("forEach and reduce", "{0} times", OfWalks("wall", ["Reduce"], "ForEach", arrivals));
        double[][] walls = [.. Machines.Select(table =>
            table.Rows.OrderBy(row => row.OurMethod, StringComparer.Ordinal).Select(row => table.Figure(row, "wall")!.Value).ToArray())];
        Assert.Contains($"rank correlation {ClaimEvaluator.RankCorrelation(walls[0], walls[1]):0.00} ", Says("machines"), StringComparison.Ordinal);
        Assert.Contains(
            string.Join(" and ", Machines.Select(table => $"{table.Rows.Max(row => table.Figure(row, "throughput")!.Value):#,0}").Order()),
            Says("limits"),
            StringComparison.Ordinal);
    }

    private static readonly (string Arrival, string Walk) Baseline = ("Increments", "Span");

    private static IEnumerable<PublishedTable> Machines =>
        PublishedFigures.Get("url-bytes").Tables.Where(table => table.Name.EndsWith("medians", StringComparison.Ordinal));

    private static void Quotes(string topic, string format, IEnumerable<double> ratios) => Assert.Contains(
        string.Format(CultureInfo.InvariantCulture, format, $"{ratios.Min():0.00} to {ratios.Max():0.00}"),
        Says(topic).Replace(" times as high", " as high", StringComparison.Ordinal),
        StringComparison.Ordinal);

    private static string Says(string topic) => PublishedFigures.Get("url-bytes").Claims.Single(claim => claim.Topic == topic).Says;

    // Figures of rows by those of the rows that they are compared with, on every machine.
    private static IEnumerable<double> Ratios(
        string column, Func<(string Arrival, string Walk), (string Arrival, string Walk)?> against) =>
        from table in Machines
        from row in table.Rows
        let parts = row.OurMethod!.Split('.')
        let other = against((parts[0], parts[1]))
        where other is not null
        let their = table.Rows.First(item => item.OurMethod == $"{other.Value.Arrival}.{other.Value.Walk}")
        select table.Figure(row, column)!.Value / table.Figure(their, column)!.Value;

    private static IEnumerable<double> OfWalks(string column, string[] walks, string other, string[] arrivals) =>
        Ratios(column, way => walks.Contains(way.Walk) && arrivals.Contains(way.Arrival) ? way with { Walk = other } : null);

    private static IEnumerable<double> CostsOfAsynchronous(params string[] methods)
    {
        PublishedTable table = Assert.Single(PublishedFigures.Get("file-pipelines").Tables);
        return from row in table.Rows
               where row.Parameters.Options == Async && methods.Any(name => row.Method.StartsWith(name, StringComparison.Ordinal))
               let other = table.Rows.Single(item =>
                   item.Method == row.Method && item.Parameters == row.Parameters with { Options = Scan })
               select table.Figure(row, "mean")!.Value / table.Figure(other, "mean")!.Value;
    }
}
