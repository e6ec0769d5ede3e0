namespace Millrace.Lab.Advising;

/// <summary>Advice on reading files, and on what all suites that read have in common.</summary>
internal static class FileRules
{
    // Below this, memory does not matter even for hundreds of files at once: some buffers and objects.
    private const double SmallMemory = ByteSize.MiB;

    // A caller that is blocked for less than half the time is free to do something else.
    private const double Blocked = 0.5;

    // More processors than this are not the garbage collector or the kernel's own work.
    private const double MoreThanOneProcessor = 1.25;

    // The kernel's choice of page sizes was seen to move a mapping by up to 2.5 times; less than this is no reason to warn.
    private const double FillMatters = 1.2;

    // With fewer calls than this the price of each drowns in everything else.
    private const double MinCalls = 1000;

    // Truncating a file that is mapped by the framework ends the process: never the first choice.
    private const string Mapped = "MemoryMapped";

    /// <summary>The fastest method, the others that are as fast, and which of these takes the least processor time.</summary>
    public static IEnumerable<Advice> BestMethod(SituatedCases cases) =>
        from situation in cases.Situations
        let best = situation.BestOfEach()
        where best.Count > 1
        let first = best[0]
        let equal = best.Where(item => item == first || (situation.IsNearBest(item)
            && cases.Compare(item, first).Verdict is not (VerdictWords.Faster or VerdictWords.Slower))).ToArray()
        let chosen = equal.OrderBy(item => item.Method == Mapped).ThenBy(item => Figures.Cpu(item) ?? double.MaxValue).First()
        let reference = best.FirstOrDefault(item => item.Baseline) ?? first
        let shown = equal.Concat(best.Where(item => item.Baseline && !equal.Contains(item)).Take(1)).ToArray()
        select Advisor.Hint(
            "method",
            $"{situation.Name}: {first.Method} is fastest with {Figures.Time(first)}; {OthersAsFast(equal)}.",
            shown.Select(item => new AdviceEvidence(
                item,
                Figures.Time(item)
                    + (item == reference ? "" : $", {Figures.Ratio(Figures.RatioOf(item, reference))} of {reference.Method}'s best")
                    + Figures.CpuText(item))),
            UseOf(chosen, equal),
            SnippetText.Of(chosen.Method, chosen.Parameters.Buffer),
            CheckCommand.Again(cases.Results, shown.Select(item => item.Method)));

    public static string OthersAsFast(CaseResult[] equal) => equal.Length == 1
        ? "nothing else is as fast"
        : "no measurable difference to " + Figures.List(equal.Skip(1).Select(item => item.Method));

    private static string UseOf(CaseResult chosen, CaseResult[] equal)
    {
        // File pipes read in large blocks whatever the caller asks for.
        string at = IsFilePipe(chosen) || chosen.Parameters.Buffer is null ? "" : $" with {Figures.Buffer(chosen)}";
        return chosen.Method == Mapped
            ? "Read it mapped; with ReadStrategy.Mapped, because the framework's mapping ends the process when the file is "
                + "truncated."
            : equal.Any(item => item.Method == Mapped)
                ? $"Use {chosen.Method}{at}: the framework's mapping ends the process when the file is truncated."
                : equal.Length > 1 && Figures.Cpu(chosen) is not null
                    ? $"Use {chosen.Method}{at}: of those as fast it takes the least processor time."
                    : $"Use {chosen.Method}{at}.";
    }

    private static bool IsFilePipe(CaseResult item) => item.Method.StartsWith("FilePipe", StringComparison.Ordinal);

