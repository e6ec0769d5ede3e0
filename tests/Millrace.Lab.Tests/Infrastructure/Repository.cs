namespace Millrace.Lab.Tests.Infrastructure;

/// <summary>Files of the repository that tests read.</summary>
internal static class Repository
{
    public static string Root
    {
        get
        {
            string? folder = AppContext.BaseDirectory;
            while (!File.Exists(Path.Combine(folder, "Millrace.slnx")))
            {
                folder = Path.GetDirectoryName(folder)
                    ?? throw new InvalidOperationException("The tests have to run within the repository.");
            }

            return folder;
        }
    }
}
