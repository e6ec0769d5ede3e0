namespace Millrace.Transfer.Tests.Infrastructure;

internal static class Fails
{
    /// <summary>Runs an action that has to fail with an error.</summary>
    public static async Task<TransferException> WithAsync(TransferError error, Func<Task> act)
    {
        TransferException exception = await Assert.ThrowsAsync<TransferException>(act);
        Assert.True(error == exception.Error, exception.ToString());
        return exception;
    }
}
