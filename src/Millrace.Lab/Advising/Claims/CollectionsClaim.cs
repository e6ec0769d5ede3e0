
namespace Millrace.Lab.Advising.Claims;

/// <summary>"A native file pipe needs no garbage collection, adapters do."</summary>
internal sealed class CollectionsClaim : IAdviceRule
{
    private const string Topic = "collections";

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        CaseResult[] pipes = Of(cases, "FilePipe");
        yield return Judge(
            cases,
            "A native file pipe never needs the garbage collector",
            pipes,
            pipes.All(item => !Collects(item)),
            "Nothing needs to be done for the collector's sake.",
            "Look for what allocates: 'allocatedBytes' of the same cases.",
            ["FilePipe"]);
        CaseResult[] adapters = Of(cases, "PipeReaderCreate", "PipePump");
        yield return Judge(
            cases,
            "Pipe adapters need collections of generation 0 with small buffers",
            adapters,
            adapters.Any(item => item.Parameters.Buffer < 16384 && Collects(item)),
            "Give an adapter buffers of 16 KiB or more, or read with FilePipe.",
            "An adapter's garbage is no reason against it here.",
            ["PipeReaderCreate", "PipePump"]);
    }

    private static Advice Judge(
        SituatedCases cases,
        string says,
        CaseResult[] measured,
        bool holds,
        string actionIfSo,
        string actionIfNot,
        string[] methods)
    {
        string check = CheckCommand.Again(cases.Results, methods);
        if (measured.Length == 0)
        {
            return ClaimAdvice.CannotBeTold(
                Topic, PublishedRange.FilePipelines, says, $"collections of {string.Join(" and ", methods)}", check);
        }

        CaseResult[] collecting = [.. measured.Where(Collects)];
        CaseResult worst = measured.MaxBy(item => item.Summary!.Gen0)!;
        return ClaimAdvice.Make(
            Topic,
            PublishedRange.FilePipelines,
            says,
            holds ? Holds.Yes : Holds.No,
            collecting.Length == 0
                ? $"None of {measured.Length} cases needed a collection."
                : $"{collecting.Length} of {measured.Length} cases needed collections.",
            [
                collecting.Length == 0
                    ? new AdviceEvidence(null, $"gen0, gen1 and gen2 are 0 in every case of {string.Join(" and ", methods)}")
                    : new AdviceEvidence(
                        Figures.Id(worst),
                        $"{worst.Summary!.Gen0:0.##}, {worst.Summary.Gen1 ?? 0:0.##} and {worst.Summary.Gen2 ?? 0:0.##} collections "
                            + "of generations 0, 1 and 2 per 1,000 invocations, the most of them"),
            ],
            holds ? actionIfSo : actionIfNot,
            null,
            check);
    }

    private static CaseResult[] Of(SituatedCases cases, params string[] methods) =>
        [.. cases.All.Where(item => methods.Contains(item.Method) && item.Summary!.Gen0 is not null)];

    private static bool Collects(CaseResult item) => item.Summary is { Gen0: > 0 } or { Gen1: > 0 } or { Gen2: > 0 };
}
