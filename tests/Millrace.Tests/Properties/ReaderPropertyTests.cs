namespace Millrace.Tests.Properties;

/// <summary>Whatever is done with a reader, it does what a byte array would.</summary>
public sealed class ReaderPropertyTests
{
    [Fact]
    public void A_reader_behaves_like_a_byte_array() => RandomCases.Check(
        ReaderCases.Arbitrary, ReaderModel.CheckAsync, perRun: 400, perSoak: 5_000);

    [NeedsFact(Need.Linux)]
    public void A_reader_that_waits_for_every_byte_behaves_like_a_byte_array() => RandomCases.Check(
        ReaderCases.Fifos, ReaderModel.CheckAsync, perRun: 400, perSoak: 5_000);
}
