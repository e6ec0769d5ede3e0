namespace Millrace.Lab.Advising;

/// <summary>Advice on writing, copying, appending and scanning.</summary>
internal static class WriteRules
{
    private const string FileStream = "FileStreamSync";
    private const string FilePipe = "FilePipe";
    private const string None = "none";
    private const string Commit = "commit";

    // Smaller chunks are gathered and not awaited one by one.
    private const int SmallChunk = 4096;

    // More than this for each byte of a large file, and the device is the price; of a small one it is its flushes.
    private const double ExpensiveDurability = 1.5;

    private sealed record Choice(CaseResult Best, CaseResult Stream, bool Matters)
    {
        public double Ratio => Figures.RatioOf(Best, Stream);
    }

    /// <summary>How to write at each length of chunk, without waiting for the device.</summary>
    public static IEnumerable<Advice> Writing(SituatedCases cases)
    {
        // Everything at once, in one array, has no chunks.
        IGrouping<long, CaseResult>? largest = cases.All
            .Where(item => item.Parameters is { Chunk: not null, Durability: None } && item.Method != "WriteAllBytes")
            .GroupBy(item => item.Parameters.Bytes ?? 0).MaxBy(group => group.Key);
        Choice[] choices =
        [
            .. from chunk in largest?.GroupBy(item => item.Parameters.Chunk!.Value) ?? []
               orderby chunk.Key
               let stream = chunk.FirstOrDefault(item => item.Method == FileStream)
               let best = chunk.MinBy(Figures.Median)
               where stream is not null && chunk.Skip(1).Any()
               select new Choice(best, stream, cases.IsFaster(best, stream)),
        ];
        if (choices.Length == 0)
        {
            yield break;
        }

        Choice[] apart = [.. choices.Where(choice => choice.Matters)];
        string alike = Chunks(choices.Where(choice => !choice.Matters));
        string file = Length(choices[0].Best);
        Choice? most = apart.MinBy(choice => choice.Ratio);
        yield return Advisor.Hint(
            "writing",
            most is null
                ? $"{file}, not durable: at {alike} nothing is faster than FileStream by more than the noise."
                : $"{file}, not durable: at {Chunks([most])} {most.Best.Method} takes {Figures.Ratio(most.Ratio)} of FileStream's time"
                    + (alike.Length == 0 ? "." : $"; at {alike} nothing is faster by more than the noise."),
            choices.Select(choice => new AdviceEvidence(choice.Best, Against(choice.Best, choice.Stream))),
            most is null
                ? "Take what suits the code: a FileStream without a buffer, or a file pipe for a file that appears whole or not at all."
                : string.Join(' ', apart.GroupBy(choice => choice.Best.Method).Select(group =>
                    $"Write chunks of {Chunks(group)} with {group.Key}.")),
            most switch
            {
                null => SnippetText.Of("Write.FileStreamSync"),
                { Best.Method: var method } when !method.StartsWith(FilePipe, StringComparison.Ordinal) => null,
                { Best.Parameters.Chunk: < SmallChunk } => SnippetText.Of("Write.Small"),
                _ => SnippetText.Of("Write.FilePipe"),
            },
            CheckCommand.Cases(
                cases.Results,
                apart.Select(choice => $"{choice.Best.Method}/*/none").Append($"{FileStream}*/*/none").Distinct()));

        static string Chunks(IEnumerable<Choice> choices) =>
            string.Join(", ", choices.Select(choice => ByteSize.ToText(choice.Best.Parameters.Chunk ?? 0)));
    }