    /// <summary>The smallest buffer that is within the noise of a method's best.</summary>
    public static IEnumerable<Advice> SmallestBuffer(SituatedCases cases)
    {
        foreach (Situation situation in cases.Situations)
        {
            BufferChoice[] choices = [.. situation.Methods.Select(name => situation.ChooseBuffer(cases, name)).OfType<BufferChoice>()];
            if (choices.Length == 0)
            {
                continue;
            }

            BufferChoice main = choices.FirstOrDefault(choice => choice.Best.Baseline) ?? choices[0];
            string method = main.Best.Method;
            BufferChoice[] others = [.. choices.Where(choice => choice.Smallest == choice.All[0] && choice.Best.Method != method)];
            string buffer = Figures.Buffer(main.Smallest);
            string statement = main.Smallest == main.All[0]
                ? $"{situation.Name}: the buffer of {method} does not matter from {buffer} on."
                : $"{situation.Name}: {buffer} is enough for {method}; larger buffers make no measurable difference.";
            string? forSmallPieces = choices.Where(choice => choice.Best.Method != method && IsFilePipe(choice.Best))
                .Select(choice => choice.Smallest)
                .Where(situation.IsNearBest)
                .OrderBy(item => item.Parameters.Buffer).ThenBy(Figures.Median).FirstOrDefault()?.Method;
            yield return Advisor.Hint(
                "buffer",
                others.Length == 0
                    ? statement
                    : $"{statement} It does not matter for {string.Join(", ", others.Select(choice => choice.Best.Method))}.",
                choices.Select(choice => new AdviceEvidence(choice.Smallest, Describe(cases, choice))),
                $"Give {method} {buffer}."
                    + (forSmallPieces is null ? "" : $" If your code reads small pieces, use {forSmallPieces} and read as much as you need."),
                SnippetText.Of(method, main.Smallest.Parameters.Buffer),
                CheckCommand.Again(cases.Results, choices.Select(choice => choice.Best.Method)));
        }
    }

    private static string Describe(SituatedCases cases, BufferChoice choice)
    {
        CaseResult first = choice.All[0];
        string smallest = first == choice.Smallest
            ? ""
            : $"; {Figures.Buffer(first)} takes {Figures.Ratio(Figures.RatioOf(first, choice.Best))} times the best";
        return choice.Smallest == choice.Best
            ? $"{Figures.Time(choice.Best)}, the best{smallest}"
            : $"{Figures.Time(choice.Smallest)}, {Figures.Ratio(Figures.RatioOf(choice.Smallest, choice.Best))} of the best "
                + $"({Figures.Time(choice.Best)} at {Figures.Buffer(choice.Best)}), where the noise is "
                + $"{Figures.Percent(cases.Compare(choice.Smallest, choice.Best).Threshold ?? 0)}{smallest}";
    }

    /// <summary>Where memory is the price of speed: the methods that no other beats in both.</summary>
    public static IEnumerable<Advice> MemoryForSpeed(SituatedCases cases) => cases.Situations.SelectMany(situation => new[]
    {
        Front(cases, situation, "peak memory over idle", item => item.Summary!.PeakOverIdleBytes),
        Front(cases, situation, "allocated memory", item => item.Summary!.AllocatedBytes),
    }.OfType<Advice>());

    private static Advice? Front(SituatedCases cases, Situation situation, string what, Func<CaseResult, double?> memoryOf)
    {
        List<CaseResult> front = [];
        foreach (CaseResult item in situation.Cases.Where(item => memoryOf(item) is not null).OrderBy(Figures.Median)
            .ThenBy(item => memoryOf(item)))
        {
            if (front.Count > 0 && !(memoryOf(item) <= memoryOf(front[^1]) - SmallMemory))
            {
                continue;
            }

            // A method as fast and clearly smaller replaces it; a clearly slower one comes later.
            if (front.Count > 0 && !cases.IsSlower(item, front[^1]))
            {
                front.RemoveAt(front.Count - 1);
            }

            front.Add(item);
        }

        if (front.Count < 2)
        {
            return null;
        }

        CaseResult fast = front[0];
        CaseResult small = front[^1];
        return Advisor.Hint(
            "memory",
            $"{situation.Name}: memory is the price of speed. {fast.Method} takes {Figures.Ratio(Figures.RatioOf(fast, small))} of the "
                + $"time of {small.Method} and {Figures.Bytes(memoryOf(fast)!.Value)} instead of "
                + $"{Figures.Bytes(memoryOf(small)!.Value)} of {what}.",
            front.Select(item => new AdviceEvidence(item, $"{Figures.Time(item)}, {Figures.Bytes(memoryOf(item)!.Value)} of {what}")),
            $"Where many {situation.Thing}s are read at once or memory is short, use {small.Method}; otherwise {fast.Method}.",
            SnippetText.Of(small.Method, small.Parameters.Buffer),
            CheckCommand.Again(cases.Results, front.Select(item => item.Method).Distinct()));
    }

