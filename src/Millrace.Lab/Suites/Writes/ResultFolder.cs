namespace Millrace.Lab.Suites.Writes;

/// <summary>The folder that all methods write to: one of the laboratory's own, in which nothing stays.</summary>
internal static class ResultFolder
{
    private const string Name = "millrace-writes";
    private const string Result = "result.bin";

    /// <summary>The folder within the one of the laboratory's data.</summary>
    public static string In(string data) => Path.Combine(data, Name);

    /// <summary>The file that every method makes.</summary>
    public static string FileIn(string folder) => Path.Combine(folder, Result);

    /// <summary>Makes the folder if it is missing, and removes every file in it.</summary>
    /// <remarks>
    /// Of a file that is removed the kernel forgets what it has not written yet: nothing is left that would be written to
    /// the device while the next case is measured, without the time that a flush would take.
    /// </remarks>
    public static void Clear(string folder)
    {
        Directory.CreateDirectory(folder);
        foreach (string file in Directory.EnumerateFiles(folder))
        {
            File.Delete(file);
        }
    }
}