    /// <summary>The cost of having a file on the device when its commit returns.</summary>
    public static IEnumerable<Advice> Durability(SituatedCases cases)
    {
        CaseResult[] durable =
        [
            .. cases.All.Where(item => item.Method == FilePipe && item.Parameters is { Chunk: not null, Durability: Commit })
                .GroupBy(item => item.Parameters.Bytes).OrderBy(group => group.Key)
                .Select(group => group.FirstOrDefault(item => Unflushed(item) is not null) ?? group.First()),
        ];
        if (durable.LastOrDefault(item => Unflushed(item) is not null) is not { } large)
        {
            yield break;
        }

        CaseResult unflushed = Unflushed(large)!;
        double ratio = Figures.RatioOf(large, unflushed);
        yield return Advisor.Hint(
            "durability",
            $"Having {Length(large)} on the device when the commit returns takes {Figures.Time(large)} instead of "
                + $"{Figures.Time(unflushed)}, {Figures.Ratio(ratio)} times as long"
                + (durable[0] == large ? "." : $"; for {Length(durable[0])} it takes {Figures.Time(durable[0])}."),
            durable.Select(item => new AdviceEvidence(
                item,
                Figures.Time(item)
                    + (Unflushed(item) is { } without ? $", {Figures.Time(without)} without waiting" : "")
                    + (cases.Find(FileStream, item.Parameters) is { } stream
                        ? $", {Figures.Ratio(Figures.RatioOf(item, stream))} of a FileStream that is flushed and renamed"
                        : ""))),
            ratio > ExpensiveDurability
                ? "Keep Durability.OnCommit, the default, for files that you report as saved; take Durability.None for files that can be made "
                    + "again, as caches and outputs of a build."
                : "Keep Durability.OnCommit, the default: it costs little here.",
            SnippetText.Of(ratio > ExpensiveDurability ? "Write.None" : "Write.FilePipe"),
            CheckCommand.Cases(cases.Results, $"{FilePipe}/*/commit", $"{FilePipe}/*/none", $"{FileStream}*/*/commit"));

        CaseResult? Unflushed(CaseResult item) => cases.Find(item.Method, item.Parameters with { Durability = None });
    }

    /// <summary>The cost of a durable record by the number of concurrent appenders.</summary>
    public static IEnumerable<Advice> Records(SituatedCases cases)
    {
        const string Append = "FilePipeAppend";
        CaseResult[] all =
            [.. cases.All.Where(item => item.Parameters is { Writers: not null, Records: > 0 }).OrderBy(item => item.Parameters.Writers)];
        CaseResult[] mine = [.. all.Where(item => item.Method == Append)];
        if (mine.Length < 2)
        {
            yield break;
        }

        CaseResult few = mine[0];
        CaseResult many = mine.MinBy(Price)!;
        bool pays = cases.IsFaster(many, few);
        string writers = few.Parameters.Writers == 1 ? "one writer" : $"{few.Parameters.Writers} writers";
        yield return Advisor.Hint(
            "records",
            $"A durable record takes {Figures.Time(Price(few))} with {writers}"
                + (pays
                    ? $" and {Figures.Time(Price(many))} with {many.Parameters.Writers}, which share the device's flushes."
                    : ", and no less with more of them."),
            all.Select(item => new AdviceEvidence(
                item,
                $"{Figures.Time(Price(item))} a record, {item.Parameters.Records / (Figures.Median(item) / 1e9):#,0} records per second")),
            pays
                ? "Give each producer of records a writer, and let each await its record: those that wait together wait once."
                : "Write several records before each flush: here those that wait together do not wait less.",
            SnippetText.Of(Append),
            CheckCommand.Cases(cases.Results, $"{Append}*", "FileStreamAppend"));

        static double Price(CaseResult item) => Figures.Median(item) / item.Parameters.Records!.Value;
    }

