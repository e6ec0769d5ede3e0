namespace Millrace.Tests.Infrastructure;

/// <summary>Asserts the error of a call that has to fail.</summary>
internal static class Fails
{
    public static FilePipeException With(FilePipeError error, Action call)
    {
        FilePipeException exception = Assert.Throws<FilePipeException>(call);
        Assert.Equal(error, exception.Error);
        return exception;
    }

    public static async Task<FilePipeException> WithAsync(FilePipeError error, Func<Task> call)
    {
        FilePipeException exception = await Assert.ThrowsAsync<FilePipeException>(call);
        Assert.Equal(error, exception.Error);
        return exception;
    }
}