    /// <summary>Where time is bought with a second processor, which a busy machine does not have.</summary>
    public static IEnumerable<Advice> ProcessorTime(SituatedCases cases)
    {
        foreach (Situation situation in cases.Hot)
        {
            CaseResult[] best = [.. situation.BestOfEach().Where(item => Figures.Cpu(item) is not null)];
            CaseResult? thrifty = best.Where(item => item.Method != Mapped).MinBy(Figures.Cpu);
            CaseResult? fast = thrifty is null ? null : best.FirstOrDefault(item => Figures.Cores(item) > MoreThanOneProcessor
                && Figures.Cpu(item) > Figures.Cpu(thrifty) * MoreThanOneProcessor
                && cases.IsFaster(item, thrifty));

            // A program that has a pipe needs a pipe: Buffered is ReadAhead without the second thread.
            CaseResult? calm = fast is null ? null
                : best.FirstOrDefault(item => item.Method == "FilePipeBuffered" && Figures.Cpu(item) < Figures.Cpu(fast))
                    ?? best.Where(item => item.Method != Mapped && item != fast).MinBy(Figures.Cpu);
            if (fast is null || calm is null)
            {
                continue;
            }

            yield return Advisor.Hint(
                "processor time",
                $"{situation.Name}: {fast.Method} is fast because it uses {Figures.Number(Figures.Cores(fast)!.Value)} processors: "
                    + $"{Figures.Ratio(Figures.RatioOf(fast, calm))} of the time of {calm.Method}, "
                    + $"{Figures.Ratio((Figures.Cpu(fast) / Figures.Cpu(calm))!.Value)} times its processor time.",
                new[] { fast, calm }.Select(item => new AdviceEvidence(
                    item,
                    Figures.Time(item) + Figures.CpuText(item)
                        + (Figures.Cores(item) is { } cores ? $", {Figures.Number(cores)} processors at a time" : ""))),
                $"When one {situation.Thing} has to be read soon, use {fast.Method}. When every processor has work, as in a server "
                    + $"under load, use {calm.Method}: it reads more {situation.Thing}s with the same processors.",
                SnippetText.Of(calm.Method, calm.Parameters.Buffer),
                CheckCommand.Again(cases.Results, fast.Method, calm.Method));
        }
    }

    /// <summary>The price of a call into the kernel: the time that small buffers add, divided by the calls that they add.</summary>
    public static IEnumerable<Advice> SystemCallPrice(SituatedCases cases)
    {
        CaseResult[] all = cases.Baseline is { } baseline
            ? [.. cases.Hot.FirstOrDefault()?.Of(baseline).Where(item => Calls(item) is not null) ?? []]
            : [];
        if (all.Length < 2)
        {
            yield break;
        }

        CaseResult many = all.MaxBy(Calls)!;
        CaseResult few = all.MinBy(Figures.Median)!;
        double calls = Calls(many)!.Value - Calls(few)!.Value;
        if (calls < MinCalls || !cases.IsSlower(many, few))
        {
            yield break;
        }

        yield return Advisor.Hint(
            "system calls",
            $"A call that reads costs about {(Figures.Median(many) - Figures.Median(few)) / calls:0} ns here, besides copying: "
                + $"{calls:#,0} more of them make {many.Method} take {Figures.Ratio(Figures.RatioOf(many, few))} times as long.",
            [
                .. new[] { many, few }.Select(item => new AdviceEvidence(item, $"{Figures.Time(item)}, {Calls(item):#,0} calls")),
                .. cases.Results.Machine.Mitigations is { } mitigations
                    ? new[] { new AdviceEvidence($"the kernel pays for flaws of the processor at every call: {mitigations}") }
                    : [],
            ],
            "Read in large pieces and hand out small ones, as a file pipe does, instead of asking the kernel for each.",
            SnippetText.Of("FilePipe"),
            CheckCommand.Again(cases.Results, "FilePipe", many.Method));

        static double? Calls(CaseResult item) => item.Summary!.SystemCalls ?? item.Summary.ReadCalls;
    }

