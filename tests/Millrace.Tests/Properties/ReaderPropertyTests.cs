namespace Millrace.Tests.Properties;

/// <summary>Whatever the calls, a reader gives the same bytes as an array.</summary>
public sealed class ReaderPropertyTests
{
    [Fact]
    public void A_reader_behaves_like_a_byte_array() => RandomCases.Check(
        ReaderCases.Arbitrary, ReaderModel.CheckAsync, perRun: 400, perSoak: 5_000);

    [NeedsFact(Need.Linux)]
    public void A_reader_that_waits_for_every_byte_behaves_like_a_byte_array() => RandomCases.Check(
        ReaderCases.Fifos, ReaderModel.CheckAsync, perRun: 400, perSoak: 5_000);
}
