namespace Millrace.Tests.Child;

/// <summary>Writes more than the process' limit on the length of files allows, and prints the result.</summary>
internal static class Overflowing
{
    public static async Task<string> RunAsync(string path)
    {
        await using FilePipeWriter writer = FilePipe.Create(path);
        try
        {
            await writer.WriteAsync(new byte[4 * 1024 * 1024]);
            await writer.CommitAsync();
            return "published";
        }
        catch (FilePipeException exception)
        {
            return exception.Error.ToString();
        }
    }
}