    /// <summary>Mapping is as fast as the pieces in which the kernel cached the file: good in one run, bad after another writer.</summary>
    public static IEnumerable<Advice> MappedFill(SituatedCases cases)
    {
        List<CaseResult> untested = [];
        foreach (IGrouping<(string Method, long? Bytes), CaseResult> group in cases.All
            .Where(item => item.Method.Contains("Mapped", StringComparison.Ordinal) && item.Parameters.Cache == "hot")
            .GroupBy(item => (item.Method, item.Parameters.Bytes)))
        {
            CaseResult[] fills = [.. group.GroupBy(item => item.Parameters.CacheFill).Select(fill => fill.MinBy(Figures.Median)!)];
            CaseResult best = fills.MinBy(Figures.Median)!;
            CaseResult worst = fills.MaxBy(Figures.Median)!;
            if (fills.Length > 1 && Figures.RatioOf(worst, best) > FillMatters && cases.IsSlower(worst, best))
            {
                yield return Advisor.Hint(
                    "mapping",
                    $"{best.Method} depends on who wrote the file: it takes {Figures.Ratio(Figures.RatioOf(worst, best))} times as long "
                        + $"after {worst.Parameters.CacheFill} as after {best.Parameters.CacheFill}.",
                    TimesOf(best, worst),
                    "Map a file only if you know how it came into the page cache; otherwise let FilePipe choose.",
                    SnippetText.Of("FilePipe"),
                    CheckCommand.Full(cases.Results, best.Method, "FilePipe")) with
                { Kind = AdviceKind.Warning };
            }
            else if (fills.Length == 1 && IsTempting(cases, best))
            {
                untested.Add(best);
            }
        }

        if (untested.Count > 0)
        {
            string[] methods = [.. untested.Select(item => item.Method).Distinct()];
            yield return Advisor.Hint(
                "mapping",
                $"{string.Join(" and ", methods)} looked fast on a file that came into the cache by "
                    + $"{untested[0].Parameters.CacheFill ?? "unknown ways"}. Other methods can make a mapping more than twice as slow.",
                TimesOf([.. untested]),
                "Measure the other methods before you rely on it.",
                null,
                CheckCommand.Full(cases.Results, methods)) with
            { Kind = AdviceKind.Warning };
        }
    }

    private static bool IsTempting(SituatedCases cases, CaseResult mapped) =>
        cases.Situations.FirstOrDefault(situation => situation.Cases.Contains(mapped)) is { } situation
        && cases.Baseline is { } baseline && situation.Best(baseline) is { } stream && cases.IsFaster(mapped, stream);

    private static IEnumerable<AdviceEvidence> TimesOf(params CaseResult?[] items) =>
        items.OfType<CaseResult>().Select(item => new AdviceEvidence(item, Figures.Time(item)));

    /// <summary>A file that is not in the page cache: the disk decides, and methods differ in whose thread waits for it.</summary>
    public static IEnumerable<Advice> Cold(SituatedCases cases)
    {
        foreach (Situation cold in cases.Situations.Where(situation => situation.IsCold && situation.Cases.Count > 1))
        {
            CaseResult best = cold.Cases.MinBy(Figures.Median)!;
            if (cold.Cases.All(item => item == best || cases.IsSame(item, best)))
            {
                CaseResult? hot = cases.Hot.FirstOrDefault(item => item.Parameters.Bytes == cold.Parameters.Bytes)?.Best(best.Method);
                yield return Advisor.Hint(
                    "disk",
                    $"{cold.Name}: the disk decides. Neither method nor buffer makes a measurable difference"
                        + (hot is null
                            ? "."
                            : $"; in the page cache the same file takes {Figures.Ratio(Figures.RatioOf(hot, best))} of the time."),
                    TimesOf(best, cold.Cases.MaxBy(Figures.Median), hot),
                    "Choose by another criterion than speed, and keep data that is read often in memory.",
                    null,
                    CheckCommand.Again(cases.Results, cold.Methods));
            }

            CaseResult[] known = [.. cold.Cases.Where(item => item.Summary!.CallingThreadShare is not null)];
            CaseResult? free = known.Where(cold.IsNearBest).MinBy(Share);
            CaseResult? blocked = known.MaxBy(Share);
            if (free is not null && blocked is not null && Share(blocked) > Blocked && Share(free) <= Blocked)
            {
                yield return Advisor.Hint(
                    "waiting",
                    $"{cold.Name}: {blocked.Method} keeps its caller for {Figures.Percent(Share(blocked)!.Value)} of the time, "
                        + $"{free.Method} for {Figures.Percent(Share(free)!.Value)}.",
                    new[] { blocked, free }.Select(item => new AdviceEvidence(
                        item, $"{Figures.Time(item)}, of which {Figures.Percent(Share(item)!.Value)} inside the calls that read")),
                    $"If the thread has other work, as in a server or a user interface, use {free.Method}.",
                    SnippetText.Of(free.Method, free.Parameters.Buffer),
                    CheckCommand.Again(cases.Results, blocked.Method, free.Method));
            }
        }

        static double? Share(CaseResult item) => item.Summary!.CallingThreadShare;
    }
}
