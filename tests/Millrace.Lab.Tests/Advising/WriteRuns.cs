namespace Millrace.Lab.Tests.Advising;

internal static class WriteRuns
{
    /// <summary>A quick run as it may be: small chunks dear to a FileStream, flushes dear to everyone, a disk that is shared well.</summary>
    public static LabResults Everything { get; } = Of([.. All()]);

    public static CaseResult Write(string method, int chunk, double ms, string durability = "none", long bytes = Runs.Large) =>
        Case(method, ms, new CaseParameters { Bytes = bytes, Chunk = chunk, Durability = durability });

    public static CaseResult Copy(string method, double ms) =>
        Case(method, ms, new CaseParameters { Bytes = Runs.Large, Cache = "hot", Durability = "none" });

    /// <summary>A case of reading one in parts; in one, by one reader.</summary>
    public static CaseResult Scan(int degree, double ms, string content = "integers") => Case(
        degree == 1 ? "FilePipe" : "FilePipeScan",
        ms,
        new CaseParameters { Bytes = Runs.Large, Cache = "hot", Content = content, Degree = degree });

    public static CaseResult Append(int writers, double ms, string method = "FilePipeAppend")
    {
        CaseResult item = Case(
            method,
            ms,
            new CaseParameters { Bytes = 204_800, Durability = "every record", Records = 2048, Writers = writers });
        return item with { Summary = item.Summary! with { RecordsPerSecond = 2048 / (ms / 1000) } };
    }

    public static LabResults Of(params CaseResult[] cases) => Runs.Of(cases) with { Suite = "writes" };

    public static Advice[] Apply(Func<SituatedCases, IEnumerable<Advice>> rule, params CaseResult[] cases) => Runs.Apply(rule, Of(cases));

    private static CaseResult Case(string method, double ms, CaseParameters parameters)
    {
        CaseResult item = Runs.Case(method, 0, ms, cpu: ms);
        return item with
        {
            Baseline = method is "FileStreamSync" or "FileCopy"
                || (method == "FilePipe" && parameters.Degree == 1)
                || (method == "FilePipeAppend" && parameters.Writers == 1),
            Parameters = parameters,
        };
    }

    private static IEnumerable<CaseResult> All()
    {
        foreach (long bytes in new[] { Runs.Small, Runs.Large })
        {
            double scale = bytes / (double)Runs.Large;
            foreach ((int chunk, double stream, double pipe) in new[]
            {
                (512, 150.0, 30.0), (4096, 60, 40), (65536, 28, 28.1), (1048576, 30, 30.1),
            })
            {
                yield return Write("FileStreamSync", chunk, stream * scale, bytes: bytes);
                yield return Write("FilePipe", chunk, pipe * scale, bytes: bytes);
            }

            yield return Write("FileStreamDefaultBuffer", 512, 58 * scale, bytes: bytes);
            yield return Write("FileStreamSync", 65536, 110 * scale, "commit", bytes);
            yield return Write("FilePipe", 65536, 90 * scale, "commit", bytes);
        }

        yield return Write("WriteAllBytes", 65536, 20);
        yield return Write("RandomAccess", 65536, 27.9);
        yield return Write("FileStreamSync", 4096, 2, "commit", 4096);
        yield return Write("FilePipe", 4096, 1.9, "commit", 4096);
        yield return Copy("FileCopy", 36) with { Strategy = null };
        yield return Copy("Cp", 41);
        yield return Copy("FilePipeCopy", 36.1) with { Strategy = "copy_file_range" };
        foreach (string content in new[] { "integers", "lines" })
        {
            yield return Scan(1, 18, content);
            yield return Scan(2, 10, content);
            yield return Scan(4, 10.05, content);
        }

        yield return Append(1, 780);
        yield return Append(8, 130);
        yield return Append(64, 20);
        yield return Append(1, 790, "FileStreamAppend");
    }
}
