namespace Millrace.Transfer.Server.Tests;

public sealed class UploadIdTests
{
    [Fact]
    public void An_id_is_read_as_it_was_written()
    {
        UploadId id = UploadId.Next();
        Assert.True(UploadId.TryParse(id.Value, out UploadId again));
        Assert.Equal(id, again);
        Assert.NotEqual(id, UploadId.Next());
    }

    [Theory]
    [InlineData("")]
    [InlineData("../../../../../../../../../../../")]
    [InlineData("0123456789ABCDEF0123456789ABCDEF")]
    [InlineData("0123456789abcdef0123456789abcde")]
    public void Anything_else_is_no_id(string text) => Assert.False(UploadId.TryParse(text, out _));
}
