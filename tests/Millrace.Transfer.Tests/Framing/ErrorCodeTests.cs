namespace Millrace.Transfer.Tests.Framing;

/// <summary>The words that programs read stay when a member of the enumeration is renamed.</summary>
public sealed class ErrorCodeTests
{
    [Fact]
    public void Words_of_errors_are_those_of_the_protocol() => Assert.Equal(
        "Failed NotFound InvalidName InvalidRequest AlreadyExists PreconditionFailed RangeNotSatisfiable DigestMismatch OffsetMismatch UploadComplete "
        + "TakenOver TooLarge NoSpace Unauthorized Forbidden TooManyTransfers TooSlow Disconnected Protocol ProtocolNotOffered Changed Unavailable",
        string.Join(' ', Enum.GetValues<TransferError>().Select(ErrorCode.Of)));

    [Fact]
    public void Words_and_names_are_read()
    {
        foreach (TransferError error in Enum.GetValues<TransferError>())
        {
            Assert.True(ErrorCode.TryParse(ErrorCode.Of(error), out TransferError read));
            Assert.Equal(error, read);
            Assert.True(ErrorCode.TryParse(error.ToString(), out read));
            Assert.Equal(error, read);
        }
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("takenover")]
    [InlineData("Other")]
    [InlineData("22")]
    [InlineData("-1")]
    public void Other_words_are_no_error(string? word) => Assert.False(ErrorCode.TryParse(word, out _));
}
