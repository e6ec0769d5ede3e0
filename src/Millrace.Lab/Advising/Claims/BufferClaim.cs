using Millrace.Lab.Advising.Rules;

namespace Millrace.Lab.Advising.Claims;

/// <summary>"Use a large buffer, of 64 KiB or more."</summary>
internal sealed class BufferClaim : IAdviceRule
{
    private const string Sync = "FileStreamSync";
    private const int Large = 65536;
    private const string Says = "Buffers of 65536 bytes or more read a file fastest";

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        BufferChoice[] choices =
        [
            .. cases.Situations.Where(situation => !situation.IsCold)
                .Select(situation => BufferChoice.Of(cases, situation, Sync))
                .OfType<BufferChoice>()
                .Where(choice => choice.All[0].Parameters.Buffer < Large && choice.All[^1].Parameters.Buffer >= Large),
        ];
        string check = CheckCommand.Again(cases.Results, Sync, "FilePipe");
        if (choices.Length == 0)
        {
            yield return ClaimAdvice.CannotBeTold(
                "buffer", PublishedRange.FilePipelines, Says, $"{Sync} with buffers below and above it", check);
            yield break;
        }

        BufferChoice[] smaller = [.. choices.Where(choice => choice.Smallest.Parameters.Buffer < Large)];
        string enough = string.Join(", ", choices.Select(choice =>
            $"{Figures.Buffer(choice.Smallest)} for {ByteSize.ToText(choice.Smallest.Parameters.Bytes ?? 0)}"));
        yield return ClaimAdvice.Make(
            "buffer",
            PublishedRange.FilePipelines,
            Says,
            smaller.Length == 0 ? Holds.Yes : Holds.No,
            $"The smallest buffer within the noise of {Sync}'s best is {enough}.",
            [
                .. choices.Select(choice => new AdviceEvidence(
                    Figures.Id(choice.Smallest),
                    $"{Figures.Time(choice.Smallest)}, the best is {Figures.Time(choice.Best)} at {Figures.Buffer(choice.Best)}")),
            ],
            "Give a FileStream that buffer. A file pipe reads in large blocks whatever you ask it for.",
            SnippetText.Of(Sync, choices.Max(choice => choice.Smallest.Parameters.Buffer)),
            check);
    }
}
