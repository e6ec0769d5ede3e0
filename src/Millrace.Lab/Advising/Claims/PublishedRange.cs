using Millrace.Lab.Published;

namespace Millrace.Lab.Advising.Claims;

/// <summary>Ranges of published figures, for the sentences that quote them.</summary>
internal static class PublishedRange
{
    /// <summary>The id of the benchmark that most claims are from.</summary>
    public const string FilePipelines = "file-pipelines";

    /// <summary>The id of the one about reading from an address.</summary>
    public const string UrlBytes = "url-bytes";

    private const string Scan = "SequentialScan";
    private const string Asynchronous = "SequentialScan|Asynchronous";

    /// <summary>Ratios to the synchronous FileStream of methods that begin so.</summary>
    public static string RatiosOf(string method)
    {
        PublishedTable table = PublishedFigures.Get(FilePipelines).Tables[0];
        return Figures.Times(
            from row in table.Rows
            where row.Method.StartsWith(method, StringComparison.Ordinal) && row.Parameters.Options == Scan
            let ratio = table.Figure(row, "ratio")
            where ratio is not null
            select ratio.Value);
    }

    /// <summary>The time with the option Asynchronous by that without, of methods that begin so; the native pipe ignores it.</summary>
    public static string CostOfAsynchronous(string method)
    {
        PublishedTable table = PublishedFigures.Get(FilePipelines).Tables[0];
        return Figures.Times(
            from row in table.Rows
            where row.Method.StartsWith(method, StringComparison.Ordinal) && row.Method != "PipelineNative"
                && row.Parameters.Options == Asynchronous
            let other = table.Rows.First(item => item.Method == row.Method
                && item.Parameters == row.Parameters with { Options = Scan })
            select table.Figure(row, "mean")!.Value / table.Figure(other, "mean")!.Value);
    }

    /// <summary>Processors in use at a time, reading from an address.</summary>
    public static string Processors()
    {
        double[] cores =
        [
            .. from table in PublishedFigures.Get(UrlBytes).Tables
               from row in table.Rows
               let cpu = table.Figure(row, "cpu")
               where cpu is not null
               select cpu.Value / table.Figure(row, "wall")!.Value,
        ];
        return $"{Figures.Ratio(cores.Min())} to {Figures.Ratio(cores.Max())}";
    }
}
