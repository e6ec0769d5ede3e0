using System.Reflection;

namespace Millrace.Testing;

/// <summary>The checkout that the tests were built from.</summary>
public static class Repository
{
    /// <summary>The folder that holds Millrace.slnx. Not the compiler's idea of it, which a CI build makes anonymous.</summary>
    public static string Root { get; } = Find();

    /// <summary><c>Debug</c> or <c>Release</c>, as the tests and the tested code were built.</summary>
    public static string Configuration { get; } =
        typeof(Repository).Assembly.GetCustomAttribute<AssemblyConfigurationAttribute>()!.Configuration;

    private static string Find()
    {
        string? folder = AppContext.BaseDirectory;
        while (folder is not null && !File.Exists(Path.Combine(folder, "Millrace.slnx")))
        {
            folder = Path.GetDirectoryName(folder);
        }

        return folder ?? throw new InvalidOperationException("The tests must run inside the repository.");
    }
}