    public static IEnumerable<Advice> Copying(SituatedCases cases)
    {
        const string Framework = "FileCopy";
        const string Ours = "FilePipeCopy";
        const string Program = "Cp";
        CaseResult[] all =
        [
            .. cases.All.Where(item => item.Parameters is { Durability: not null, Chunk: null, Records: null }).OrderBy(Figures.Median),
        ];
        CaseResult? baseline = Array.Find(all, item => item.Method == Framework);
        if (baseline is null || all.Length < 2)
        {
            yield break;
        }

        // cp is the reference, and not a method of copying within a program.
        CaseResult fastest = Array.Find(all, item => item.Method != Program)!;
        bool faster = cases.IsFaster(fastest, baseline);
        bool hasOurs = Array.Exists(all, item => item.Method == Ours);
        yield return Advisor.Hint(
            "copying",
            $"{Length(baseline)} in the page cache: "
                + (faster
                    ? $"{fastest.Method} copies in {Figures.Ratio(cases.Compare(fastest, baseline).Ratio!.Value)} of File.Copy's time."
                    : "nothing copies faster than File.Copy by more than the noise."),
            all.Select(item => new AdviceEvidence(item, Against(item, baseline) + (item.Strategy is { } how ? $" ({how})" : ""))),
            (faster, hasOurs) switch
            {
                (true, true) when Array.Exists(all, item => item.Method == Ours && Figures.IsNear(item, fastest)) =>
                    "Copy with FilePipe.CopyAsync.",
                (true, _) => $"Copy as {fastest.Method} does.",
                (false, true) => "Copy with File.Copy, or with FilePipe.CopyAsync where the copy should appear whole or not at all, be "
                    + "durable, or be verified.",
                _ => "Copy with File.Copy.",
            },
            hasOurs ? SnippetText.Of(Ours) : null,
            CheckCommand.Cases(cases.Results, $"{Framework}*", Ours, Program));
    }

    /// <summary>In how many parts it pays to read a file.</summary>
    public static IEnumerable<Advice> Parts(SituatedCases cases)
    {
        const string Scan = "FilePipeScan";
        foreach (IGrouping<CaseParameters, CaseResult> group in cases.All.Where(item => item.Parameters.Degree is not null)
            .GroupBy(item => item.Parameters.WithoutDegree()).OrderBy(group => group.Key.Content, StringComparer.Ordinal))
        {
            CaseResult[] scans = [.. group.Where(item => item.Method == Scan).OrderBy(item => item.Parameters.Degree)];
            if (group.FirstOrDefault(item => item.Method != Scan) is not { } one || scans.MinBy(Figures.Median) is not { } best)
            {
                continue;
            }

            // The fewest parts that are within the noise of the best.
            CaseResult chosen = scans.First(item => item == best || (Figures.IsNear(item, best) && cases.IsSame(item, best)));
            bool pays = cases.IsFaster(best, one);
            string name = $"{Length(one)} of {one.Parameters.Content}";
            int? degree = chosen.Parameters.Degree;
            yield return Advisor.Hint(
                "parts",
                pays
                    ? $"{name}: {degree} parts at once take {Figures.Ratio(Figures.RatioOf(chosen, one))} of one reader's time"
                        + (chosen == scans[^1] ? "." : "; more bring no measurable gain.")
                    : $"{name}: parts at once are not faster than one reader by more than the noise.",
                scans.Prepend(one).Select(item => new AdviceEvidence(item, Against(item, one) + Figures.CpuText(item))),
                pays
                    ? $"Use FilePipe.ScanAsync with a degree of {degree} on a machine with {cases.Results.Machine.Cores} processors, "
                        + "where they have nothing else to do."
                    : "Read with one reader.",
                pays
                    ? SnippetText.Of(Scan)!.Replace("degree: 2", $"degree: {degree}", StringComparison.Ordinal)
                    : SnippetText.Of("FilePipeBuffered"),
                CheckCommand.Cases(cases.Results, $"FilePipe*/{one.Parameters.Content}/*"));
        }
    }

    private static string Length(CaseResult item) => ByteSize.ToText(item.Parameters.Bytes ?? 0);

    // The time and the ratio to another case.
    private static string Against(CaseResult item, CaseResult other) => item == other
        ? Figures.Time(item)
        : $"{Figures.Time(item)}, {Figures.Ratio(Figures.RatioOf(item, other))} of {other.Method}";
}
