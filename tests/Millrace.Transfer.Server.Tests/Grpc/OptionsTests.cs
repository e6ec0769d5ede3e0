namespace Millrace.Transfer.Server.Tests.Grpc;

public sealed class OptionsTests
{
    [Fact]
    public void Defaults_are_what_the_documents_say()
    {
        var options = new GrpcServerOptions();
        Assert.Equal(16 * 1024 * 1024, options.MaxMessageBytes);
        Assert.True(options.Compress);
    }

    [Theory, InlineData(0), InlineData(65_535)]
    public void Messages_of_less_than_64_KiB_are_no_limit(int bytes) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new GrpcServerOptions { MaxMessageBytes = bytes });
}
