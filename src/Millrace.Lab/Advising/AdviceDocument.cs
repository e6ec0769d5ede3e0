using Millrace.Lab.Published;

namespace Millrace.Lab.Advising;

/// <summary>What `lab advise --json` prints.</summary>
/// <param name="Advice">The advice.</param>
/// <param name="Published">Published ratios beside those of the run.</param>
internal sealed record AdviceDocument(IReadOnlyList<Advice> Advice, IReadOnlyList<PublishedBeside> Published);
