
namespace Millrace.Lab.Cli;

/// <summary>Where results go.</summary>
internal static class OutputFolder
{
    public static string Prepare(string folder)
    {
        try
        {
            string full = Path.GetFullPath(folder);
            Directory.CreateDirectory(full);
            string probe = Path.Combine(full, $".millrace-{Environment.ProcessId}");
            File.WriteAllText(probe, "");
            File.Delete(probe);
            return full;
        }
        catch (Exception exception) when (
            exception is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new LabException(
                $"The output folder {folder} cannot be written: {exception.Message} Name another one with --out.",
                exception);
        }
    }
}
