
namespace Millrace.Lab.Advising.Claims;

/// <summary>"Pipes allocate less than FileStreams", and a synchronous read on an asynchronous handle allocates very much.</summary>
internal sealed class AllocationClaim : IAdviceRule
{
    private const string Topic = "allocations";
    private const string Sync = "FileStreamSync";
    private static readonly string[] Pipes = ["PipeReaderCreate", "PipePump", "FilePipe"];

    // The published worst is 20 MB for 128 MiB, 160 bytes for every KiB; a hundredth of the file is much, too.
    private const double Much = 0.01;

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases) => [LessThanStreams(cases), AsynchronousHandle(cases)];

    private static Advice LessThanStreams(SituatedCases cases)
    {
        const string Says = "All pipes allocate less than all FileStreams";
        string check = CheckCommand.Again(cases.Results, [.. Pipes, Sync]);
        (CaseResult Mine, CaseResult Other)[] pairs =
        [
            .. cases.Pairs(Sync, Pipes).Where(pair => pair.Mine.Summary!.AllocatedBytes is not null
                && pair.Other.Summary!.AllocatedBytes is not null),
        ];
        if (pairs.Length == 0)
        {
            return ClaimAdvice.CannotBeTold(Topic, PublishedRange.FilePipelines, Says, $"allocations of a pipe and of {Sync}", check);
        }

        CaseResult[] worst =
        [
            .. pairs.GroupBy(pair => pair.Mine.Method).Select(group => group.MaxBy(pair => pair.Mine.Summary!.AllocatedBytes).Mine),
            pairs.MaxBy(pair => pair.Other.Summary!.AllocatedBytes).Other,
        ];
        bool holds = pairs.All(pair => pair.Mine.Summary!.AllocatedBytes < pair.Other.Summary!.AllocatedBytes);
        return ClaimAdvice.Make(
            Topic,
            PublishedRange.FilePipelines,
            Says,
            holds ? Holds.Yes : Holds.No,
            (holds ? "Every pipe allocated less." : "Pipes allocated more.")
                + " There, a FileStream's array was new in each invocation; here all buffers are reused, and what remains is objects.",
            [
                .. worst.Select(item => new AdviceEvidence(
                    Figures.Id(item), $"{Figures.Bytes(item.Summary!.AllocatedBytes!.Value)} at most")),
            ],
            "Reuse the array or rent it; then allocations are no reason to choose between these.",
            SnippetText.Of(Sync),
            check);
    }

    private static Advice AsynchronousHandle(SituatedCases cases)
    {
        const string Says = "Read on a FileStream with FileOptions.Asynchronous allocates very much (up to 20 MB for 128 MiB)";
        CaseResult[] measured =
        [
            .. cases.All.Where(item => item.Method == Sync && SituatedCases.IsAsynchronous(item.Parameters)
                && item.Summary!.AllocatedBytes is not null && item.Parameters.Bytes > 0),
        ];
        string check = CheckCommand.Full(cases.Results, Sync);
        if (measured.Length == 0)
        {
            return ClaimAdvice.CannotBeTold(
                Topic, PublishedRange.FilePipelines, Says, $"{Sync} with that option, which only full mode has", check);
        }

        CaseResult worst = measured.MaxBy(item => item.Summary!.AllocatedBytes / item.Parameters.Bytes)!;
        bool much = worst.Summary!.AllocatedBytes / worst.Parameters.Bytes > Much;
        return ClaimAdvice.Make(
            Topic,
            PublishedRange.FilePipelines,
            Says,
            much ? Holds.Yes : Holds.No,
            $"At most {Figures.Bytes(worst.Summary.AllocatedBytes!.Value)} for {Figures.Where(worst)}.",
            [new AdviceEvidence(Figures.Id(worst), $"{Figures.Bytes(worst.Summary.AllocatedBytes.Value)} per invocation")],
            much
                ? "Never read synchronously from a FileStream that was opened with FileOptions.Asynchronous."
                : "Allocations are no reason to avoid it here; see what it costs in time.",
            null,
            check);
    }
}
