namespace Millrace.Tests.Sequences;

/// <summary>Whatever the content, its pieces and the walks: they give what a byte array would.</summary>
public sealed class SequencePropertyTests
{
    [Fact]
    public void Iterations_return_what_a_byte_array_would() => RandomCases.Check(
        SequenceCases.Arbitrary, SequenceModel.CheckAsync, perRun: 3_000, perSoak: 50_000);
}
