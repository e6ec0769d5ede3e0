namespace Millrace.Transfer.Tests.Framing;

/// <summary>Errors of the contract and statuses of gRPC.</summary>
public sealed class GrpcErrorsTests
{
    public static TheoryData<TransferError> Errors => [.. Enum.GetValues<TransferError>()];

    [Theory]
    [MemberData(nameof(Errors))]
    public void Every_error_has_a_status_that_is_an_error(TransferError error) =>
        Assert.NotEqual(GrpcStatus.Ok, GrpcErrors.StatusOf(error));

    [Theory]
    [InlineData(TransferError.NotFound)]
    [InlineData(TransferError.AlreadyExists)]
    [InlineData(TransferError.PreconditionFailed)]
    [InlineData(TransferError.RangeNotSatisfiable)]
    [InlineData(TransferError.DigestMismatch)]
    [InlineData(TransferError.Unauthorized)]
    [InlineData(TransferError.Forbidden)]
    [InlineData(TransferError.InvalidRequest)]
    public void Common_errors_are_mapped_from_their_status(TransferError error) =>
        Assert.Equal(error, GrpcErrors.ErrorOf(GrpcErrors.StatusOf(error)));

    [Fact]
    public void Unknown_status_is_a_failure() =>
        Assert.Equal(TransferError.Failed, GrpcErrors.ErrorOf((GrpcStatus)99));
}
