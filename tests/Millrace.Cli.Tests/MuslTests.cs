using System.Reflection;
using System.Runtime.InteropServices;

namespace Millrace.Cli.Tests;

/// <summary>Alpine Linux has another C library than the systems that .NET runs on here: a function that it lacks would end the process.</summary>
public sealed class MuslTests
{
    [NeedsFact(Need.Linux | Need.Musl)]
    public void Every_native_function_is_exported_by_musl()
    {
        HashSet<string> exported = [.. Shell.Run("nm", "-D", "--defined-only", "--format=posix", Needs.MuslLibrary)
            .Split('\n').Select(static line => line.Split(' ')[0])];
        string[] called = [.. Directory.GetFiles(AppContext.BaseDirectory, "Millrace*.dll")
            .Select(Path.GetFileNameWithoutExtension)
            .Where(static name => !name!.Contains("Test", StringComparison.Ordinal))
            .SelectMany(static name => FunctionsOf(Assembly.Load(name!))).Distinct()];

        Assert.Contains("syscall", called);
        Assert.Contains("sendfile", called);
        Assert.Empty(called.Except(exported));
    }

    private static IEnumerable<string> FunctionsOf(Assembly assembly) =>
        from type in assembly.GetTypes()
        from method in type.GetMethods(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly)
        let import = method.GetCustomAttribute<DllImportAttribute>()
        where import?.Value == "libc"
        select import.EntryPoint ?? method.Name;
}
