namespace Millrace.Tests.Sequences;

/// <summary>Whatever the content and its pieces, each iteration gives the same bytes as an array.</summary>
public sealed class SequencePropertyTests
{
    [Fact]
    public void Iterations_return_what_a_byte_array_would() => RandomCases.Check(
        SequenceCases.Arbitrary, SequenceModel.CheckAsync, perRun: 3_000, perSoak: 50_000);
}
