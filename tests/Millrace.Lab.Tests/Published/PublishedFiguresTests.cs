namespace Millrace.Lab.Tests.Published;

public sealed class PublishedFiguresTests
{
    [Theory]
    [InlineData("file-pipelines", "files", "120")]
    [InlineData("file-pipelines-earlier", "files", "60")]
    [InlineData("uploads-downloads", "transfers", "18 18 36 12 12 18 18")]
    [InlineData("uploads-downloads-later", "transfers", "12 12")]
    [InlineData("url-bytes", "bytes", "14 14 98 98")]
    public void Every_row_of_every_table_is_there(string id, string suite, string rows)
    {
        PublishedSet set = PublishedFigures.Get(id);
        Assert.Equal(suite, set.Suite);
        Assert.Equal(rows, string.Join(' ', set.Tables.Select(table => table.Rows.Count)));
    }

    [Fact]
    public void The_sets_of_a_suite_are_found_by_its_name()
    {
        Assert.Equal(
            ["file-pipelines", "file-pipelines-earlier"],
            PublishedFigures.For("files").Select(set => set.Id));
        Assert.Equal(5, PublishedFigures.All.Count);
        Assert.Empty(PublishedFigures.For("nothing"));
        Assert.Throws<KeyNotFoundException>(() => PublishedFigures.Get("nothing"));
    }

    [Fact]
    public void Every_set_names_its_original_and_every_table_its_machine()
    {
        Assert.All(PublishedFigures.All, set =>
        {
            Assert.StartsWith("https://", set.Source, StringComparison.Ordinal);
            Assert.NotEmpty(set.Notes);
            Assert.All(set.Tables, table => Assert.NotEmpty(table.Machine + table.Runtime + table.Engine));
        });
    }

    [Fact]
    public void Every_row_has_a_value_for_every_column_and_no_two_rows_are_of_the_same_case()
    {
        foreach (PublishedTable table in PublishedFigures.All.SelectMany(set => set.Tables))
        {
            Assert.All(table.Rows, row => Assert.Equal(table.Columns.Count, row.Values.Count));
            Assert.Equal(
                table.Rows.Count,
                table.Rows.Select(row => (row.Method, row.Parameters, row.Metric)).Distinct().Count());
        }
    }

    [Fact]
    public void Only_the_case_that_failed_has_no_values()
    {
        (PublishedTable table, PublishedRow row) = Assert.Single(
            from set in PublishedFigures.All
            from inner in set.Tables
            from item in inner.Rows
            where item.Values.Any(value => value is null)
            select (inner, item));
        Assert.All(row.Values, value => Assert.Null(value));
        Assert.Equal("PipelineNative", row.Method);
        Assert.Equal(
            new CaseParameters { Buffer = 262144, Bytes = 4 << 20, Options = "SequentialScan" },
            row.Parameters);
        Assert.Null(table.Figure(row, "mean"));
    }

    [Fact]
    public void Only_unmatched_methods_have_a_reason()
    {
        foreach (PublishedTable table in PublishedFigures.All.SelectMany(set => set.Tables))
        {
            Assert.Equal(
                table.Rows.Where(row => row.OurMethod is null).Select(row => row.Method).Distinct().Order(StringComparer.Ordinal),
                table.Unmatched.Select(item => item.Method).Order(StringComparer.Ordinal));
            Assert.All(table.Unmatched, item => Assert.NotEmpty(item.Reason));
        }
    }

    [Fact]
    public void The_rows_of_ours_that_the_file_benchmarks_name_exist()
    {
        string[] named =
        [
            .. PublishedFigures.For("files").SelectMany(set => set.Tables).SelectMany(table => table.Rows)
                .Select(row => row.OurMethod).OfType<string>().Distinct(),
        ];
        Assert.Equal(
            ["FileStreamAsync", "FileStreamSync", "NerdbankStreams", "OverlappedPipe", "PipePump", "SocketsUnofficial"],
            named.Order(StringComparer.Ordinal));
        Assert.Subset(FilesSuite.AllMethods.ToHashSet(), named.ToHashSet());
    }

    [Fact]
    public void The_ways_to_read_from_an_address_are_those_of_their_names()
    {
        (string Published, string Ours)[] arrivals =
        [
            ("bytes(from:)", "AsyncBytes"), ("data(from:)", "AllAtOnce"), ("dataTask(with:) and an incremental delegate", "Increments"),
            ("dataTask(with:completionHandler:)", "Completion"),
        ];
        PublishedRow[] rows = [.. PublishedFigures.Get("url-bytes").Tables.SelectMany(table => table.Rows)];
        Assert.Equal(14, rows.Select(row => row.OurMethod).Distinct().Count());
        foreach (PublishedRow row in rows)
        {
            (string published, string arrival) = arrivals.Single(item => row.Method.StartsWith(item.Published, StringComparison.Ordinal));
            string walk = row.Method[published.Length..] switch
            {
                " and for loop" when arrival == "AsyncBytes" => "AwaitForEach",
                " and for loop" or " with for loop" => "For",
                " and for loop inside withUnsafeBytes" or " with for loop inside withUnsafeBytes" => "Span",
                " and forEach" or " with forEach" => "ForEach",
                " and reduce" or " with reduce" => "Reduce",
                var other => other,
            };
            Assert.Equal($"{arrival}.{walk}", row.OurMethod);
            Assert.Equal(("file", 1, 128L << 20), (row.Parameters.Source, row.Parameters.Readers, row.Parameters.Bytes));
        }
    }

    [Theory]
    [InlineData("FileStreamSync", 2048, 4 << 20, "SequentialScan|Asynchronous", "mean", 118926.0)]
    [InlineData("PipelineAdapter2", 16384, 4 << 20, "SequentialScan", "ratio", 3.76)]
    [InlineData("FileStreamSync", 2048, 128 << 20, "SequentialScan|Asynchronous", "allocated", 20504568)]
    public void Figures_match_the_original_table(
        string method, int buffer, long bytes, string options, string column, double expected)
    {
        PublishedTable table = Assert.Single(PublishedFigures.Get("file-pipelines").Tables);
        PublishedRow row = Assert.Single(table.Rows, row => row.Method == method
            && row.Parameters == new CaseParameters { Buffer = buffer, Bytes = bytes, Options = options });
        Assert.Equal(expected, table.Figure(row, column));
        Assert.Null(table.Figure(row, "no such column"));
        Assert.Equal("FileStreamSync", table.BaselineOf(row)!.Method);
    }
}
